// SPDX-License-Identifier: GPL-2.0
/* The 32 flows of a context and their generations. */

#include "checks.h"
#include "suites.h"

static int reserve(struct fx *fx, int last)
{
	int ret;

	spin_lock_irq(&fx->rcd->exp_lock);
	ret = kern_reserve_flow(fx->rcd, last);
	spin_unlock_irq(&fx->rcd->exp_lock);
	return ret;
}

static void reserve_prefers_the_last_flow(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	EXPECT_EQ(test, reserve(fx, 17), 17);
	EXPECT_EQ(test, reserve(fx, 31), 31);
	EXPECT_EQ(test, fx->rcd->flow_mask, BIT(17) | BIT(31));
	fx->rcd->flow_mask = 0;
}

static void reserve_takes_another_if_the_last_is_taken(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	fx->rcd->flow_mask = 0xf;
	EXPECT_EQ(test, reserve(fx, 2), 4);
	EXPECT_EQ(test, fx->rcd->flow_mask, 0x1f);
	fx->rcd->flow_mask = 0;
}

static void reserve_without_preference_takes_any(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	unsigned long seen = 0;
	u32 i;

	for (i = 0; i < FAKE_FLOWS; i++) {
		int flow = reserve(fx, FX_NO_FLOW);

		if (!EXPECT_LE(test, 0, flow) || !EXPECT_LE(test, flow, 31))
			break;
		EXPECT_FALSE(test, seen & BIT(flow));
		seen |= BIT(flow);
	}
	EXPECT_EQ(test, seen, 0xffffffff);
	EXPECT_EQ(test, fx->rcd->flow_mask, seen);
	fx->rcd->flow_mask = 0;
}

static void reserve_fails_when_all_are_taken(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	fx->rcd->flow_mask = 0xffffffff;
	EXPECT_EQ(test, reserve(fx, 5), -EAGAIN);
	EXPECT_EQ(test, reserve(fx, FX_NO_FLOW), -EAGAIN);
	EXPECT_EQ(test, fx->rcd->flow_mask, 0xffffffff);
	fx->rcd->flow_mask = 0;
}

static void setup_takes_a_flow_and_programs_its_row(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);
	struct tid_flow_state *fs = &q->priv->flow_state;

	fs->psn = 77;
	fs->last_index = 9;
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, fs->index, 9);
	EXPECT_EQ(test, fs->last_index, 9);
	EXPECT_EQ(test, fs->psn, 0);
	EXPECT_EQ(test, fs->generation, 0x109);
	EXPECT_EQ(test, fake_hw_flow(FX_CTXT, 9), FAKE_FLOW_ACTIVE(0x109));
	check_all(fx);
}

static void setup_touches_no_other_context(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u32 ctxt, i;

	fx_taker(fx);
	for (ctxt = 0; ctxt < FAKE_CTXTS; ctxt++)
		for (i = 0; ctxt != FX_CTXT && i < FAKE_FLOWS; i++)
			EXPECT_EQ(test, fake_hw_flow(ctxt, i), FAKE_FLOW_IDLE);
}

static void setup_again_changes_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);
	struct tid_flow_state before;

	q->priv->flow_state.psn = 12;
	before = q->priv->flow_state;
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, q->priv->flow_state.index, before.index);
	EXPECT_EQ(test, q->priv->flow_state.psn, 12);
	EXPECT_EQ(test, q->priv->flow_state.generation, before.generation);
	check_all(fx);
}

static void setup_reuses_the_preferred_flow(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *a = fx_taker(fx), *b = fx_taker(fx);
	u8 flow = b->priv->flow_state.index;

	fx_give_flow(a);
	fx_give_flow(b);
	EXPECT_EQ(test, fx_take_flow(b), 0);
	EXPECT_EQ(test, b->priv->flow_state.index, flow);
	EXPECT_EQ(test, b->priv->flow_state.generation, 0x101 + flow);
}

static void setup_queues_when_all_are_taken(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[2];

	fx_take_all_flows(fx, takers);
	q[0] = fx_qp_create(fx);
	q[1] = fx_qp_create(fx);
	EXPECT_EQ(test, fx_take_flow(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_take_flow(q[1]), -EAGAIN);
	EXPECT_EQ(test, q[0]->priv->flow_state.index, FX_NO_FLOW);
	check_order(fx, &fx->rcd->flow_queue, q, 2);
	check_all(fx);
}

static void a_waiter_refused_again_keeps_its_place(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[2];

	fx_take_all_flows(fx, takers);
	q[0] = fx_qp_create(fx);
	q[1] = fx_qp_create(fx);
	fx_take_flow(q[0]);
	fx_take_flow(q[1]);
	EXPECT_EQ(test, fx_take_flow(q[0]), -EAGAIN);
	check_order(fx, &fx->rcd->flow_queue, q, 2);
	check_all(fx);
}

static void nobody_barges_past_the_head(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[3];
	u32 i;

	fx_take_all_flows(fx, takers);
	for (i = 0; i < 2; i++) {
		q[i] = fx_qp_create(fx);
		fx_take_flow(q[i]);
	}
	for (i = 0; i < 3; i++)
		fx_give_flow(takers[i]);
	q[2] = fx_qp_create(fx);
	EXPECT_EQ(test, fx_take_flow(q[2]), -EAGAIN);
	EXPECT_EQ(test, fx_take_flow(q[1]), -EAGAIN);
	check_order(fx, &fx->rcd->flow_queue, q, 3);
	EXPECT_EQ(test, fx_take_flow(q[0]), 0);
	EXPECT_EQ(test, fx_take_flow(q[1]), 0);
	EXPECT_EQ(test, fx_take_flow(q[2]), 0);
	check_all(fx);
}

static void a_grant_wakes_the_next_while_flows_are_free(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[3];
	u32 i;

	fx_take_all_flows(fx, takers);
	for (i = 0; i < 3; i++) {
		q[i] = fx_qp_create(fx);
		fx_take_flow(q[i]);
	}
	fx_give_flow(takers[0]);
	fx_give_flow(takers[1]);
	EXPECT_TRUE(test, fx_woken(q[0]));
	EXPECT_FALSE(test, fx_woken(q[1]));
	fx_forget_wakeups(q[0]);
	EXPECT_EQ(test, fx_take_flow(q[0]), 0);
	EXPECT_TRUE(test, fx_woken(q[1]));
	EXPECT_FALSE(test, fx_woken(q[2]));
	check_all(fx);
}

static void clear_frees_the_flow_and_idles_its_row(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);
	struct tid_flow_state *fs = &q->priv->flow_state;
	u8 flow = fs->index;

	fs->psn = 300;
	fx_give_flow(q);
	EXPECT_EQ(test, fs->index, FX_NO_FLOW);
	EXPECT_EQ(test, fs->last_index, flow);
	EXPECT_EQ(test, fs->psn, 0);
	EXPECT_EQ(test, fs->generation, FAKE_GEN_RESERVED);
	EXPECT_EQ(test, fx->rcd->flows[flow].generation, 0x101 + flow);
	EXPECT_EQ(test, fake_hw_flow(FX_CTXT, flow), FAKE_FLOW_IDLE);
	check_all(fx);
}

static void clear_wakes_the_head_only(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[2];

	fx_take_all_flows(fx, takers);
	q[0] = fx_qp_create(fx);
	q[1] = fx_qp_create(fx);
	fx_take_flow(q[0]);
	fx_take_flow(q[1]);
	fx_give_flow(takers[7]);
	EXPECT_TRUE(test, fx_woken(q[0]));
	EXPECT_FALSE(test, fx_woken(q[1]));
	check_all(fx);
}

static void clear_without_a_flow_does_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *waiter;

	fx_take_all_flows(fx, takers);
	waiter = fx_qp_create(fx);
	fx_take_flow(waiter);
	fx_give_flow(takers[3]);
	fx_forget_wakeups(waiter);
	fx_give_flow(takers[3]);
	EXPECT_EQ(test, fx->rcd->flows[3].generation, 0x104);
	EXPECT_FALSE(test, fx_woken(waiter));
	check_all(fx);
}

static void a_generation_skips_the_reserved_value(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;

	fx->rcd->flows[0].generation = FAKE_GEN_RESERVED - 1;
	q = fx_qp_create(fx);
	q->priv->r_next_psn_kdeth = 0xffff0u << 11;
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, q->priv->flow_state.generation, 0xffffe);
	EXPECT_EQ(test, fake_hw_flow(FX_CTXT, 0), FAKE_FLOW_ACTIVE(0xffffe));
	fx_give_flow(q);
	EXPECT_EQ(test, fx->rcd->flows[0].generation, 0);
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, fake_hw_flow(FX_CTXT, 0), FAKE_FLOW_ACTIVE(0));
	check_all(fx);
}

static void a_generation_from_a_resync_is_kept(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	q->priv->flow_state.generation = 0x54321;
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, q->priv->flow_state.generation, 0x54321);
	EXPECT_EQ(test, fx->rcd->flows[0].generation, 0x54321);
	check_all(fx);
	fx_give_flow(q);
	EXPECT_EQ(test, fx->rcd->flows[0].generation, 0x54322);
}

/* hfi1 moves both on by itself when a RESYNC comes in mid-flow. */
static void a_generation_moved_by_hfi1_is_continued(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);

	q->priv->flow_state.generation = 0x222;
	fx->rcd->flows[0].generation = 0x222;
	fake_hw_set_flow(FX_CTXT, 0, FAKE_FLOW_ACTIVE(0x222));
	fx_give_flow(q);
	EXPECT_EQ(test, fx->rcd->flows[0].generation, 0x223);
	EXPECT_EQ(test, fx_take_flow(q), 0);
	check_all(fx);
}

/* A QP that expects PSN @next takes flow 0, whose turn is @own. */
static void expect_generation(struct fx *fx, u32 own, u32 next, u32 want)
{
	struct fx_qp *q = fx_qp_create(fx);

	fx->rcd->flows[0].generation = own;
	q->priv->r_next_psn_kdeth = next;
	EXPECT_EQ(fx->test, fx_take_flow(q), 0);
	EXPECT_EQ(fx->test, q->priv->flow_state.index, 0);
	EXPECT_EQ(fx->test, q->priv->flow_state.generation, want);
	EXPECT_EQ(fx->test, fx->rcd->flows[0].generation, want);
	EXPECT_EQ(fx->test, fake_hw_flow(FX_CTXT, 0), FAKE_FLOW_ACTIVE(want));
	check_all(fx);
	fx_give_flow(q);
}

static void a_later_generation_is_taken_as_it_is(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_generation(fx, 0x101, 0x100 << 11, 0x101);
	expect_generation(fx, 0x101, (0x100 << 11) + 2046, 0x101);
	expect_generation(fx, 0x40000, 0x100 << 11, 0x40000);
	/* Just less than half a round ahead. */
	expect_generation(fx, 0x800ff, 0x100 << 11, 0x800ff);
}

static void an_earlier_generation_is_moved_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_generation(fx, 0x100, (0x200 << 11) + 64, 0x201);
	expect_generation(fx, 0x200, (0x200 << 11) + 64, 0x201);
	expect_generation(fx, 0x200, 0x200 << 11, 0x201);
	expect_generation(fx, 0, 0, 1);
	expect_generation(fx, 0x80101, (0x100 << 11) + 64, 0x101);
}

static void generations_are_compared_as_they_go_round(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_generation(fx, 3, (0xffffdu << 11) + 7, 3);
	expect_generation(fx, 0xffffd, (3 << 11) + 7, 4);
	expect_generation(fx, 0xffffc, (0xffffdu << 11) + 7, 0xffffe);
	/* The one that follows is the reserved one. */
	expect_generation(fx, 0xffffd, (0xffffeu << 11) + 7, 0);
	expect_generation(fx, 0xffffe, (0xffffeu << 11) + 7, 0);
	expect_generation(fx, 0xffffe, 0xfffffu << 11, 0);
}

static void a_generation_from_a_resync_goes_before_others(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	q->priv->flow_state.generation = 0x150;
	q->priv->r_next_psn_kdeth = (0x200 << 11) + 64;
	EXPECT_EQ(test, fx_take_flow(q), 0);
	EXPECT_EQ(test, q->priv->flow_state.generation, 0x150);
	check_all(fx);
}

static void new_contexts_start_at_random_generations(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u32 i, j, same = 0;

	for (i = 0; i < FAKE_FLOWS; i++) {
		fx->rcd->flows[i].generation = U32_MAX;
		fake_hw_set_flow(FX_CTXT, i, 0);
	}
	hfi1_kern_init_ctxt_generations(fx->rcd);
	check_all(fx);
	for (i = 0; i < FAKE_FLOWS; i++)
		for (j = 0; j < i; j++)
			same += fx->rcd->flows[i].generation ==
				fx->rcd->flows[j].generation;
	/* 496 pairs in 2^20 values: one pair once in 2000 runs. */
	EXPECT_LE(test, same, 2);
}

static void a_tid_waiter_refused_a_flow_moves(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *mover, *behind;

	fx_set_groups(fx, 1);
	mover = fx_taker(fx);
	behind = fx_taker(fx);
	fx_post_scattered(mover, 2, 8);
	fx_post_scattered(behind, 1, 8);
	EXPECT_EQ(test, fx_setup(mover), 0);
	EXPECT_EQ(test, fx_setup(mover), -EAGAIN);
	EXPECT_EQ(test, fx_setup(behind), -EAGAIN);
	fx_give_flow(mover);
	takers[0] = fx_taker(fx);
	while (fx_free_flows(fx))
		fx_taker(fx);

	EXPECT_EQ(test, fx_take_flow(mover), -EAGAIN);
	EXPECT_PTR_EQ(test, fx_queue_of(mover), &fx->rcd->flow_queue);
	EXPECT_TRUE(test, fx_woken(behind));
	check_waiters(fx);
	fx_forget_wakeups(behind);

	fx_give_flow(takers[0]);
	EXPECT_TRUE(test, fx_woken(mover));
	EXPECT_EQ(test, fx_take_flow(mover), 0);
	EXPECT_PTR_EQ(test, fx_queue_of(mover), NULL);
	check_waiters(fx);
}

static void a_tid_waiter_granted_a_flow_stays(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];
	u32 i;

	fx_set_groups(fx, 1);
	for (i = 0; i < 2; i++) {
		q[i] = fx_taker(fx);
		fx_post_scattered(q[i], 2, 8);
	}
	EXPECT_EQ(test, fx_setup(q[0]), 0);
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	fx_give_flow(q[0]);
	EXPECT_EQ(test, fx_take_flow(q[0]), 0);
	check_order(fx, &fx->rcd->rarr_queue, q, 2);
	check_waiters(fx);
	fx_clear(q[0]);
	EXPECT_TRUE(test, fx_woken(q[0]));
}

static void an_error_head_passes_a_free_flow_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *takers[FAKE_FLOWS], *q[2];

	fx_take_all_flows(fx, takers);
	q[0] = fx_qp_create(fx);
	q[1] = fx_qp_create(fx);
	fx_take_flow(q[0]);
	fx_take_flow(q[1]);
	q[0]->qp->state = IB_QPS_ERR;
	fx_give_flow(takers[0]);
	EXPECT_TRUE(test, fx_run_wakeup(q[0]));
	EXPECT_TRUE(test, fx_woken(q[1]));
	EXPECT_EQ(test, fx_take_flow(q[1]), 0);
	check_all(fx);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(reserve_prefers_the_last_flow),
	KTAP_CASE(reserve_takes_another_if_the_last_is_taken),
	KTAP_CASE(reserve_without_preference_takes_any),
	KTAP_CASE(reserve_fails_when_all_are_taken),
	KTAP_CASE(setup_takes_a_flow_and_programs_its_row),
	KTAP_CASE(setup_touches_no_other_context),
	KTAP_CASE(setup_again_changes_nothing),
	KTAP_CASE(setup_reuses_the_preferred_flow),
	KTAP_CASE(setup_queues_when_all_are_taken),
	KTAP_CASE(a_waiter_refused_again_keeps_its_place),
	KTAP_CASE(nobody_barges_past_the_head),
	KTAP_CASE(a_grant_wakes_the_next_while_flows_are_free),
	KTAP_CASE(clear_frees_the_flow_and_idles_its_row),
	KTAP_CASE(clear_wakes_the_head_only),
	KTAP_CASE(clear_without_a_flow_does_nothing),
	KTAP_CASE(a_generation_skips_the_reserved_value),
	KTAP_CASE(a_generation_from_a_resync_is_kept),
	KTAP_CASE(a_generation_moved_by_hfi1_is_continued),
	KTAP_CASE(a_later_generation_is_taken_as_it_is),
	KTAP_CASE(an_earlier_generation_is_moved_on),
	KTAP_CASE(generations_are_compared_as_they_go_round),
	KTAP_CASE(a_generation_from_a_resync_goes_before_others),
	KTAP_CASE(new_contexts_start_at_random_generations),
	KTAP_CASE(a_tid_waiter_refused_a_flow_moves),
	KTAP_CASE(a_tid_waiter_granted_a_flow_stays),
	KTAP_CASE(an_error_head_passes_a_free_flow_on),
};

const struct ktap_suite tid_flow_suite = {
	.name = "tid_flow",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
