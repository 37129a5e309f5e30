// SPDX-License-Identifier: GPL-2.0
/* Only the way out of a failure repairs what belongs to another file. */
#include "../../../tid_flow.h"
#include "../../../tid_rdma.h"

int repair_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	int ret;

	ret = hfi1_kern_setup_hw_flow(rcd, qp);
	if (ret) {
		qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE; /* BAD */
		rcd->flow_queue.dequeue++; /* BAD */
		return ret;
	}
	return 0;
}

int repair_when_unmapped(struct tid_rdma_request *req,
			 struct rvt_sge_state *ss)
{
	struct tid_rdma_flow *flow = &req->flows[req->setup_head];
	u32 isge = req->isge;
	bool last;
	int ret;

	ret = hfi1_kern_exp_rcv_setup(req, ss, &last);
	if (ret)
		goto undo;
	return 0;

undo:
	flow->npagesets = 0; /* BAD */
	req->isge = isge; /* BAD */
	return ret;
}
