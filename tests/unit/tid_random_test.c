// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of everything that can happen to the QPs of a context, one
 * step at a time, held against a model of the two queues. Work items and send
 * engines run when the sequence says so, so that a seed repeats a run.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "checks.h"
#include "suites.h"

#define MAX_SEG_PAGES	32
#define STEPS		20000

/**
 * struct line - a queue as it must be
 * @queue: the queue
 * @qps: its waiters in order
 * @n: how many
 */
struct line {
	struct tid_queue *queue;
	struct fx_qp *qps[FX_MAX_QPS];
	u32 n;
};

/**
 * struct world - the model
 * @fx: the fixture
 * @flows: the line for flows
 * @tids: the line for TIDs
 * @responders: the first QPs have nothing to flush on an error
 * @waits: how often somebody was refused
 */
struct world {
	struct fx *fx;
	struct line flows;
	struct line tids;
	u32 responders;
	u32 waits;
};

static int place_in(struct line *line, struct fx_qp *q)
{
	u32 i;

	for (i = 0; i < line->n; i++)
		if (line->qps[i] == q)
			return i;
	return -1;
}

static void leave(struct line *line, struct fx_qp *q)
{
	int i = place_in(line, q);

	if (i < 0)
		return;
	line->n--;
	memmove(&line->qps[i], &line->qps[i + 1],
		(line->n - i) * sizeof(line->qps[0]));
}

static void leave_both(struct world *w, struct fx_qp *q)
{
	leave(&w->flows, q);
	leave(&w->tids, q);
}

static void join(struct world *w, struct line *line, struct fx_qp *q)
{
	w->waits++;
	if (place_in(line, q) >= 0)
		return;
	leave_both(w, q);
	line->qps[line->n++] = q;
}

static bool others_ahead(struct line *line, struct fx_qp *q)
{
	return line->n && line->qps[0] != q;
}

/* How many TIDs the next segment of a QP takes. */
static u32 need_of(struct fx_qp *q)
{
	struct tid_rdma_pageset sets[FX_SEG_PAGES];
	struct page *pages[MAX_SEG_PAGES];
	u32 i, first = q->done * q->seg_pages;

	for (i = 0; i < q->seg_pages; i++)
		pages[i] = q->fx->hw->arena + q->pages[first + i];
	if (q->qp->pmtu == 4096)
		return tid_rdma_find_phys_blocks_4k(q->req->flows, pages, i,
						    sets);
	return tid_rdma_find_phys_blocks_8k(q->req->flows, pages, i, sets);
}

static bool has_work(struct fx_qp *q)
{
	return q->req->flows && (q->done + 1) * q->seg_pages <= q->npages;
}

static void post(struct fx_qp *q)
{
	struct fx *fx = q->fx;
	u32 seg_pages = 1 + fx_random(fx, MAX_SEG_PAGES);
	u32 nsegs = 1 + fx_random(fx, 6);

	if (fx_random(fx, 2))
		fx_post_random(q, nsegs, seg_pages);
	else
		fx_post_scattered(q, nsegs, seg_pages);
}

static bool ask_for_flow(struct world *w, struct fx_qp *q)
{
	struct ktap_test *test = w->fx->test;
	bool grant = !others_ahead(&w->flows, q) && fx_free_flows(w->fx);

	if (!EXPECT_EQ(test, fx_take_flow(q), grant ? 0 : -EAGAIN))
		return false;
	if (grant)
		leave(&w->flows, q);
	else
		join(w, &w->flows, q);
	return grant;
}

static bool ask_for_tids(struct world *w, struct fx_qp *q)
{
	struct ktap_test *test = w->fx->test;
	bool grant = !others_ahead(&w->tids, q) &&
		     need_of(q) <= fx_free_tids(w->fx);
	bool fail = !fx_random(w->fx, 40);
	int want = grant ? 0 : -EAGAIN;

	if (grant && fail) {
		atomic_set(&w->fx->hw->fail_map, 1);
		want = -ENOMEM;
	}
	if (!EXPECT_EQ(test, fx_setup(q), want))
		return false;
	if (!grant)
		join(w, &w->tids, q);
	else
		leave(&w->tids, q);
	if (want == -ENOMEM) {
		fx_stop_kmem_wait(q);
		/* hfi1 schedules it when its memory timer fires. */
		atomic_inc(&q->scheduled);
	}
	return !want;
}

/* What hfi1's send engine does about a QP's next segment. */
static void run_engine(struct world *w, struct fx_qp *q)
{
	struct tid_flow_state *fs = &q->priv->flow_state;

	if (q->qp->state == IB_QPS_ERR) {
		u32 i = q->qp->ibqp.qp_num - 16;

		if (i < w->responders || !q->req->flows)
			return;
		spin_lock_irq(&q->qp->s_lock);
		__trdma_clean_swqe(q->qp, q->wqe);
		spin_unlock_irq(&q->qp->s_lock);
		leave_both(w, q);
	}
	while (q->qp->state == IB_QPS_RTS && has_work(q)) {
		if (fx_live_segments(q) >= 6)
			return;
		if (fs->index != FX_NO_FLOW && fs->psn + MAX_SEG_PAGES > 2047) {
			if (fx_live_segments(q))
				return;
			fx_give_flow(q);
		}
		if (fs->index == FX_NO_FLOW && !ask_for_flow(w, q))
			return;
		if (!ask_for_tids(w, q) || fx_random(w->fx, 2))
			return;
	}
}

static void deliver(struct world *w, struct fx_qp *q)
{
	bool dead = q->qp->state == IB_QPS_ERR;

	if (fx_run_wakeup(q)) {
		if (dead)
			leave_both(w, q);
		if (atomic_xchg(&q->ran, 0))
			run_engine(w, q);
	} else if (atomic_xchg(&q->scheduled, 0)) {
		run_engine(w, q);
	}
}

/* The data of the oldest segment is in, or the request is done with. */
static void complete_one(struct world *w, struct fx_qp *q)
{
	if (fx_live_segments(q))
		EXPECT_EQ(w->fx->test, fx_clear(q), 0);
	else
		fx_give_flow(q);
}

static void reset(struct world *w, struct fx_qp *q)
{
	fx_qp_reset(q);
	leave_both(w, q);
	post(q);
}

static void step(struct world *w)
{
	struct fx_qp *q = w->fx->qps[fx_random(w->fx, w->fx->nqps)];
	u32 dice = fx_random(w->fx, 100);

	if (dice < 30) {
		deliver(w, q);
	} else if (dice < 60) {
		if (!has_work(q) && !fx_live_segments(q) && q->req->flows)
			post(q);
		run_engine(w, q);
	} else if (dice < 90) {
		if (q->qp->state == IB_QPS_RTS)
			complete_one(w, q);
	} else if (dice < 94) {
		fx_clear_all(q);
	} else if (dice < 97) {
		q->qp->state = IB_QPS_ERR;
	} else {
		reset(w, q);
	}
}

/* A QP in error may leave its queue at any time. */
static void forget_the_dead(struct world *w)
{
	u32 i;

	for (i = 0; i < w->fx->nqps; i++) {
		struct fx_qp *q = w->fx->qps[i];

		if (q->qp->state == IB_QPS_ERR &&
		    list_empty(&q->priv->tid_wait))
			leave_both(w, q);
	}
}

/* I2: a head whose need can be met has a wakeup coming. */
static bool nothing_lost(struct world *w)
{
	struct ktap_test *test = w->fx->test;
	bool ok = true;

	if (w->flows.n && fx_free_flows(w->fx))
		ok &= EXPECT_TRUE(test, fx_woken(w->flows.qps[0]));
	if (w->tids.n && need_of(w->tids.qps[0]) <= fx_free_tids(w->fx))
		ok &= EXPECT_TRUE(test, fx_woken(w->tids.qps[0]));
	return ok;
}

static void run(struct ktap_test *test, u32 nqps, u32 ngroups, u32 steps)
{
	struct world *w = kzalloc_obj(*w);
	u32 i;

	w->fx = test->priv;
	w->flows.queue = &w->fx->rcd->flow_queue;
	w->tids.queue = &w->fx->rcd->rarr_queue;
	w->responders = nqps / 4;
	fx_set_groups(w->fx, ngroups);
	for (i = 0; i < nqps; i++) {
		struct fx_qp *q = fx_qp_create(w->fx);

		q->qp->pmtu = i & 1 ? 8192 : 4096;
		post(q);
	}
	for (i = 0; i < steps && !test->failures; i++) {
		step(w);
		forget_the_dead(w);
		check_order(w->fx, w->flows.queue, w->flows.qps, w->flows.n);
		check_order(w->fx, w->tids.queue, w->tids.qps, w->tids.n);
		check_waiters(w->fx);
		check_flows(w->fx);
		check_tids(w->fx);
		nothing_lost(w);
		if (i % 16 == 0)
			check_device(w->fx);
		cond_resched();
	}
	if (test->failures)
		ktap_note(test, "at step %u of seed %llu", i, test->seed);
	/* A sequence in which nobody waits shows nothing. */
	EXPECT_GT(test, w->waits, steps / 50);
	kfree(w);
}

static void few_tids_and_plenty_of_flows(struct ktap_test *test)
{
	run(test, 12, 6, STEPS);
}

static void few_flows_and_plenty_of_tids(struct ktap_test *test)
{
	run(test, 48, FX_MAX_GROUPS, STEPS);
}

static void few_flows_and_few_tids(struct ktap_test *test)
{
	run(test, 44, 16, STEPS);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(few_tids_and_plenty_of_flows),
	KTAP_CASE(few_flows_and_plenty_of_tids),
	KTAP_CASE(few_flows_and_few_tids),
};

const struct ktap_suite tid_random_suite = {
	.name = "tid_random",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
