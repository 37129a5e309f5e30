// SPDX-License-Identifier: GPL-2.0
/* The right order, one lock after the other, and other locks. */
#include "../../../tid_wait.h"

void right_order(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->s_lock, flags);
	spin_lock(&rcd->exp_lock);
	rcd->flow_mask = 0;
	spin_unlock(&rcd->exp_lock);
	spin_unlock_irqrestore(&qp->s_lock, flags);
}

int one_after_the_other(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	if (rcd->flow_mask) {
		spin_unlock_irqrestore(&rcd->exp_lock, flags);
		spin_lock_irqsave(&qp->s_lock, flags);
		spin_unlock_irqrestore(&qp->s_lock, flags);
		return 0;
	}
	lockdep_assert_held(&qp->s_lock);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
	right_order(rcd, qp);
	return 1;
}

void another_lock(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	spin_lock(&rcd->exp_lock);
	spin_lock(&qp->r_lock);
	spin_unlock(&qp->r_lock);
	spin_unlock(&rcd->exp_lock);
}
