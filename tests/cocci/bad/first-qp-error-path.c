// SPDX-License-Identifier: GPL-2.0
/* Only the way out of a failure forgets the reference of first_qp(). */
#include "../../../tid_wait.h"

int forget_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next;

	spin_lock(&rcd->exp_lock);
	next = first_qp(rcd, &rcd->flow_queue); /* BAD */
	spin_unlock(&rcd->exp_lock);
	if (!rcd->flow_mask)
		return -EINVAL;
	tid_wait_wake(next, qp);
	return 0;
}

void forget_when_dead(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue); /* BAD */

	if (qp->state == IB_QPS_ERR)
		goto out;
	tid_rdma_schedule_tid_wakeup(next);
out:
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
}

int forget_inside(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue); /* BAD */

	if (next) {
		if (qp->state == IB_QPS_ERR)
			return -EINVAL;
		rvt_put_qp(next);
	}
	return 0;
}

bool forget_after_another_way_out(struct hfi1_ctxtdata *rcd,
				  struct tid_queue *on)
{
	struct rvt_qp *next = NULL;

	if (on && rcd->flow_mask)
		next = first_qp(rcd, on); /* BAD */
	if (!on)
		return false;
	if (!rcd->flow_mask)
		return false;
	tid_rdma_schedule_tid_wakeup(next);
	return true;
}
