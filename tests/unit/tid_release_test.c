// SPDX-License-Identifier: GPL-2.0
/* Giving segments back: one, all, on completion, reset and error. */

#include "checks.h"
#include "suites.h"

static void clear_undoes_the_oldest_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 16);

	fx_setup(q);
	fx_setup(q);
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, q->req->clear_tail, 1);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8 - 16);
	check_segment(q, fx_segment(q, 0), q->pages + 16, 16);
	check_all(fx);
}

static void clear_twice_is_invalid(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);

	EXPECT_EQ(test, fx_clear(q), -EINVAL);
	fx_setup(q);
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, fx_clear(q), -EINVAL);
	EXPECT_EQ(test, q->req->clear_tail, 1);
	check_all(fx);
}

static void clear_all_undoes_all_segments(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 6, 16);
	u32 i;

	for (i = 0; i < 6; i++)
		fx_setup(q);
	fx_clear_all(q);
	EXPECT_EQ(test, fx_live_segments(q), 0);
	EXPECT_EQ(test, q->req->clear_tail, 6);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
	fx_clear_all(q);
	check_all(fx);
}

static void clear_triggers_its_own_qp_at_the_head(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;

	fx_set_groups(fx, 1);
	q = fx_scattered(fx, 2, 8);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), -EAGAIN);
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_TRUE(test, fx_woken(q));
	check_all(fx);
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages + 8, 8);
}

static void rows_are_invalid_before_pages_are_unmapped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);
	struct fake_hw *hw = fx->hw;
	u32 i, invalid = 0;

	fx_setup(q);
	hw->logging = true;
	fx_clear(q);
	for (i = 0; i < hw->nlog; i++) {
		invalid += hw->log[i].kind == FAKE_EVENT_INVALIDATE;
		if (hw->log[i].kind == FAKE_EVENT_UNMAP)
			EXPECT_EQ(test, invalid, 16);
	}
	EXPECT_EQ(test, invalid, 16);
}

/* Writes are posted: packets of a request that is given up may still be coming. */
static void the_chip_knows_before_pages_of_a_lost_request_are_unmapped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 8);
	struct fake_hw *hw = fx->hw;
	u32 i, invalid = 0, unmapped = 0, reads = 0;

	fx_setup(q);
	fx_setup(q);
	hw->logging = true;
	fx_clear_all(q);
	for (i = 0; i < hw->nlog; i++) {
		switch (hw->log[i].kind) {
		case FAKE_EVENT_INVALIDATE:
			invalid++;
			break;
		case FAKE_EVENT_READ:
			EXPECT_EQ(test, invalid, 16);
			EXPECT_EQ(test, unmapped, 0);
			reads++;
			break;
		case FAKE_EVENT_UNMAP:
			EXPECT_EQ(test, reads, 1);
			unmapped++;
			break;
		default:
			break;
		}
	}
	EXPECT_EQ(test, invalid, 16);
	EXPECT_EQ(test, unmapped, 16);
	EXPECT_EQ(test, reads, 1);
	/* Nothing was lost of a request that has come: nobody waits for the chip. */
	hw->nlog = 0;
	fx_clear_all(q);
	EXPECT_EQ(test, hw->nlog, 0);
}

static void after_a_reset_the_new_buffer_is_used(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q, *holder = fx_waiters(fx, &q, 1, 16);

	fx_qp_reset(q);
	check_all(fx);
	fx_clear(holder);
	EXPECT_EQ(test, fx_take_flow(q), 0);
	fx_post_contiguous(q, 1, 16);
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 16);
	check_all(fx);
}

static void clean_swqe(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	__trdma_clean_swqe(q->qp, q->wqe);
	spin_unlock_irq(&q->qp->s_lock);
}

static void a_read_gives_back_all_before_it_completes(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 3, 32), *waiter = fx_scattered(fx, 1, 64);
	u32 i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(waiter), -EAGAIN);
	q->qp->state = IB_QPS_ERR;
	clean_swqe(q);
	EXPECT_PTR_EQ(test, q->req->flows, NULL);
	EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
	EXPECT_TRUE(test, fx_woken(waiter));
	/* hfi1 takes what is left in the slot for a READ under way. */
	EXPECT_EQ(test, q->wqe->wr.opcode, IB_WR_RDMA_READ);
	check_all(fx);
	clean_swqe(q);
}

static void a_write_frees_what_the_peer_told(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);

	/* The ring of a WRITE has segments, of TIDs that are not ours. */
	q->wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	q->req->setup_head = 3;
	clean_swqe(q);
	EXPECT_PTR_EQ(test, q->req->flows, NULL);
	check_all(fx);
	q->req->setup_head = 0;
}

static void freeing_a_ring_gives_back_what_it_holds(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 3, 32);
	u32 i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(test, fx_setup(q), 0);
	spin_lock_irq(&q->qp->s_lock);
	hfi1_kern_exp_rcv_free_flows(q->req);
	hfi1_kern_exp_rcv_free_flows(q->req);
	spin_unlock_irq(&q->qp->s_lock);
	EXPECT_PTR_EQ(test, q->req->flows, NULL);
	check_all(fx);
}

static void a_waiter_in_error_leaves_when_it_flushes(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *holder, *q[2];

	fx_set_groups(fx, 2);
	holder = fx_scattered(fx, 1, 12);
	q[0] = fx_scattered(fx, 1, 16);
	q[1] = fx_scattered(fx, 1, 2);
	EXPECT_EQ(test, fx_setup(holder), 0);
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	q[0]->qp->state = IB_QPS_ERR;
	clean_swqe(q[0]);
	EXPECT_PTR_EQ(test, fx_queue_of(q[0]), NULL);
	EXPECT_TRUE(test, fx_woken(q[1]));
	EXPECT_EQ(test, fx_setup(q[1]), 0);
	check_all(fx);
}

/* It woke itself, then went into error before its send engine ran. */
static void a_responder_in_error_keeps_no_wakeup(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	fx_set_groups(fx, 1);
	q[0] = fx_scattered(fx, 2, 8);
	q[1] = fx_scattered(fx, 1, 2);
	EXPECT_EQ(test, fx_setup(q[0]), 0);
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	EXPECT_EQ(test, fx_clear(q[0]), 0);
	q[0]->qp->state = IB_QPS_ERR;
	/* Its engine finds nothing to flush and does not come to our code. */
	atomic_set(&q[0]->scheduled, 0);
	fx_settle(fx);
	EXPECT_TRUE(test, fx_woken(q[1]) || atomic_read(&q[1]->ran));
}

static void a_device_that_is_gone_is_not_written(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);
	u64 row;

	fx_setup(q);
	fx->dd->flags &= ~HFI1_PRESENT;
	row = fx->hw->rcvarray[FX_TID_BASE];
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, fx->hw->rcvarray[FX_TID_BASE], row);
	EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
	fx_give_flow(q);
	EXPECT_EQ(test, fake_hw_flow(FX_CTXT, 0), FAKE_FLOW_ACTIVE(0x100));
	fx->dd->flags |= HFI1_PRESENT;
	memset(fx->hw->rcvarray, 0, FAKE_RCVARRAY_ENTRIES * sizeof(u64));
	fake_hw_set_flow(FX_CTXT, 0, FAKE_FLOW_IDLE);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(clear_undoes_the_oldest_segment),
	KTAP_CASE(clear_twice_is_invalid),
	KTAP_CASE(clear_all_undoes_all_segments),
	KTAP_CASE(clear_triggers_its_own_qp_at_the_head),
	KTAP_CASE(rows_are_invalid_before_pages_are_unmapped),
	KTAP_CASE(the_chip_knows_before_pages_of_a_lost_request_are_unmapped),
	KTAP_CASE(after_a_reset_the_new_buffer_is_used),
	KTAP_CASE(a_read_gives_back_all_before_it_completes),
	KTAP_CASE(a_write_frees_what_the_peer_told),
	KTAP_CASE(freeing_a_ring_gives_back_what_it_holds),
	KTAP_CASE(a_waiter_in_error_leaves_when_it_flushes),
	KTAP_CASE(a_responder_in_error_keeps_no_wakeup),
	KTAP_CASE(a_device_that_is_gone_is_not_written),
};

const struct ktap_suite tid_release_suite = {
	.name = "tid_release",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
