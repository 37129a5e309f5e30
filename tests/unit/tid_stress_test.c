// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads and the wakeups' work items on the QPs of one context, at once,
 * for a bounded number of operations. Afterwards nothing may be left, and who
 * still waits must get what it waits for through wakeups alone.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>

#include "checks.h"
#include "suites.h"

#define STRESS_THREADS	2
#define STRESS_OPS	100000
#define STRESS_PAGES	8
#define STRESS_SEGS	(FX_MAX_PAGES / STRESS_PAGES)
#define STRESS_DRAIN_MS	20000

/**
 * struct stress - what the threads share
 * @fx: the fixture
 * @flow_owners: how many QPs believe that they own a flow
 * @errors: flows owned twice, unexpected results
 * @granted: segments set up
 * @refused: times somebody had to wait
 * @drain: give everything back at once
 */
struct stress {
	struct fx *fx;
	atomic_t flow_owners[FAKE_FLOWS];
	atomic_t errors;
	atomic_t granted;
	atomic_t refused;
	bool drain;
};

/**
 * struct stress_thread - one of the threads
 * @s: what they share
 * @rnd: its random numbers
 * @id: its number; it resets the QPs of that parity
 * @run: what it does
 * @done: it has done its operations
 */
struct stress_thread {
	struct stress *s;
	struct rnd_state rnd;
	u32 id;
	void (*run)(struct stress_thread *t);
	struct completion done;
};

/* The send engine's callback gets a QP only; there is one case at a time. */
static struct stress stress;

static bool stress_own(struct fx_qp *q)
{
	struct tid_flow_state *fs = &q->priv->flow_state;
	int ret;

	if (fs->index != FX_NO_FLOW)
		return true;
	ret = hfi1_kern_setup_hw_flow(q->priv->rcd, q->qp);
	if (ret) {
		atomic_inc(ret == -EAGAIN ? &stress.refused : &stress.errors);
		return false;
	}
	if (atomic_inc_return(&stress.flow_owners[fs->index]) != 1)
		atomic_inc(&stress.errors);
	return true;
}

static void stress_disown(struct fx_qp *q)
{
	struct tid_flow_state *fs = &q->priv->flow_state;

	if (fs->index == FX_NO_FLOW)
		return;
	atomic_dec(&stress.flow_owners[fs->index]);
	hfi1_kern_clear_hw_flow(q->priv->rcd, q->qp);
}

static bool stress_segment(struct fx_qp *q)
{
	struct tid_rdma_flow *flow;
	bool last;
	u32 first;
	int ret;

	if (q->done == STRESS_SEGS)
		fx_post_scattered(q, STRESS_SEGS, STRESS_PAGES);
	first = q->done * STRESS_PAGES;
	flow = &q->req->flows[q->req->setup_head];
	ret = hfi1_kern_exp_rcv_setup(q->req, &q->ss, &last);
	if (ret) {
		atomic_inc(ret == -EAGAIN ? &stress.refused : &stress.errors);
		return false;
	}
	check_segment(q, flow, &q->pages[first], STRESS_PAGES);
	atomic_inc(&stress.granted);
	q->done++;
	q->want--;
	return true;
}

/* With s_lock: give back what is not needed any more. */
static void stress_release(struct fx_qp *q)
{
	bool psn_used_up = q->priv->flow_state.psn > 2000;

	if (fx_live_segments(q))
		hfi1_kern_exp_rcv_clear(q->req);
	if (!fx_live_segments(q) && (!q->want || psn_used_up))
		stress_disown(q);
}

static void stress_engine(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	while (q->qp->state == IB_QPS_RTS && q->want &&
	       fx_live_segments(q) < 6) {
		if (q->priv->flow_state.psn > 2000) {
			if (fx_live_segments(q))
				break;
			stress_disown(q);
		}
		if (!stress_own(q) || !stress_segment(q))
			break;
		if (stress.drain)
			stress_release(q);
	}
	spin_unlock_irq(&q->qp->s_lock);
}

static void stress_error(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	if (q->qp->state == IB_QPS_RTS)
		q->qp->state = IB_QPS_ERR;
	spin_unlock_irq(&q->qp->s_lock);
}

static void stress_reset(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	q->qp->state = IB_QPS_RESET;
	q->want = 0;
	if (q->priv->flow_state.index != FX_NO_FLOW)
		atomic_dec(&stress.flow_owners[q->priv->flow_state.index]);
	spin_unlock_irq(&q->qp->s_lock);
	fx_qp_leave(q);
	spin_lock_irq(&q->qp->s_lock);
	fx_post_scattered(q, STRESS_SEGS, STRESS_PAGES);
	q->qp->state = IB_QPS_RTS;
	spin_unlock_irq(&q->qp->s_lock);
}

static void stress_step(struct stress_thread *t)
{
	struct fx *fx = t->s->fx;
	struct fx_qp *q = fx->qps[prandom_u32_state(&t->rnd) % fx->nqps];
	u32 dice = prandom_u32_state(&t->rnd) % 100;
	bool mine = (q->qp->ibqp.qp_num & 1) == t->id;

	if (dice < 45) {
		spin_lock_irq(&q->qp->s_lock);
		if (q->qp->state == IB_QPS_RTS && q->want < 8)
			q->want += 1 + dice % 4;
		spin_unlock_irq(&q->qp->s_lock);
		stress_engine(q);
	} else if (dice < 95) {
		spin_lock_irq(&q->qp->s_lock);
		if (q->qp->state == IB_QPS_RTS)
			stress_release(q);
		spin_unlock_irq(&q->qp->s_lock);
		stress_engine(q);
	} else if (dice < 96) {
		stress_error(q);
	} else if (mine) {
		stress_reset(q);
	}
}

static void stress_steps(struct stress_thread *t)
{
	u32 i;

	for (i = 0; i < STRESS_OPS; i++) {
		stress_step(t);
		/* Wakeups need a CPU too, or nobody is ever granted anything. */
		if (i % 32 == 0)
			usleep_range(10, 50);
	}
}

static int stress_main(void *data)
{
	struct stress_thread *t = data;

	t->run(t);
	complete(&t->done);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void stress_threads(struct stress *s,
			   void (*run)(struct stress_thread *t))
{
	struct task_struct *tasks[STRESS_THREADS];
	struct stress_thread threads[STRESS_THREADS];
	u32 i;

	for (i = 0; i < STRESS_THREADS; i++) {
		struct stress_thread *t = &threads[i];

		t->s = s;
		t->id = i;
		t->run = run;
		init_completion(&t->done);
		prandom_seed_state(&t->rnd, s->fx->test->seed + i);
		tasks[i] = kthread_create(stress_main, t, "tid_stress/%u", i);
		if (!EXPECT_FALSE(s->fx->test, IS_ERR(tasks[i])))
			tasks[i] = NULL;
		else
			kthread_bind(tasks[i], i % num_online_cpus());
	}
	for (i = 0; i < STRESS_THREADS; i++)
		if (tasks[i])
			wake_up_process(tasks[i]);
	for (i = 0; i < STRESS_THREADS; i++) {
		if (!tasks[i])
			continue;
		wait_for_completion(&threads[i].done);
		kthread_stop(tasks[i]);
	}
}

static u32 stress_unserved(struct fx *fx)
{
	u32 i, n = 0;

	for (i = 0; i < fx->nqps; i++)
		n += !!READ_ONCE(fx->qps[i]->want);
	return n;
}

/* All give back what they hold; who waits is served by wakeups alone. */
static void stress_drain(struct stress *s)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(STRESS_DRAIN_MS);
	struct fx *fx = s->fx;
	u32 i;

	WRITE_ONCE(s->drain, true);
	for (i = 0; i < fx->nqps; i++) {
		struct fx_qp *q = fx->qps[i];
		bool waits;

		if (q->qp->state == IB_QPS_ERR)
			stress_reset(q);
		spin_lock_irq(&q->qp->s_lock);
		while (fx_live_segments(q))
			stress_release(q);
		stress_release(q);
		waits = q->qp->s_flags & HFI1_S_WAIT_TID_SPACE;
		spin_unlock_irq(&q->qp->s_lock);
		if (!waits)
			stress_engine(q);
	}
	while (stress_unserved(fx) && time_before(jiffies, deadline))
		msleep(20);
	EXPECT_EQ(fx->test, stress_unserved(fx), 0);
}

static void stress_run(struct ktap_test *test, u32 nqps, u32 ngroups)
{
	struct fx *fx = test->priv;
	u32 i;

	memset(&stress, 0, sizeof(stress));
	stress.fx = fx;
	fx->check_locks = false;
	fx_set_groups(fx, ngroups);
	for (i = 0; i < nqps; i++)
		fx_post_scattered(fx_qp_create(fx), STRESS_SEGS, STRESS_PAGES);
	fx->run = stress_engine;
	fx_open_gate(fx);
	stress_threads(&stress, stress_steps);
	stress_drain(&stress);
	fx_settle(fx);
	fx->run = NULL;

	EXPECT_EQ(test, atomic_read(&stress.errors), 0);
	/* How many depends on the machine; without any it shows nothing. */
	EXPECT_GT(test, atomic_read(&stress.granted), STRESS_OPS / 100);
	EXPECT_GT(test, atomic_read(&stress.refused), STRESS_OPS / 100);
	check_quiet(fx);
}

static void threads_contend_for_tids(struct ktap_test *test)
{
	stress_run(test, 16, 4);
}

static void threads_contend_for_flows(struct ktap_test *test)
{
	stress_run(test, 60, FX_MAX_GROUPS);
}

static void threads_contend_for_both(struct ktap_test *test)
{
	stress_run(test, 60, 16);
}

/* Put a QP to sleep and let it leave, again and again: it is alone on its context. */
static void sleeper_run(struct stress_thread *t)
{
	struct fx_qp *q = t->s->fx->qps[t->id];
	struct hfi1_ctxtdata *rcd = q->priv->rcd;
	u32 i;

	for (i = 0; i < STRESS_OPS; i++) {
		spin_lock_irq(&q->qp->s_lock);
		spin_lock(&rcd->exp_lock);
		queue_qp_for_tid_wait(rcd, &rcd->rarr_queue, q->qp);
		spin_unlock(&rcd->exp_lock);
		tid_wait_leave(q->qp);
		spin_unlock_irq(&q->qp->s_lock);
	}
}

/* hfi1's counter is one for all contexts, and each has a lock of its own. */
static void sleeps_on_two_contexts_are_all_counted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u64 before = fx->dd->verbs_dev.n_tidwait;
	u32 i;

	memset(&stress, 0, sizeof(stress));
	stress.fx = fx;
	fx->check_locks = false;
	for (i = 0; i < STRESS_THREADS; i++)
		fx_qp_create(fx)->priv->rcd = fx->rcds[i];
	stress_threads(&stress, sleeper_run);
	EXPECT_EQ(test, fx->dd->verbs_dev.n_tidwait - before,
		  STRESS_THREADS * STRESS_OPS);
	for (i = 0; i < STRESS_THREADS; i++)
		fx->qps[i]->priv->rcd = fx->rcd;
}

static const struct ktap_case cases[] = {
	KTAP_CASE(threads_contend_for_tids),
	KTAP_CASE(threads_contend_for_flows),
	KTAP_CASE(threads_contend_for_both),
	KTAP_CASE(sleeps_on_two_contexts_are_all_counted),
};

const struct ktap_suite tid_stress_suite = {
	.name = "tid_stress",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
