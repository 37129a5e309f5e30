// SPDX-License-Identifier: GPL-2.0
/* Only the way out of a failure leaves something unsettled. */
#include "../../../tid_wait.h"

int keep_the_flag_when_dead(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	tid_wait_unlink(rcd, &rcd->flow_queue, qp->priv); /* BAD */
	if (qp->state == IB_QPS_ERR)
		goto dead;
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
dead:
	rvt_put_qp(qp);
	return 0;
}

int keep_the_reference_when_dead(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	tid_wait_unlink(rcd, &rcd->flow_queue, qp->priv); /* BAD */
	if (qp->state == IB_QPS_ERR)
		return -EINVAL;
	rvt_put_qp(qp);
	return 0;
}

int count_only_the_living(struct tid_queue *queue, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	list_del_init(&priv->tid_wait); /* BAD */
	if (qp->state != IB_QPS_ERR)
		queue->dequeue++;
	rvt_put_qp(qp);
	return 0;
}

int move_only_the_living(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	tid_wait_unlink(rcd, &rcd->flow_queue, priv); /* BAD */
	if (qp->state == IB_QPS_ERR)
		return -EINVAL;
	list_add_tail(&priv->tid_wait, &rcd->rarr_queue.queue_head);
	return 0;
}

int keep_what_is_left_when_full(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	bool left = dequeue_tid_waiter(rcd, &rcd->flow_queue, qp); /* BAD */

	if (!rcd->flow_mask)
		return -EAGAIN;
	if (left)
		rvt_put_qp(qp);
	return 0;
}
