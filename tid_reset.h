/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What becomes of a QP's TID RDMA when it goes into error, and when it is reset.
 */
#ifndef TID_RESET_H
#define TID_RESET_H

#include "include/hfi1.h"

void tid_reset_error(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void hfi1_qp_kern_exp_rcv_clear_all(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);

#endif /* TID_RESET_H */
