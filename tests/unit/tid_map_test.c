// SPDX-License-Identifier: GPL-2.0
/* Mappings that fail: what was mapped is undone, the QP waits for memory, and tries anew. */

#include <linux/completion.h>
#include <linux/seqlock.h>
#include <linux/timer.h>

#include "checks.h"
#include "suites.h"

/* How often one event is in the log, of any address. */
static u32 events(struct fx *fx, enum fake_event_kind kind)
{
	u32 i, n = 0;

	for (i = 0; i < fx->hw->nlog; i++)
		n += fx->hw->log[i].kind == kind;
	return n;
}

static int setup_that_fails(struct fx_qp *q, u32 nth)
{
	atomic_set(&q->fx->hw->fail_map, nth);
	return fx_setup(q);
}

/* What hfi1's timer does to the QP that has waited longest. */
static void end_wait(struct fx_qp *q)
{
	fx_stop_kmem_wait(q);
}

static void exactly_what_was_mapped_is_unmapped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 64);
	u32 nth, i;

	fx->hw->logging = true;
	for (nth = 1; nth <= 64 && !test->failures; nth++) {
		fx->hw->nlog = 0;
		EXPECT_EQ(test, setup_that_fails(q, nth), -ENOMEM);
		EXPECT_EQ(test, events(fx, FAKE_EVENT_MAP), nth - 1);
		EXPECT_EQ(test, events(fx, FAKE_EVENT_UNMAP), nth - 1);
		EXPECT_EQ(test, events(fx, FAKE_EVENT_PROGRAM), 0);
		for (i = 0; i < nth - 1; i++) {
			u64 addr = fake_hw_iova(q->pages[i]);

			EXPECT_NE(test,
				  fake_hw_event(fx->hw, FAKE_EVENT_UNMAP, addr),
				  UINT_MAX);
		}
		EXPECT_EQ(test, atomic_read(&fx->hw->errors), 0);
		EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
	}
}

/* Pieces of one, two and four pages, and an empty set that makes them even. */
static void pieces_of_any_size_are_unmapped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);
	u32 nth;

	fx_post_contiguous(q, 1, 7);
	for (nth = 1; nth <= 3; nth++) {
		EXPECT_EQ(test, setup_that_fails(q, nth), -ENOMEM);
		check_all(fx);
	}
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 7);
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, atomic_read(&fx->hw->errors), 0);
	check_all(fx);
}

/* A QP has one array of pages for all its requests. */
static void a_retry_finds_its_pages_anew(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 16);
	u32 i;

	EXPECT_EQ(test, setup_that_fails(q, 9), -ENOMEM);
	end_wait(q);
	for (i = 0; i < 64; i++)
		q->priv->pages[i] = fx->hw->arena + FAKE_ARENA_PAGES - 1;
	for (i = 0; i < 2; i++)
		EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 16);
	check_segment(q, fx_segment(q, 1), q->pages + 16, 16);
	check_all(fx);
}

static void a_retry_may_be_of_another_buffer(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);
	struct fx_qp *other = fx_scattered(fx, 1, 16);

	EXPECT_EQ(test, setup_that_fails(q, 16), -ENOMEM);
	fx_qp_reset(q);
	EXPECT_EQ(test, fx_setup(other), 0);
	fx_take_flow(q);
	fx_post_contiguous(q, 1, 4);
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 4);
	check_all(fx);
}

static void a_failure_moves_nothing_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 3, 16);
	struct rvt_sge_state before;

	EXPECT_EQ(test, fx_setup(q), 0);
	before = q->ss;
	EXPECT_EQ(test, setup_that_fails(q, 5), -ENOMEM);
	EXPECT_EQ(test, q->req->setup_head, 1);
	EXPECT_EQ(test, q->req->isge, 0);
	EXPECT_EQ(test, q->priv->flow_state.psn, 16);
	EXPECT_PTR_EQ(test, q->ss.sge.vaddr, before.sge.vaddr);
	EXPECT_EQ(test, q->ss.sge.sge_length, before.sge.sge_length);
	EXPECT_EQ(test, q->ss.sge.length, before.sge.length);
	EXPECT_EQ(test, q->ss.sge.n, before.sge.n);
	EXPECT_EQ(test, q->ss.sge.m, before.sge.m);
	check_segment(q, fx_segment(q, 0), q->pages, 16);
	check_all(fx);
}

/* A seqlock's writers leave their mark on its sequence. */
static void the_wait_is_begun_under_its_lock(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct hfi1_ibdev *dev = &fx->dd->verbs_dev;
	struct fx_qp *q = fx_scattered(fx, 2, 16);
	unsigned int seq;

	seq = read_seqbegin(&dev->iowait_lock);
	EXPECT_EQ(test, setup_that_fails(q, 3), -ENOMEM);
	EXPECT_TRUE(test, read_seqretry(&dev->iowait_lock, seq));
	EXPECT_PTR_EQ(test, q->priv->s_iowait.lock, &dev->iowait_lock);
	end_wait(q);

	/* Who needs no wait leaves the lock alone. */
	seq = read_seqbegin(&dev->iowait_lock);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_FALSE(test, read_seqretry(&dev->iowait_lock, seq));
}

static void who_waits_for_memory_waits_for_nothing_else(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;

	fx_clear(fx_waiters(fx, &q, 1, 16));
	EXPECT_EQ(test, setup_that_fails(q, 3), -ENOMEM);
	EXPECT_EQ(test, q->qp->s_flags & HFI1_S_WAIT_TID_SPACE, 0);
	EXPECT_NE(test, q->qp->s_flags & RVT_S_WAIT_KMEM, 0);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	/* Its own, and that of the wait for memory: none of the queue's. */
	fx_forget_wakeups(q);
	EXPECT_EQ(test, atomic_read(&q->qp->refcount), 2);
	check_all(fx);
}

static void who_fails_again_is_counted_once(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct hfi1_ibdev *dev = &fx->dd->verbs_dev;
	struct fx_qp *q[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		q[i] = fx_scattered(fx, 1, 16);
		EXPECT_EQ(test, setup_that_fails(q[i], 1), -ENOMEM);
	}
	EXPECT_EQ(test, setup_that_fails(q[0], 2), -ENOMEM);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 2);
	EXPECT_PTR_EQ(test, dev->memwait.next, &q[0]->priv->s_iowait.list);
	EXPECT_PTR_EQ(test, dev->memwait.prev, &q[1]->priv->s_iowait.list);
	for (i = 0; i < 2; i++) {
		end_wait(q[i]);
		EXPECT_EQ(test, atomic_read(&q[i]->qp->refcount), 1);
		EXPECT_EQ(test, fx_setup(q[i]), 0);
	}
	EXPECT_TRUE(test, list_empty(&dev->memwait));
}

static struct completion woken;

static void wake(struct timer_list *unused)
{
	complete(&woken);
}

/* The timer wakes one QP at a time, and sets itself again while others wait. */
static void the_first_to_wait_sets_the_timer(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct timer_list *timer = &fx->dd->verbs_dev.mem_timer;
	struct fx_qp *q[2] = {
		fx_scattered(fx, 1, 16), fx_scattered(fx, 1, 16),
	};

	init_completion(&woken);
	timer_setup(timer, wake, 0);
	EXPECT_EQ(test, setup_that_fails(q[0], 1), -ENOMEM);
	EXPECT_NE(test, wait_for_completion_timeout(&woken, 60 * HZ), 0);
	EXPECT_EQ(test, setup_that_fails(q[1], 1), -ENOMEM);
	EXPECT_FALSE(test, timer_pending(timer));

	end_wait(q[0]);
	end_wait(q[1]);
	EXPECT_EQ(test, setup_that_fails(q[1], 1), -ENOMEM);
	EXPECT_NE(test, wait_for_completion_timeout(&woken, 60 * HZ), 0);
}

static void the_tids_of_a_failure_serve_the_next(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[3];
	u32 i;

	fx_clear(fx_waiters(fx, q, 3, 16));
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(test, fx_woken(q[i]));
		EXPECT_EQ(test, setup_that_fails(q[i], 16), -ENOMEM);
		EXPECT_EQ(test, fx_free_tids(fx), 16);
	}
	EXPECT_TRUE(test, fx_woken(q[2]));
	EXPECT_EQ(test, fx_setup(q[2]), 0);

	/* They had their turn: their retry goes behind whoever waits now. */
	end_wait(q[0]);
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_queue_length(&fx->rcd->rarr_queue), 1);
	check_all(fx);
}

static void random_failures_leave_nothing_behind(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[4];
	u32 round, i, failed = 0;

	for (i = 0; i < 4; i++)
		q[i] = fx_taker(fx);
	for (round = 0; round < 1000 && !test->failures; round++) {
		struct fx_qp *one = q[fx_random(fx, 4)];
		u32 need = 1 + fx_random(fx, 30);
		int ret;

		one->priv->flow_state.psn = 0;
		if (fx_live_segments(one)) {
			fx_clear(one);
			continue;
		}
		end_wait(one);
		fx_post_random(one, 1, need);
		ret = setup_that_fails(one, fx_random(fx, 8));
		atomic_set(&fx->hw->fail_map, 0);
		failed += ret == -ENOMEM;
		if (!ret)
			check_segment(one, fx_segment(one, 0), one->pages, need);
		check_all(fx);
	}
	EXPECT_GT(test, failed, 50);
	EXPECT_EQ(test, atomic_read(&fx->hw->errors), 0);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(exactly_what_was_mapped_is_unmapped),
	KTAP_CASE(pieces_of_any_size_are_unmapped),
	KTAP_CASE(a_retry_finds_its_pages_anew),
	KTAP_CASE(a_retry_may_be_of_another_buffer),
	KTAP_CASE(a_failure_moves_nothing_on),
	KTAP_CASE(the_wait_is_begun_under_its_lock),
	KTAP_CASE(who_waits_for_memory_waits_for_nothing_else),
	KTAP_CASE(who_fails_again_is_counted_once),
	KTAP_CASE(the_first_to_wait_sets_the_timer),
	KTAP_CASE(the_tids_of_a_failure_serve_the_next),
	KTAP_CASE(random_failures_leave_nothing_behind),
};

const struct ktap_suite tid_map_suite = {
	.name = "tid_map",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
