// SPDX-License-Identifier: GPL-2.0
/* QPs that leave a queue with something unsettled. */
#include "../../../tid_wait.h"

void settle_nothing(struct hfi1_qp_priv *priv)
{
	list_del_init(&priv->tid_wait); /* BAD */
}

void forget_to_count(struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	list_del(&priv->tid_wait); /* BAD */
	rvt_put_qp(qp);
}

void forget_the_flag(struct tid_queue *queue, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	list_del_init(&priv->tid_wait); /* BAD */
	queue->dequeue++;
	qp->s_flags &= ~RVT_S_WAIT_RNR;
	rvt_put_qp(qp);
}

void forget_the_reference(struct tid_queue *queue, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	list_del_init(&priv->tid_wait); /* BAD */
	queue->dequeue++;
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
}

void forget_all_after_unlink(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	tid_wait_unlink(rcd, &rcd->flow_queue, qp->priv); /* BAD */
}

void forget_the_flag_after_unlink(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	tid_wait_unlink(rcd, &rcd->flow_queue, qp->priv); /* BAD */
	rvt_put_qp(qp);
}

bool tell_a_caller_unknown(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	tid_wait_unlink(rcd, &rcd->flow_queue, qp->priv); /* BAD */
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	return true;
}

void forget_what_is_left(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	bool left;

	dequeue_tid_waiter(rcd, &rcd->flow_queue, qp); /* BAD */
	left = dequeue_tid_waiter(rcd, &rcd->rarr_queue, qp); /* BAD */
	if (left)
		hfi1_schedule_send(qp);
}
