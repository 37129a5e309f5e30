// SPDX-License-Identifier: GPL-2.0
/* The wait queues: who waits, who is next, who is woken. */

#include "checks.h"
#include "suites.h"

static struct rvt_qp *first(struct fx *fx, struct tid_queue *queue)
{
	struct rvt_qp *qp;

	spin_lock_irq(&fx->rcd->exp_lock);
	qp = first_qp(fx->rcd, queue);
	spin_unlock_irq(&fx->rcd->exp_lock);
	return qp;
}

static bool must_wait(struct fx_qp *q, struct tid_queue *queue)
{
	struct hfi1_ctxtdata *rcd = q->fx->rcd;
	bool ret;

	spin_lock_irq(&q->qp->s_lock);
	spin_lock(&rcd->exp_lock);
	ret = kernel_tid_waiters(rcd, queue, q->qp);
	spin_unlock(&rcd->exp_lock);
	spin_unlock_irq(&q->qp->s_lock);
	return ret;
}

static void enqueue(struct fx_qp *q, struct tid_queue *queue)
{
	struct hfi1_ctxtdata *rcd = q->fx->rcd;
	struct rvt_qp *next;

	spin_lock_irq(&q->qp->s_lock);
	spin_lock(&rcd->exp_lock);
	next = queue_qp_for_tid_wait(rcd, queue, q->qp);
	spin_unlock(&rcd->exp_lock);
	spin_unlock_irq(&q->qp->s_lock);
	tid_rdma_schedule_tid_wakeup(next);
}

static bool dequeue(struct fx_qp *q, struct tid_queue *queue)
{
	struct hfi1_ctxtdata *rcd = q->fx->rcd;
	bool left;

	spin_lock_irq(&q->qp->s_lock);
	spin_lock(&rcd->exp_lock);
	left = dequeue_tid_waiter(rcd, queue, q->qp);
	spin_unlock(&rcd->exp_lock);
	spin_unlock_irq(&q->qp->s_lock);
	if (left)
		rvt_put_qp(q->qp);
	return left;
}

static void create(struct fx *fx, struct fx_qp **q, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		q[i] = fx_qp_create(fx);
}

static void create_waiters(struct fx *fx, struct tid_queue *queue,
			   struct fx_qp **q, u32 n)
{
	u32 i;

	create(fx, q, n);
	for (i = 0; i < n; i++)
		enqueue(q[i], queue);
}

static void first_qp_of_an_empty_queue_is_null(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	EXPECT_PTR_EQ(test, first(fx, &fx->rcd->flow_queue), NULL);
}

static void first_qp_holds_the_head(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	create_waiters(fx, &fx->rcd->rarr_queue, q, 2);
	EXPECT_PTR_EQ(test, first(fx, &fx->rcd->rarr_queue), q[0]->qp);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 3);
	EXPECT_EQ(test, atomic_read(&q[1]->qp->refcount), 2);
	rvt_put_qp(q[0]->qp);
}

static void nobody_waits_on_an_empty_queue(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	EXPECT_FALSE(test, must_wait(q, &fx->rcd->flow_queue));
	EXPECT_EQ(test, atomic_read(&q->qp->refcount), 1);
}

static void the_flagged_head_need_not_wait(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[3];

	create_waiters(fx, queue, q, 2);
	q[2] = fx_qp_create(fx);
	EXPECT_FALSE(test, must_wait(q[0], queue));
	EXPECT_TRUE(test, must_wait(q[1], queue));
	EXPECT_TRUE(test, must_wait(q[2], queue));
	EXPECT_FALSE(test, must_wait(q[1], &fx->rcd->rarr_queue));
	check_all(fx);
}

static void a_head_without_its_flag_must_wait(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[1];

	create_waiters(fx, queue, q, 1);
	q[0]->qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	EXPECT_TRUE(test, must_wait(q[0], queue));
	q[0]->qp->s_flags |= HFI1_S_WAIT_TID_SPACE;
}

static void queueing_appends_flags_counts_and_holds(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	u64 before = fx->dd->verbs_dev.n_tidwait;
	struct fx_qp *q[3];

	create_waiters(fx, queue, q, 3);
	check_order(fx, queue, q, 3);
	check_all(fx);
	EXPECT_EQ(test, fx->dd->verbs_dev.n_tidwait, before + 3);
	EXPECT_EQ(test, atomic_read(&q[1]->qp->refcount), 2);
}

static void queueing_twice_keeps_the_place(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->rarr_queue;
	struct fx_qp *q[3];

	create_waiters(fx, queue, q, 3);
	enqueue(q[0], queue);
	enqueue(q[1], queue);
	check_order(fx, queue, q, 3);
	check_all(fx);
	EXPECT_EQ(test, fx->dd->verbs_dev.n_tidwait, 3);
}

static void queueing_elsewhere_moves_the_qp(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *from = &fx->rcd->rarr_queue;
	struct tid_queue *to = &fx->rcd->flow_queue;
	struct fx_qp *q[3], *there[2];

	create_waiters(fx, from, q, 3);
	there[0] = fx_qp_create(fx);
	enqueue(there[0], to);

	enqueue(q[1], to);
	check_all(fx);
	EXPECT_PTR_EQ(test, fx_queue_of(q[1]), to);
	EXPECT_FALSE(test, fx_woken(q[2]));
	there[1] = q[1];
	check_order(fx, to, there, 2);

	q[1] = q[2];
	check_order(fx, from, q, 2);
}

static void a_head_that_moves_wakes_the_next(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	create_waiters(fx, &fx->rcd->rarr_queue, q, 2);
	enqueue(q[0], &fx->rcd->flow_queue);
	EXPECT_TRUE(test, fx_woken(q[1]));
	check_all(fx);
}

static void a_qp_in_error_is_not_queued(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q = fx_qp_create(fx);

	q->qp->state = IB_QPS_ERR;
	enqueue(q, queue);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_EQ(test, fx->dd->verbs_dev.n_tidwait, 0);
	check_all(fx);
}

static void dequeueing_unlinks_unflags_and_counts(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[3];

	create_waiters(fx, queue, q, 3);
	EXPECT_TRUE(test, dequeue(q[0], queue));
	EXPECT_PTR_EQ(test, fx_queue_of(q[0]), NULL);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 1);
	check_order(fx, queue, q + 1, 2);
	check_all(fx);
}

static void dequeueing_who_does_not_wait_does_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q = fx_qp_create(fx);
	struct tid_queue before = *queue;

	EXPECT_FALSE(test, dequeue(q, queue));
	EXPECT_EQ(test, queue->dequeue, before.dequeue);
	EXPECT_EQ(test, queue->enqueue, before.enqueue);
	check_all(fx);
}

static void a_grant_of_the_other_kind_keeps_the_place(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	create_waiters(fx, &fx->rcd->rarr_queue, q, 2);
	EXPECT_FALSE(test, dequeue(q[0], &fx->rcd->flow_queue));
	check_order(fx, &fx->rcd->rarr_queue, q, 2);
	check_all(fx);
}

static void trigger_schedules_only_who_waits(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[1], *idle = fx_qp_create(fx);

	create_waiters(fx, &fx->rcd->flow_queue, q, 1);
	spin_lock_irq(&idle->qp->s_lock);
	__trigger_tid_waiter(idle->qp);
	spin_unlock_irq(&idle->qp->s_lock);
	EXPECT_FALSE(test, fx_woken(idle));

	spin_lock_irq(&q[0]->qp->s_lock);
	__trigger_tid_waiter(q[0]->qp);
	spin_unlock_irq(&q[0]->qp->s_lock);
	EXPECT_TRUE(test, fx_woken(q[0]));
	check_all(fx);
}

static void triggering_a_qp_in_error_passes_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	create_waiters(fx, &fx->rcd->flow_queue, q, 2);
	q[0]->qp->state = IB_QPS_ERR;
	spin_lock_irq(&q[0]->qp->s_lock);
	__trigger_tid_waiter(q[0]->qp);
	spin_unlock_irq(&q[0]->qp->s_lock);
	EXPECT_PTR_EQ(test, fx_queue_of(q[0]), NULL);
	EXPECT_TRUE(test, fx_woken(q[1]));
	check_all(fx);
}

static void a_wakeup_of_nobody_is_fine(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	tid_rdma_schedule_tid_wakeup(NULL);
	check_all(fx);
}

static void a_wakeup_keeps_one_reference_while_pending(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[1];

	create_waiters(fx, queue, q, 1);
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	EXPECT_TRUE(test, work_pending(&q[0]->priv->tid_rdma.trigger_work));
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 3);
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 3);
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q[0]->ran), 1);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 2);
}

static void resume_runs_the_engine_of_who_waits(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[1];

	create_waiters(fx, &fx->rcd->flow_queue, q, 1);
	rvt_get_qp(q[0]->qp);
	tid_rdma_trigger_resume(&q[0]->priv->tid_rdma.trigger_work);
	EXPECT_EQ(test, atomic_read(&q[0]->ran), 1);
	check_all(fx);
}

static void resume_leaves_alone_who_does_not_wait(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	rvt_get_qp(q->qp);
	tid_rdma_trigger_resume(&q->priv->tid_rdma.trigger_work);
	EXPECT_EQ(test, atomic_read(&q->ran), 0);
	EXPECT_EQ(test, atomic_read(&q->scheduled), 0);
	check_all(fx);
}

static void resume_of_a_qp_in_error_passes_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->rarr_queue;
	struct fx_qp *q[3];

	create_waiters(fx, queue, q, 3);
	q[0]->qp->state = IB_QPS_ERR;
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	EXPECT_TRUE(test, fx_run_wakeup(q[0]));
	EXPECT_PTR_EQ(test, fx_queue_of(q[0]), NULL);
	EXPECT_TRUE(test, fx_woken(q[1]));
	EXPECT_FALSE(test, fx_woken(q[2]));
	check_order(fx, queue, q + 1, 2);
	check_all(fx);
}

static void a_row_of_qps_in_error_passes_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[8];
	u32 i;

	create_waiters(fx, queue, q, 8);
	for (i = 0; i < 7; i++)
		q[i]->qp->state = IB_QPS_ERR;
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	fx_settle(fx);
	check_order(fx, queue, q + 7, 1);
	EXPECT_EQ(test, atomic_read(&q[7]->ran), 1);
	check_all(fx);
}

static void a_responder_before_rts_is_not_in_error(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->rarr_queue;
	struct fx_qp *q[1];

	create_waiters(fx, queue, q, 1);
	q[0]->qp->state = IB_QPS_RTR;
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q[0]->ran), 1);
	check_order(fx, queue, q, 1);
}

static void flush_leaves_either_queue(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queues[] = {
		&fx->rcd->flow_queue, &fx->rcd->rarr_queue,
	};
	struct fx_qp *q[2][3];
	u32 i;

	for (i = 0; i < 2; i++)
		create_waiters(fx, queues[i], q[i], 3);
	for (i = 0; i < 2; i++) {
		fx_flush(q[i][1]);
		EXPECT_PTR_EQ(test, fx_queue_of(q[i][1]), NULL);
		EXPECT_EQ(test, atomic_read(&q[i][1]->qp->refcount), 1);
		EXPECT_FALSE(test, fx_woken(q[i][2]));
		check_all(fx);
	}
}

static void flush_of_a_head_wakes_the_next(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queues[] = {
		&fx->rcd->flow_queue, &fx->rcd->rarr_queue,
	};
	struct fx_qp *q[2][3];
	u32 i;

	for (i = 0; i < 2; i++)
		create_waiters(fx, queues[i], q[i], 3);
	for (i = 0; i < 2; i++) {
		fx_flush(q[i][0]);
		EXPECT_TRUE(test, fx_woken(q[i][1]));
		EXPECT_FALSE(test, fx_woken(q[i][2]));
		check_order(fx, queues[i], q[i] + 1, 2);
		check_all(fx);
	}
}

static void flush_of_who_does_not_wait_does_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[1], *idle = fx_qp_create(fx);

	create_waiters(fx, &fx->rcd->flow_queue, q, 1);
	fx_flush(idle);
	EXPECT_FALSE(test, fx_woken(q[0]));
	check_order(fx, &fx->rcd->flow_queue, q, 1);
	check_all(fx);
}

/* The order of events of the lost wakeup in the in-tree code. */
static void a_head_reset_while_its_wakeup_is_pending(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	struct fx_qp *q[2];

	create_waiters(fx, queue, q, 2);
	tid_rdma_schedule_tid_wakeup(first(fx, queue));
	fx_qp_reset(q[0]);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 1);
	EXPECT_TRUE(test, fx_woken(q[1]));
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q[0]->ran), 0);
	EXPECT_EQ(test, atomic_read(&q[1]->ran), 1);
}

static void positions_stay_true_when_any_waiter_leaves(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->rarr_queue;
	static const u32 leaving[] = { 4, 0, 7, 2, 3, 1, 5, 6 };
	struct fx_qp *q[8];
	u32 i;

	create_waiters(fx, queue, q, 8);
	for (i = 0; i < ARRAY_SIZE(leaving); i++) {
		fx_flush(q[leaving[i]]);
		check_positions(fx, queue);
		enqueue(q[leaving[i]], queue);
		check_positions(fx, queue);
		fx_flush(q[leaving[i]]);
		check_all(fx);
	}
}

static void settle_counts_anew_and_wakes_both_heads(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *flow[2], *rarr[2];

	create_waiters(fx, &fx->rcd->flow_queue, flow, 2);
	create_waiters(fx, &fx->rcd->rarr_queue, rarr, 2);
	/* What in-tree code leaves behind after two TID waiters are flushed. */
	fx->rcd->flow_queue.dequeue += 2;
	fx->rcd->rarr_queue.enqueue += 2;
	rarr[1]->priv->tid_enqueue += 2;
	tid_wait_settle(fx->rcd);
	check_all(fx);
	EXPECT_TRUE(test, fx_woken(flow[0]));
	EXPECT_TRUE(test, fx_woken(rarr[0]));
	EXPECT_FALSE(test, fx_woken(flow[1]));
	EXPECT_FALSE(test, fx_woken(rarr[1]));
}

static void statistics_tell_what_happened(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct tid_queue *queue = &fx->rcd->flow_queue;
	static const int want[TID_COUNTERS] = {
		[TID_WAITS] = 3, [TID_GRANTS] = 1, [TID_WAKEUPS] = 1,
		[TID_FUTILE] = 1, [TID_PASSED_ON] = 1, [TID_FLUSHED] = 1,
	};
	struct tid_wait_stats stats;
	struct fx_qp *q[3];
	u32 i;

	EXPECT_FALSE(test, tid_wait_read_stats(fx->rcd, &stats));
	EXPECT_EQ(test, atomic64_read(&stats.count[TID_WAITS]), 0);
	create_waiters(fx, queue, q, 3);
	enqueue(q[0], queue);
	dequeue(q[0], queue);
	fx_flush(q[1]);
	EXPECT_TRUE(test, tid_wait_read_stats(fx->rcd, &stats));
	for (i = 0; i < TID_COUNTERS; i++)
		EXPECT_EQ(test, atomic64_read(&stats.count[i]), want[i]);
	EXPECT_GT(test, atomic64_read(&stats.longest_wait), 0);
	tid_wait_forget_context(fx->rcd);
	EXPECT_FALSE(test, tid_wait_read_stats(fx->rcd, &stats));
}

static void qp_0_is_served_by_context_0(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	fake_hw_set_qp_map(0, 3);
	q->qp->ibqp.qp_num = 0;
	EXPECT_PTR_EQ(test, qp_to_rcd(&fx->dd->verbs_dev.rdi, q->qp),
		      fx->rcds[0]);
}

static void other_qps_are_spread_by_the_qp_map(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	fx->dd->qos_shift = 1;
	fake_hw_set_qp_map(0, 3);
	fake_hw_set_qp_map(21, 2);
	fake_hw_set_qp_map(42, 1);
	q->qp->ibqp.qp_num = 42;
	EXPECT_PTR_EQ(test, qp_to_rcd(&fx->dd->verbs_dev.rdi, q->qp),
		      fx->rcds[2]);
	q->qp->ibqp.qp_num = 1;
	EXPECT_PTR_EQ(test, qp_to_rcd(&fx->dd->verbs_dev.rdi, q->qp),
		      fx->rcds[3]);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(first_qp_of_an_empty_queue_is_null),
	KTAP_CASE(first_qp_holds_the_head),
	KTAP_CASE(nobody_waits_on_an_empty_queue),
	KTAP_CASE(the_flagged_head_need_not_wait),
	KTAP_CASE(a_head_without_its_flag_must_wait),
	KTAP_CASE(queueing_appends_flags_counts_and_holds),
	KTAP_CASE(queueing_twice_keeps_the_place),
	KTAP_CASE(queueing_elsewhere_moves_the_qp),
	KTAP_CASE(a_head_that_moves_wakes_the_next),
	KTAP_CASE(a_qp_in_error_is_not_queued),
	KTAP_CASE(dequeueing_unlinks_unflags_and_counts),
	KTAP_CASE(dequeueing_who_does_not_wait_does_nothing),
	KTAP_CASE(a_grant_of_the_other_kind_keeps_the_place),
	KTAP_CASE(trigger_schedules_only_who_waits),
	KTAP_CASE(triggering_a_qp_in_error_passes_on),
	KTAP_CASE(a_wakeup_of_nobody_is_fine),
	KTAP_CASE(a_wakeup_keeps_one_reference_while_pending),
	KTAP_CASE(resume_runs_the_engine_of_who_waits),
	KTAP_CASE(resume_leaves_alone_who_does_not_wait),
	KTAP_CASE(resume_of_a_qp_in_error_passes_on),
	KTAP_CASE(a_row_of_qps_in_error_passes_on),
	KTAP_CASE(a_responder_before_rts_is_not_in_error),
	KTAP_CASE(flush_leaves_either_queue),
	KTAP_CASE(flush_of_a_head_wakes_the_next),
	KTAP_CASE(flush_of_who_does_not_wait_does_nothing),
	KTAP_CASE(a_head_reset_while_its_wakeup_is_pending),
	KTAP_CASE(positions_stay_true_when_any_waiter_leaves),
	KTAP_CASE(settle_counts_anew_and_wakes_both_heads),
	KTAP_CASE(statistics_tell_what_happened),
	KTAP_CASE(qp_0_is_served_by_context_0),
	KTAP_CASE(other_qps_are_spread_by_the_qp_map),
};

const struct ktap_suite tid_wait_suite = {
	.name = "tid_wait",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
