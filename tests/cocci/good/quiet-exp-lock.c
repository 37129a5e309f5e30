// SPDX-License-Identifier: GPL-2.0
/* What is done under exp_lock is remembered, and acted upon after it. */
#include "../../../tid_wait.h"

int act_after_it(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next;
	unsigned long flags;
	bool left;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	if (!rcd->flow_mask) {
		spin_unlock_irqrestore(&rcd->exp_lock, flags);
		hfi1_schedule_send(qp);
		return -EINVAL;
	}
	left = dequeue_tid_waiter(rcd, &rcd->flow_queue, qp);
	next = first_qp(rcd, &rcd->flow_queue);
	rvt_get_qp(qp);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	if (left)
		rvt_put_qp(qp);
	rvt_put_qp(qp);
	tid_rdma_schedule_tid_wakeup(next);
	return 0;
}

void act_under_another_lock(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	lockdep_assert_held(&qp->s_lock);
	hfi1_schedule_send(qp);
	spin_lock(&rcd->exp_lock);
	rcd->flow_mask = 0;
	spin_unlock(&rcd->exp_lock);
	rvt_put_qp(qp);
}
