// SPDX-License-Identifier: GPL-2.0
/* Wakeups and puts inside exp_lock, in the open and through functions. */
#include "../../../tid_rdma.h"
#include "../../../tid_wait.h"

static void tell_the_engine(struct rvt_qp *qp)
{
	hfi1_schedule_tid_send(qp);
}

static void tell_them(struct rvt_qp **qps, int n)
{
	while (n--)
		tell_the_engine(qps[n]);
}

static void tell_it_too(struct rvt_qp *qp)
{
	if (qp->s_flags & HFI1_S_WAIT_TID_SPACE)
		tell_them(&qp, 1);
}

void schedule_in_the_open(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;
	unsigned long flags;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	tid_rdma_schedule_tid_wakeup(first_qp(rcd, &rcd->flow_queue)); /* BAD */
	hfi1_schedule_send(qp); /* BAD */
	queue_work(hfi1_qp_wq(qp), &priv->tid_rdma.trigger_work); /* BAD */
	if (!queue_work_on(0, hfi1_qp_wq(qp), /* BAD */
			   &priv->tid_rdma.trigger_work))
		rvt_put_qp(qp); /* BAD */
	iowait_tid_schedule(&priv->s_iowait, hfi1_qp_wq(qp), 0); /* BAD */
	ib_to_rvt(qp->ibqp.device)->driver_f.do_send(qp); /* BAD */
	spin_unlock_irqrestore(&rcd->exp_lock, flags);
	hfi1_schedule_send(qp);
}

void schedule_through_a_function(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	spin_lock(&rcd->exp_lock);
	tell_the_engine(qp); /* BAD */
	tell_it_too(qp); /* BAD */
	spin_unlock(&rcd->exp_lock);
	tell_it_too(qp);
}

void schedule_as_it_is_held(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock)
{
	rvt_put_qp(qp); /* BAD */
}

void schedule_as_it_is_asserted(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	lockdep_assert_held(&rcd->exp_lock);
	tid_rdma_schedule_tid_wakeup(qp); /* BAD */
}
