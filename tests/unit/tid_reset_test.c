// SPDX-License-Identifier: GPL-2.0
/* QPs that go into error, and QPs that are reset. */

#include "../../tid_reset.h"
#include "checks.h"
#include "suites.h"

static struct fx_qp *responder(struct fx *fx)
{
	struct fx_qp *q = fx_taker(fx);

	fx_keep_requests(q, 3);
	return q;
}

/* The peer has sent a WRITE; some of its segments have TIDs. */
static void peer_writes(struct fx_qp *q, u32 entry, u32 nsegs, u32 pages)
{
	struct tid_rdma_request *own = q->req;
	u32 i;

	q->qp->s_ack_queue[entry].opcode = TID_OP(WRITE_REQ);
	q->req = ack_to_tid_req(&q->qp->s_ack_queue[entry]);
	fx_post_scattered(q, nsegs, pages);
	for (i = 0; i < nsegs; i++)
		EXPECT_EQ(q->fx->test, fx_setup(q), 0);
	q->req = own;
}

static void goes_to_error(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	q->qp->state = IB_QPS_ERR;
	tid_reset_error(q->qp);
	spin_unlock_irq(&q->qp->s_lock);
}

static void is_reset(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->r_lock);
	spin_lock(&q->qp->s_lock);
	hfi1_qp_kern_exp_rcv_clear_all(q->qp);
	spin_unlock(&q->qp->s_lock);
	spin_unlock_irq(&q->qp->r_lock);
}

static void in_error_nothing_is_granted_to_the_peer(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);

	peer_writes(q, 0, 2, 8);
	peer_writes(q, 2, 1, 8);
	goes_to_error(q);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
	EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
	check_all(fx);
}

static void in_error_reads_wait_for_their_flush(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);

	fx_post_scattered(q, 1, 8);
	EXPECT_EQ(test, fx_setup(q), 0);
	peer_writes(q, 1, 1, 8);
	goes_to_error(q);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8 - 8);
	EXPECT_EQ(test, fx_live_segments(q), 1);
	fx_clear_all(q);
}

static void in_error_a_waiter_lets_the_next_one_go(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *holder, *q, *next;

	fx_set_groups(fx, 2);
	holder = fx_scattered(fx, 1, 12);
	q = responder(fx);
	next = fx_scattered(fx, 1, 2);
	q->qp->s_ack_queue[0].opcode = TID_OP(WRITE_REQ);
	EXPECT_EQ(test, fx_setup(holder), 0);
	fx_post_scattered(q, 1, 16);
	EXPECT_EQ(test, fx_setup(q), -EAGAIN);
	EXPECT_EQ(test, fx_setup(next), -EAGAIN);
	fx_forget_wakeups(next);
	goes_to_error(q);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_TRUE(test, fx_woken(next));
	EXPECT_EQ(test, fx_setup(next), 0);
	check_all(fx);
}

static void fill_with_what_a_life_leaves(struct hfi1_qp_priv *priv)
{
	priv->s_flags = RVT_S_BUSY | RVT_S_RESP_PENDING | RVT_S_WAIT_ACK;
	priv->s_state = TID_OP(RESYNC);
	priv->s_nak_state = 0x60;
	priv->s_tid_cur = 1;
	priv->s_tid_head = 2;
	priv->s_tid_tail = 3;
	priv->r_tid_head = 4;
	priv->r_tid_tail = 5;
	priv->r_tid_ack = 6;
	priv->r_tid_alloc = 7;
	priv->rnr_nak_state = TID_RNR_NAK_SENT;
	priv->pending_tid_w_segs = 8;
	priv->pending_tid_w_resp = 9;
	priv->alloc_w_segs = 10;
	priv->tid_r_reqs = 11;
	priv->tid_r_comp = 12;
	priv->pending_tid_r_segs = 13;
	priv->sync_pt = true;
	priv->resync = true;
	atomic_set(&priv->n_requests, 14);
	atomic_set(&priv->n_tid_requests, 15);
}

static void after_a_reset_a_qp_is_as_new(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct hfi1_qp_priv *priv = q->priv;

	fill_with_what_a_life_leaves(priv);
	priv->r_next_psn_kdeth = 0x12345;
	is_reset(q);
	EXPECT_EQ(test, priv->flow_state.index, FX_NO_FLOW);
	EXPECT_EQ(test, priv->flow_state.generation, FAKE_GEN_RESERVED);
	EXPECT_EQ(test, priv->s_flags, 0);
	EXPECT_EQ(test, priv->s_state, TID_OP(WRITE_RESP));
	EXPECT_EQ(test, priv->s_nak_state, 0);
	EXPECT_EQ(test, priv->s_tid_cur, U32_MAX);
	EXPECT_EQ(test, priv->s_tid_head, U32_MAX);
	EXPECT_EQ(test, priv->s_tid_tail, U32_MAX);
	EXPECT_EQ(test, priv->r_tid_head, U32_MAX);
	EXPECT_EQ(test, priv->r_tid_tail, U32_MAX);
	EXPECT_EQ(test, priv->r_tid_ack, U32_MAX);
	EXPECT_EQ(test, priv->r_tid_alloc, U32_MAX);
	EXPECT_EQ(test, priv->rnr_nak_state, TID_RNR_NAK_INIT);
	EXPECT_EQ(test, priv->pending_tid_w_segs, 0);
	EXPECT_EQ(test, priv->pending_tid_w_resp, 0);
	EXPECT_EQ(test, priv->alloc_w_segs, 0);
	EXPECT_EQ(test, priv->tid_r_reqs, 0);
	EXPECT_EQ(test, priv->tid_r_comp, 0);
	EXPECT_EQ(test, priv->pending_tid_r_segs, 0);
	EXPECT_FALSE(test, priv->sync_pt);
	EXPECT_FALSE(test, priv->resync);
	EXPECT_EQ(test, atomic_read(&priv->n_requests), 0);
	EXPECT_EQ(test, atomic_read(&priv->n_tid_requests), 0);
	/* Later flows of the QP are to have later generations. */
	EXPECT_EQ(test, priv->r_next_psn_kdeth, 0x12345);
	check_all(fx);
}

static void a_reset_undoes_all_segments(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);

	fx_post_scattered(q, 2, 8);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), 0);
	peer_writes(q, 1, 2, 8);
	q->qp->s_acked = 0;
	q->qp->s_head = 1;
	is_reset(q);
	EXPECT_EQ(test, fx_live_segments(q), 0);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
	EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
	check_all(fx);
}

/* The ring of a READ that comes in is the peer's. */
static void a_reset_leaves_what_the_peer_told(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct rvt_ack_entry *e = &q->qp->s_ack_queue[1];

	e->opcode = TID_OP(READ_REQ);
	ack_to_tid_req(e)->setup_head = 1;
	is_reset(q);
	EXPECT_EQ(test, ack_to_tid_req(e)->clear_tail, 0);
}

/* Nothing else knows of the rings of dropped requests, in any slot. */
static void a_reset_frees_the_rings_of_all_requests(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(q->qp, FX_SLOTS - 1);

	fx_post_scattered(q, 1, 8);
	EXPECT_EQ(test, fx_setup(q), 0);
	wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	wqe_to_tid_req(wqe)->flows = kcalloc(FX_RING, sizeof(*q->req->flows),
					     GFP_KERNEL);
	is_reset(q);
	EXPECT_PTR_EQ(test, q->req->flows, NULL);
	EXPECT_PTR_EQ(test, wqe_to_tid_req(wqe)->flows, NULL);
	EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
}

/* hfi1 looks into the slot before a request, and into the one behind the last. */
static void a_reset_leaves_no_tid_rdma_in_a_slot(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct rvt_swqe *last = rvt_get_swqe_ptr(q->qp, FX_SLOTS - 1);

	last->wr.opcode = IB_WR_TID_RDMA_WRITE;
	is_reset(q);
	EXPECT_EQ(test, last->wr.opcode, IB_WR_RDMA_WRITE);
	EXPECT_EQ(test, q->wqe->wr.opcode, IB_WR_RDMA_READ);
}

/* Or hfi1 refuses a WRITE in the same slot, and lets a READ in the next one wait. */
static void a_reset_leaves_no_request_of_the_peer(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	u32 i;

	for (i = 0; i < 3; i++)
		peer_writes(q, i, 2, 8);
	is_reset(q);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(test, q->qp->s_ack_queue[i].opcode, 0);
}

static void a_qp_without_tid_rdma_is_left_alone(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct page **pages = q->priv->pages;

	q->priv->pages = NULL;
	q->priv->alloc_w_segs = 3;
	is_reset(q);
	goes_to_error(q);
	EXPECT_EQ(test, q->priv->alloc_w_segs, 3);
	EXPECT_NE(test, q->priv->flow_state.index, FX_NO_FLOW);
	q->priv->pages = pages;
}

static const struct ktap_case cases[] = {
	KTAP_CASE(in_error_nothing_is_granted_to_the_peer),
	KTAP_CASE(in_error_reads_wait_for_their_flush),
	KTAP_CASE(in_error_a_waiter_lets_the_next_one_go),
	KTAP_CASE(after_a_reset_a_qp_is_as_new),
	KTAP_CASE(a_reset_undoes_all_segments),
	KTAP_CASE(a_reset_leaves_what_the_peer_told),
	KTAP_CASE(a_reset_frees_the_rings_of_all_requests),
	KTAP_CASE(a_reset_leaves_no_tid_rdma_in_a_slot),
	KTAP_CASE(a_reset_leaves_no_request_of_the_peer),
	KTAP_CASE(a_qp_without_tid_rdma_is_left_alone),
};

const struct ktap_suite tid_reset_suite = {
	.name = "tid_reset",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
