/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The segments of TID RDMA requests: the page sets that a piece of a buffer
 * is split into, their DMA mapping, the RcvArray entries (TIDs) that they
 * take, and the way back.
 *
 * A request's flows are a ring of MAX_FLOWS segments: setup_head is the next
 * to be set up, clear_tail the next to be cleared, both under the QP's s_lock.
 */
#ifndef TID_RDMA_H
#define TID_RDMA_H

#include "include/hfi1.h"

u32 tid_flush_pages(struct tid_rdma_pageset *list, u32 *idx, u32 pages,
		    u32 sets);
u32 tid_rdma_find_phys_blocks_4k(struct tid_rdma_flow *flow,
				 struct page **pages, u32 npages,
				 struct tid_rdma_pageset *list);
u32 tid_rdma_find_phys_blocks_8k(struct tid_rdma_flow *flow,
				 struct page **pages, u32 npages,
				 struct tid_rdma_pageset *list);

int hfi1_kern_exp_rcv_setup(struct tid_rdma_request *req,
			    struct rvt_sge_state *ss, bool *last)
	__must_hold(&req->qp->s_lock);
int hfi1_kern_exp_rcv_clear(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock);
void hfi1_kern_exp_rcv_clear_all(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock);
void hfi1_kern_exp_rcv_free_flows(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock);
void __trdma_clean_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
	__must_hold(&qp->s_lock);
bool hfi1_schedule_tid_send(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);

u32 tid_rdma_free_tids(struct hfi1_ctxtdata *rcd)
	__must_hold(&rcd->exp_lock);

#endif /* TID_RDMA_H */
