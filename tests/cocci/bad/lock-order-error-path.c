// SPDX-License-Identifier: GPL-2.0
/* Only the way out of a failure takes s_lock before exp_lock is dropped. */
#include "../../../tid_wait.h"

int lock_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	unsigned long flags;
	int idx;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	idx = kern_reserve_flow(rcd, RXE_NUM_TID_FLOWS);
	if (idx < 0)
		goto full;
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
	spin_lock(&qp->s_lock);
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	spin_unlock(&qp->s_lock);
	return idx;

full:
	spin_lock(&qp->s_lock); /* BAD */
	qp->s_flags |= HFI1_S_WAIT_TID_SPACE;
	spin_unlock(&qp->s_lock);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
	return idx;
}

int unlock_too_seldom(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	spin_lock(&rcd->exp_lock);
	if (!rcd->flow_mask)
		spin_unlock(&rcd->exp_lock);
	spin_lock(&qp->s_lock); /* BAD */
	spin_unlock(&qp->s_lock);
	return 0;
}
