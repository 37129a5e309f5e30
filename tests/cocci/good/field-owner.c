// SPDX-License-Identifier: GPL-2.0
/* Fields of others are read, and fields that nobody owns are written. */
#include "../../../tid_wait.h"

u32 read_queues(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_queue *queue = &rcd->flow_queue;
	u32 enqueue = queue->enqueue;

	enqueue++;
	if (qp->s_flags & HFI1_S_WAIT_TID_SPACE && enqueue == priv->tid_enqueue)
		enqueue = queue->dequeue;
	if (list_empty(&priv->tid_wait))
		qp->s_flags |= RVT_S_WAIT_KMEM;
	return enqueue;
}

u32 read_segments(struct tid_rdma_flow *flow)
{
	struct tid_rdma_request *req = flow->req;
	u32 npagesets = flow->npagesets;
	u32 count[8] = { 0 };

	count[flow->tnode_cnt] = flow->pagesets[npagesets].count;
	req->comp_seg = req->setup_head + req->cur_seg;
	req->r_ack_psn = flow->flow_state.generation;
	return count[req->clear_tail];
}

void other_lists(struct rvt_qp *qp, struct hfi1_ctxtdata *rcd)
{
	if (rcd->tid_group_list.count && !rcd->flow_mask)
		list_add_tail(&qp->rspwait, &rcd->qp_wait_list);
}
