// SPDX-License-Identifier: GPL-2.0
/* Only the way out of a failure acts before exp_lock is dropped. */
#include "../../../tid_flow.h"
#include "../../../tid_wait.h"

int put_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	unsigned long flags;
	int idx;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	idx = kern_reserve_flow(rcd, RXE_NUM_TID_FLOWS);
	if (idx < 0) {
		rvt_put_qp(qp); /* BAD */
		goto out;
	}
	rcd->flows[idx].generation = 0;
out:
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
	return idx;
}

int wake_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next;

	spin_lock(&rcd->exp_lock);
	if (kernel_tid_waiters(rcd, &rcd->flow_queue, qp)) {
		next = queue_qp_for_tid_wait(rcd, &rcd->flow_queue, qp);
		tid_rdma_schedule_tid_wakeup(next); /* BAD */
		spin_unlock(&rcd->exp_lock);
		return -EAGAIN;
	}
	spin_unlock(&rcd->exp_lock);
	tid_rdma_schedule_tid_wakeup(qp);
	return 0;
}
