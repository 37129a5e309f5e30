/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The 32 hardware flows of a receive context and their generations.
 *
 * A flow that is not taken has the reserved generation in its table row, so
 * that no packet matches it. The generation that it will have next is kept in
 * rcd->flows[] and moves on by one with every return.
 */
#ifndef TID_FLOW_H
#define TID_FLOW_H

#include "include/hfi1.h"

/* PSNs of a generation that data may have: the last one is a RESYNC's. */
#define TID_FLOW_PSNS	HFI1_KDETH_BTH_SEQ_MASK

int kern_reserve_flow(struct hfi1_ctxtdata *rcd, int last)
	__must_hold(&rcd->exp_lock);
int hfi1_kern_setup_hw_flow(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void hfi1_kern_clear_hw_flow(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void tid_flow_give_back(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void tid_flow_forget(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void hfi1_kern_init_ctxt_generations(struct hfi1_ctxtdata *rcd);

#endif /* TID_FLOW_H */
