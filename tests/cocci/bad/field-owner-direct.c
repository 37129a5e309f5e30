// SPDX-License-Identifier: GPL-2.0
/* A file that owns nothing writes everything. */
#include "../../../tid_wait.h"

void write_queues(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_queue *queue = &rcd->flow_queue;

	priv->tid_enqueue = 0; /* BAD */
	queue->dequeue++; /* BAD */
	priv->tid_enqueue = ++queue->enqueue; /* BAD */
	rcd->rarr_queue.enqueue -= 1; /* BAD */
	rcd->dd->verbs_dev.n_tidwait++; /* BAD */
	list_del_init(&priv->tid_wait); /* BAD */
	list_add_tail(&priv->tid_wait, &queue->queue_head); /* BAD */
	INIT_LIST_HEAD(&rcd->rarr_queue.queue_head); /* BAD */
	qp->s_flags |= HFI1_S_WAIT_TID_SPACE; /* BAD */
	qp->s_flags &= ~(HFI1_S_WAIT_TID_SPACE | RVT_S_WAIT_RNR); /* BAD */
}

void write_flows(struct hfi1_ctxtdata *rcd, struct hfi1_qp_priv *priv)
{
	struct tid_flow_state *fs = &priv->flow_state;

	rcd->flow_mask |= BIT(0); /* BAD */
	rcd->flows[0].generation++; /* BAD */
	rcd->flows[1].generation = fs->generation; /* BAD */
	fs->generation = 0; /* BAD */
	fs->psn++; /* BAD */
	priv->flow_state.index = RXE_NUM_TID_FLOWS; /* BAD */
}

void write_segments(struct tid_rdma_flow *flow)
{
	struct tid_rdma_pageset *set = &flow->pagesets[0];
	struct tid_rdma_request *req = flow->req;

	flow->npagesets = 0; /* BAD */
	flow->pagesets[0].count = 0; /* BAD */
	flow->tnode[flow->tnode_cnt++].cnt = 1; /* BAD */
	flow->tid_entry[0] = 0; /* BAD */
	flow->flow_state.spsn = 0; /* BAD */
	memset(&flow->flow_state, 0, sizeof(flow->flow_state)); /* BAD */
	set->mapped = 0; /* BAD */
	req->setup_head = req->clear_tail; /* BAD */
	req->flows = NULL; /* BAD */
}

void write_groups(struct hfi1_ctxtdata *rcd, struct tid_group *grp)
{
	grp->map |= BIT(0); /* BAD */
	grp->used--; /* BAD */
	rcd->tid_group_list.count--; /* BAD */
	list_move(&grp->list, &rcd->tid_used_list.list); /* BAD */
	tid_group_move(grp, &rcd->tid_group_list, &rcd->tid_used_list); /* BAD */
}

void write_retries(struct rvt_qp *qp, struct tid_rdma_request *req)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, 0);

	qp->s_psn = 0; /* BAD */
	qp->r_flags |= RVT_R_RDMAR_SEQ; /* BAD */
	priv->pending_tid_r_segs++; /* BAD */
	++priv->r_tid_ack; /* BAD */
	req->ack_seg += 1; /* BAD */
	cmpxchg(&wqe->lpsn, 0, 1); /* BAD */
}

void write_places(struct tid_rdma_request *req)
{
	req->cur_seg++; /* BAD */
	req->isge = 0; /* BAD */
	req->flows->flow_state.ib_spsn = 0; /* BAD */
	req->n_flows = 0; /* BAD */
}

void write_params(struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	priv->tid_rdma.local.max_len = PAGE_SIZE; /* BAD */
	priv->pkts_ps = 1; /* BAD */
	RCU_INIT_POINTER(priv->tid_rdma.remote, NULL); /* BAD */
}
