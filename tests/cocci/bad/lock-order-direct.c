// SPDX-License-Identifier: GPL-2.0
/* s_lock is taken inside exp_lock, in the open and through a function. */
#include "../../../tid_wait.h"

static void wait_no_more(struct rvt_qp *qp)
{
	if (!(qp->s_flags & HFI1_S_WAIT_TID_SPACE))
		return;
	spin_lock(&qp->s_lock);
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	spin_unlock(&qp->s_lock);
}

static void wait_no_more_at_all(struct rvt_qp **qps, int n)
{
	while (n--)
		wait_no_more(qps[n]);
}

static void wait_no_more_either(struct rvt_qp *qp)
{
	wait_no_more_at_all(&qp, 1);
}

void lock_in_the_open(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	rcd->flow_mask = 0;
	spin_lock(&qp->s_lock); /* BAD */
	spin_unlock(&qp->s_lock);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
}

void lock_through_a_function(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	spin_lock(&rcd->exp_lock);
	wait_no_more(qp); /* BAD */
	wait_no_more_either(qp); /* BAD */
	spin_unlock(&rcd->exp_lock);
	wait_no_more(qp);
}

void lock_as_it_is_held(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock)
{
	spin_lock(&qp->s_lock); /* BAD */
	spin_unlock(&qp->s_lock);
}

void lock_as_it_is_asserted(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	lockdep_assert_held(&rcd->exp_lock);
	if (spin_trylock(&qp->s_lock)) /* BAD */
		spin_unlock(&qp->s_lock);
}

void lock_twice(struct hfi1_ctxtdata *rcd, struct hfi1_ctxtdata *other)
{
	unsigned long flags;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	spin_lock(&other->exp_lock); /* BAD */
	spin_unlock(&other->exp_lock);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
}
