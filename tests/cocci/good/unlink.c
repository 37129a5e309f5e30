// SPDX-License-Identifier: GPL-2.0
/* QPs that leave a queue with all settled, and other lists. */
#include "../../../tid_wait.h"

void settle_all(struct tid_queue *queue, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	list_del_init(&priv->tid_wait);
	queue->dequeue++;
	rvt_put_qp(qp);
}

bool settle_after_unlink(struct hfi1_ctxtdata *rcd, struct tid_queue *on,
			 struct rvt_qp *qp)
{
	struct rvt_qp *next = NULL;

	if (on && tid_wait_unlink(rcd, on, qp->priv))
		next = first_qp(rcd, on);
	if (!on)
		return false;
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	rvt_put_qp(qp);
	tid_rdma_schedule_tid_wakeup(next);
	return true;
}

void move(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	tid_wait_unlink(rcd, &rcd->flow_queue, priv);
	list_add_tail(&priv->tid_wait, &rcd->rarr_queue.queue_head);
}

int see_to_what_is_left(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	bool left = dequeue_tid_waiter(rcd, &rcd->flow_queue, qp);

	if (left)
		rvt_put_qp(qp);
	return left ? 0 : -EAGAIN;
}

void another_list(struct rvt_qp *qp)
{
	list_del_init(&qp->rspwait);
}
