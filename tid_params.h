/* SPDX-License-Identifier: GPL-2.0 */
/* What a QP and its peer tell each other before they use TID RDMA. */
#ifndef TID_PARAMS_H
#define TID_PARAMS_H

#include "include/hfi1.h"

/* The lock of what a QP and its peer have agreed on. */
#define tid_opfn_lock(qp)	(&((struct hfi1_qp_priv *)(qp)->priv)->opfn.lock)

void tid_rdma_opfn_init(struct rvt_qp *qp, struct tid_rdma_params *p)
	__must_hold(tid_opfn_lock(qp));
bool tid_rdma_conn_reply(struct rvt_qp *qp, u64 data)
	__must_hold(tid_opfn_lock(qp));
void tid_rdma_conn_error(struct rvt_qp *qp)
	__must_hold(tid_opfn_lock(qp));
void setup_tid_rdma_wqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
	__must_hold(&qp->s_hlock);

#endif /* TID_PARAMS_H */
