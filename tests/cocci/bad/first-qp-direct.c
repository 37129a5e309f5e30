// SPDX-License-Identifier: GPL-2.0
/* References of first_qp() that nobody ever drops. */
#include "../../../tid_wait.h"

void forget_it(struct hfi1_ctxtdata *rcd)
{
	struct rvt_qp *next;

	spin_lock(&rcd->exp_lock);
	next = first_qp(rcd, &rcd->flow_queue); /* BAD */
	spin_unlock(&rcd->exp_lock);
	hfi1_schedule_send(next);
}

void forget_another(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
{
	struct rvt_qp *next;

	spin_lock(&rcd->exp_lock);
	next = queue_qp_for_tid_wait(rcd, /* BAD */
				     &rcd->flow_queue, qp);
	spin_unlock(&rcd->exp_lock);
}

void never_keep_it(struct hfi1_ctxtdata *rcd)
{
	first_qp(rcd, &rcd->flow_queue); /* BAD */
	if (first_qp(rcd, &rcd->rarr_queue)) /* BAD */
		rcd->flow_mask = 0;
}

void write_over_it(struct hfi1_ctxtdata *rcd)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue); /* BAD */

	next = first_qp(rcd, &rcd->rarr_queue);
	tid_rdma_schedule_tid_wakeup(next);
}

void keep_a_row(struct hfi1_ctxtdata *rcd, struct tid_queue **queues)
{
	struct rvt_qp *heads[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		heads[i] = first_qp(rcd, queues[i]); /* BAD */
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		hfi1_schedule_send(heads[i]);
}

struct rvt_qp *return_it_unknown(struct hfi1_ctxtdata *rcd)
{
	return first_qp(rcd, &rcd->flow_queue); /* BAD */
}

struct rvt_qp *return_it_later(struct hfi1_ctxtdata *rcd)
{
	struct rvt_qp *next = first_qp(rcd, &rcd->flow_queue); /* BAD */

	rcd->flow_mask = 0;
	return next;
}
