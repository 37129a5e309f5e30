// SPDX-License-Identifier: GPL-2.0
/* References of first_qp() that end on every path. */
#include "../../../tid_wait.h"

int hand_it_on(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next;
	int ret = 0;

	spin_lock(&rcd->exp_lock);
	next = first_qp(rcd, &rcd->flow_queue);
	spin_unlock(&rcd->exp_lock);
	if (!rcd->flow_mask) {
		ret = -EINVAL;
		goto out;
	}
	if (qp->state == IB_QPS_ERR) {
		rvt_put_qp(next);
		return -EINVAL;
	}
out:
	tid_wait_wake(next, qp);
	return ret;
}

int none_is_none(struct hfi1_ctxtdata *rcd)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue);

	if (!next)
		return -EAGAIN;
	rvt_put_qp(next);
	return 0;
}

void drop_it_if_it_is(struct hfi1_ctxtdata *rcd)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue);

	if (next)
		rvt_put_qp(next);
}

bool no_queue_no_head(struct hfi1_ctxtdata *rcd, struct tid_queue *on)
{
	struct rvt_qp *next = NULL;

	if (on && rcd->flow_mask)
		next = first_qp(rcd, on);
	if (!on)
		return false;
	tid_rdma_schedule_tid_wakeup(next);
	return true;
}

void a_row_of_them(struct hfi1_ctxtdata *rcd, struct tid_queue **queues)
{
	struct rvt_qp *heads[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		heads[i] = first_qp(rcd, queues[i]);
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		tid_rdma_schedule_tid_wakeup(heads[i]);
}

void as_it_comes(struct hfi1_ctxtdata *rcd)
{
	tid_rdma_schedule_tid_wakeup(first_qp(rcd, &rcd->flow_queue));
}
