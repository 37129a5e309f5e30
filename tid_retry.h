/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking again: what a requester does about late copies of packets, and where a
 * responder says it is when a requester has lost the thread.
 */
#ifndef TID_RETRY_H
#define TID_RETRY_H

#include "include/hfi1.h"

void tid_read_guard_slot(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void tid_read_skip_resend(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock);
void restart_tid_rdma_read_req(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp,
			       struct rvt_swqe *wqe)
	__must_hold(&qp->r_lock) __must_hold(&qp->s_lock);
u32 hfi1_build_tid_rdma_read_resp(struct rvt_qp *qp, struct rvt_ack_entry *e,
				  struct ib_other_headers *ohdr, u32 *bth0,
				  u32 *bth1, u32 *bth2, u32 *len, bool *last)
	__must_hold(&qp->s_lock);
u32 hfi1_build_tid_rdma_write_ack(struct rvt_qp *qp, struct rvt_ack_entry *e,
				  struct ib_other_headers *ohdr, u16 iflow,
				  u32 *bth1, u32 *bth2)
	__must_hold(&qp->s_lock);

#endif /* TID_RETRY_H */
