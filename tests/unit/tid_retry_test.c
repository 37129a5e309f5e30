// SPDX-License-Identifier: GPL-2.0
/* What of a READ is asked for again when packets are lost or come twice. */

#include <linux/slab.h>

#include "checks.h"
#include "suites.h"

#define SEG_PKTS	16	/* packets of a segment of a READ */
#define FIRST_PSN	0x100	/* of a READ */
/* Post and send a READ, all of it; its first segment is at @ring in the ring. */
static struct fx_qp *sent_read(struct fx *fx, u32 nsegs, u32 first_psn,
			       u16 ring)
{
	struct fx_qp *q = fx_taker(fx);
	u32 i, psn = first_psn;

	q->req->setup_head = ring;
	q->req->clear_tail = ring;
	q->req->acked_tail = ring;
	fx_post_scattered(q, nsegs, SEG_PKTS);
	for (i = 0; i < nsegs; i++) {
		struct flow_state *state = &fx_segment(q, i)->flow_state;

		EXPECT_EQ(fx->test, fx_setup(q), 0);
		state->ib_spsn = psn;
		psn += SEG_PKTS;
		state->ib_lpsn = psn - 1;
	}
	q->wqe->psn = first_psn;
	q->wqe->lpsn = psn - 1;
	q->qp->s_psn = psn;
	q->qp->s_next_psn = psn;
	q->qp->s_cur = 0;
	q->qp->s_state = TID_OP(READ_REQ);
	q->qp->s_num_rd_atomic = nsegs;
	q->priv->pending_tid_r_segs = nsegs;
	q->req->ack_pending = nsegs;
	q->req->cur_seg = nsegs;
	q->req->comp_seg = 0;
	q->req->flow_idx = q->req->setup_head;
	q->req->state = TID_REQUEST_ACTIVE;
	return q;
}

/* What reset_psn() leaves, with @psn in the oldest segment. */
static void restart_at(struct fx_qp *q, u32 psn)
{
	q->qp->s_cur = 0;
	q->qp->s_num_rd_atomic = 0;
	q->priv->pending_tid_r_segs = 0;
	q->req->ack_pending = 0;
	q->qp->s_state = TID_OP(READ_RESP);
	q->qp->s_psn = psn;
}

/* What hfi1_rc_rcv_tid_rdma_read_resp() does for the last of a segment. */
static void segment_comes(struct fx_qp *q)
{
	q->req->ack_pending--;
	q->priv->pending_tid_r_segs--;
	q->qp->s_num_rd_atomic--;
	EXPECT_EQ(q->fx->test, fx_clear(q), 0);
	q->req->comp_seg++;
}

static void expect_counts(struct fx_qp *q, u32 want)
{
	struct ktap_test *test = q->fx->test;

	EXPECT_EQ(test, q->req->ack_pending, want);
	EXPECT_EQ(test, q->priv->pending_tid_r_segs, want);
	EXPECT_EQ(test, q->qp->s_num_rd_atomic, want);
}

static void packet_out_of_sequence(struct fx_qp *q)
{
	struct rvt_qp *qp = q->qp;

	spin_lock_irq(&qp->r_lock);
	spin_lock(&qp->s_lock);
	restart_tid_rdma_read_req(q->fx->rcd, qp, fx_slot(q, qp->s_acked));
	spin_unlock(&qp->s_lock);
	spin_unlock_irq(&qp->r_lock);
}

static void expect_no_restart(struct fx_qp *q)
{
	struct fx *fx = q->fx;

	q->qp->r_flags |= RVT_R_RDMAR_SEQ | RVT_R_REUSE_SGE;
	packet_out_of_sequence(q);
	EXPECT_EQ(fx->test, q->restarts, 0);
	EXPECT_EQ(fx->test, q->qp->r_flags, RVT_R_REUSE_SGE);
	EXPECT_TRUE(fx->test, list_empty(&fx->rcd->qp_wait_list));
	check_all(fx);
	q->qp->r_flags = 0;
}

static void the_oldest_segment_is_asked_for_again(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 7);

	segment_comes(q);
	packet_out_of_sequence(q);
	EXPECT_EQ(test, q->restarts, 1);
	EXPECT_EQ(test, q->restart_psn, FIRST_PSN + SEG_PKTS);
	EXPECT_EQ(test, q->restart_wait, 0);
	EXPECT_EQ(test, q->qp->r_flags, RVT_R_RDMAR_SEQ | RVT_R_RSP_SEND);
	EXPECT_PTR_EQ(test, fx->rcd->qp_wait_list.next, &q->qp->rspwait);
	EXPECT_EQ(test, atomic_read(&q->qp->refcount), 2);
	check_all(fx);
	EXPECT_EQ(test, fx_run_wait_list(fx), 1);
	EXPECT_EQ(test, atomic_read(&q->qp->refcount), 1);
}

static void a_qp_waits_once_for_its_turn_to_send(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	q[0] = sent_read(fx, 2, FIRST_PSN, 0);
	q[1] = sent_read(fx, 1, FIRST_PSN, 0);
	packet_out_of_sequence(q[0]);
	packet_out_of_sequence(q[1]);
	packet_out_of_sequence(q[0]);
	EXPECT_EQ(test, q[0]->restarts, 2);
	EXPECT_PTR_EQ(test, fx->rcd->qp_wait_list.next, &q[0]->qp->rspwait);
	EXPECT_PTR_EQ(test, fx->rcd->qp_wait_list.prev, &q[1]->qp->rspwait);
	EXPECT_EQ(test, atomic_read(&q[0]->qp->refcount), 2);
	check_all(fx);
	EXPECT_EQ(test, fx_run_wait_list(fx), 2);
}

static void an_empty_send_queue_is_not_restarted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 1, FIRST_PSN, 0);

	/* Remains of a READ that look alive. */
	q->qp->s_tail = 0;
	q->qp->s_head = 0;
	expect_no_restart(q);
	/* Posted, not started. */
	q->qp->s_head = 1;
	expect_no_restart(q);
}

static void a_request_without_a_ring_is_not_restarted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);

	/* A request of another kind: what it has is of a READ before. */
	q->qp->s_acked = 1;
	q->qp->s_tail = 2;
	q->swqe[1].tid_req.setup_head = 1;
	EXPECT_PTR_EQ(test, q->swqe[1].tid_req.flows, NULL);
	expect_no_restart(q);
}

static void a_read_that_waits_for_tids_is_not_restarted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 2, FIRST_PSN, 5);

	segment_comes(q);
	segment_comes(q);
	expect_no_restart(q);
}

static void a_read_out_of_retries_is_not_restarted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 2, FIRST_PSN, 0);

	q->qp->s_retry = 0;
	expect_no_restart(q);
	q->qp->s_retry = 1;
	packet_out_of_sequence(q);
	EXPECT_EQ(test, q->restarts, 1);
	EXPECT_EQ(test, fx_run_wait_list(fx), 1);
}

static void a_late_copy_finds_psns_to_come(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 1, FIRST_PSN, 0);

	fx_slot(q, 1)->psn = 5;
	fx_slot(q, 1)->lpsn = 9;
	q->qp->s_next_psn = 0x80002345;
	segment_comes(q);
	EXPECT_EQ(test, fx_slot(q, 1)->psn, 0x2345);
	EXPECT_EQ(test, fx_slot(q, 1)->lpsn, 0x2345);
	EXPECT_EQ(test, fx_slot(q, 0)->psn, FIRST_PSN);
	EXPECT_EQ(test, fx_slot(q, 0)->lpsn, FIRST_PSN + SEG_PKTS - 1);
}

static void a_slot_already_guarded_is_guarded_anew(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 2, FIRST_PSN, 0);

	segment_comes(q);
	q->qp->s_next_psn = 0x7000;
	segment_comes(q);
	EXPECT_EQ(test, fx_slot(q, 1)->psn, 0x7000);
	EXPECT_EQ(test, fx_slot(q, 1)->lpsn, 0x7000);
}

/* Only the slot that is posted into next has remains. */
static void posted_requests_keep_their_psns(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 0);
	u32 head, i;

	for (head = 1; head < FX_SLOTS; head++) {
		for (i = 0; i < FX_SLOTS; i++) {
			fx_slot(q, i)->psn = 0x200 + i;
			fx_slot(q, i)->lpsn = 0x300 + i;
		}
		q->qp->s_head = head;
		q->qp->s_next_psn = 0x5000 + head;
		segment_comes(q);
		for (i = 0; i < FX_SLOTS; i++) {
			bool guarded = i == head;

			EXPECT_EQ(test, fx_slot(q, i)->psn,
				  guarded ? 0x5000 + head : 0x200 + i);
			EXPECT_EQ(test, fx_slot(q, i)->lpsn,
				  guarded ? 0x5000 + head : 0x300 + i);
		}
	}
}

/* It has its PSNs, but is not in the queue yet. */
static void a_request_that_is_being_posted_is_left_alone(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 1, FIRST_PSN, 0);

	fx_slot(q, 1)->psn = 0x5000;
	fx_slot(q, 1)->lpsn = 0x5002;
	q->qp->s_next_psn = 0x5003;
	spin_lock(&q->qp->s_hlock);
	segment_comes(q);
	spin_unlock(&q->qp->s_hlock);
	EXPECT_EQ(test, fx_slot(q, 1)->psn, 0x5000);
	EXPECT_EQ(test, fx_slot(q, 1)->lpsn, 0x5002);
}

static void nothing_is_guarded_without_a_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 1, FIRST_PSN, 0);

	segment_comes(q);
	fx_slot(q, 1)->psn = 5;
	fx_slot(q, 1)->lpsn = 9;
	restart_at(q, 0);
	EXPECT_EQ(test, fx_clear(q), -EINVAL);
	EXPECT_EQ(test, fx_slot(q, 1)->psn, 5);
	EXPECT_EQ(test, fx_slot(q, 1)->lpsn, 9);
	EXPECT_EQ(test, q->qp->s_psn, 0);
	expect_counts(q, 0);
}

/* A READ of 4 segments of which the second comes after a restart at @psn. */
static void expect_skip(struct fx *fx, u32 psn, u16 ring)
{
	struct fx_qp *q = sent_read(fx, 4, FIRST_PSN, ring);
	u32 third = FIRST_PSN + 2 * SEG_PKTS;
	struct ktap_test *test = fx->test;

	segment_comes(q);
	restart_at(q, psn);
	segment_comes(q);
	EXPECT_EQ(test, q->qp->s_psn, third);
	EXPECT_EQ(test, q->qp->s_state, TID_OP(READ_REQ));
	EXPECT_EQ(test, q->qp->s_cur, 0);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_RESEND);
	EXPECT_EQ(test, q->req->s_next_psn, third);
	EXPECT_EQ(test, q->req->cur_seg, 2);
	EXPECT_EQ(test, q->req->flow_idx, (ring + 2) % FX_RING);
	EXPECT_EQ(test, q->req->flow_idx, q->req->clear_tail);
	EXPECT_EQ(test, fx_segment(q, 0)->flow_state.ib_spsn, third);
	expect_counts(q, 0);
	check_all(fx);
	fx_clear_all(q);
}

static void a_segment_that_came_is_not_asked_for_again(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_skip(fx, FIRST_PSN + SEG_PKTS, 0);
}

static void a_restart_in_the_middle_is_skipped_too(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_skip(fx, FIRST_PSN + SEG_PKTS + 3, 3);
	expect_skip(fx, FIRST_PSN + 2 * SEG_PKTS - 1, 3);
}

static void a_restart_is_skipped_at_the_end_of_the_ring(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	expect_skip(fx, FIRST_PSN + SEG_PKTS, 6);
	expect_skip(fx, FIRST_PSN + SEG_PKTS, 5);
}

static void a_restart_of_the_first_segment_is_skipped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 0);

	/* reset_psn() leaves this one to the send engine then. */
	restart_at(q, FIRST_PSN);
	q->req->ack_pending = 3;
	q->qp->s_state = IB_OPCODE_RC_SEND_LAST;
	segment_comes(q);
	EXPECT_EQ(test, q->qp->s_psn, FIRST_PSN + SEG_PKTS);
	EXPECT_EQ(test, q->qp->s_state, TID_OP(READ_REQ));
	EXPECT_EQ(test, q->req->state, TID_REQUEST_RESEND);
	EXPECT_EQ(test, q->req->cur_seg, 1);
	EXPECT_EQ(test, q->req->flow_idx, 1);
	expect_counts(q, 0);
}

static void a_restart_is_skipped_where_psns_go_round(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u32 first = PSN_MASK - 2 * SEG_PKTS + 1;
	struct fx_qp *q = sent_read(fx, 4, first, 0);

	segment_comes(q);
	restart_at(q, first + SEG_PKTS);
	segment_comes(q);
	EXPECT_EQ(test, cmp_psn(q->qp->s_psn, 0), 0);
	EXPECT_EQ(test, cmp_psn(q->req->s_next_psn, 0), 0);
	EXPECT_EQ(test, q->req->cur_seg, 2);
	expect_counts(q, 0);

	/* The third is behind that point. */
	q->qp->s_psn = PSN_MASK;
	q->qp->s_state = TID_OP(READ_RESP);
	segment_comes(q);
	EXPECT_EQ(test, cmp_psn(q->qp->s_psn, SEG_PKTS), 0);
	EXPECT_EQ(test, q->req->cur_seg, 3);
	expect_counts(q, 0);
}

/* hfi1 counts segments from the difference of the two, all of its 32 bits. */
static void s_psn_is_counted_on_from_the_request(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	u32 first = (u32)PSN_MASK + 1 - SEG_PKTS;
	struct fx_qp *q = sent_read(fx, 3, first, 0);

	restart_at(q, first);
	segment_comes(q);
	EXPECT_EQ(test, q->qp->s_psn - q->wqe->psn, SEG_PKTS);
	EXPECT_EQ(test, q->req->s_next_psn - q->wqe->psn, SEG_PKTS);
}

static void behind_the_last_segment_comes_the_next_request(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 2, FIRST_PSN, 0);

	segment_comes(q);
	restart_at(q, FIRST_PSN + SEG_PKTS);
	segment_comes(q);
	EXPECT_EQ(test, q->qp->s_psn, FIRST_PSN + 2 * SEG_PKTS);
	EXPECT_EQ(test, q->qp->s_state, IB_OPCODE_RC_SEND_LAST);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_ACTIVE);
	EXPECT_EQ(test, q->req->cur_seg, 2);
	EXPECT_EQ(test, q->req->flow_idx, 2);
	expect_counts(q, 0);
}

/* What tells if a restart was skipped. */
static void expect_no_skip(struct fx_qp *q, u32 psn, u32 pending)
{
	struct ktap_test *test = q->fx->test;

	EXPECT_EQ(test, q->qp->s_psn, psn);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_ACTIVE);
	EXPECT_EQ(test, q->req->s_next_psn, 0x7654);
	EXPECT_EQ(test, q->req->cur_seg, 3);
	EXPECT_EQ(test, q->req->flow_idx, 3);
	EXPECT_EQ(test, q->qp->s_state, TID_OP(READ_RESP));
	expect_counts(q, pending);
}

static void without_a_restart_nothing_is_skipped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 0);

	q->req->s_next_psn = 0x7654;
	q->qp->s_state = TID_OP(READ_RESP);
	segment_comes(q);
	expect_no_skip(q, FIRST_PSN + 3 * SEG_PKTS, 2);
	/* A restart that is behind the segment already. */
	q->qp->s_psn = FIRST_PSN + 2 * SEG_PKTS;
	segment_comes(q);
	expect_no_skip(q, FIRST_PSN + 2 * SEG_PKTS, 1);
}

static void a_restart_of_another_request_is_not_skipped(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 0);
	u32 psn = FIRST_PSN + 4;

	q->req->s_next_psn = 0x7654;
	q->qp->s_state = TID_OP(READ_RESP);
	q->qp->s_psn = psn;
	q->qp->s_cur = 1;
	segment_comes(q);
	expect_no_skip(q, psn, 2);
}

static void clearing_all_neither_skips_nor_guards(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = sent_read(fx, 3, FIRST_PSN, 0);

	q->req->s_next_psn = 0x7654;
	fx_slot(q, 1)->psn = 5;
	fx_slot(q, 1)->lpsn = 9;
	restart_at(q, FIRST_PSN);
	fx_clear_all(q);
	expect_no_skip(q, FIRST_PSN, 0);
	EXPECT_EQ(test, fx_slot(q, 1)->psn, 5);
	EXPECT_EQ(test, fx_slot(q, 1)->lpsn, 9);
	check_all(fx);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(the_oldest_segment_is_asked_for_again),
	KTAP_CASE(a_qp_waits_once_for_its_turn_to_send),
	KTAP_CASE(an_empty_send_queue_is_not_restarted),
	KTAP_CASE(a_request_without_a_ring_is_not_restarted),
	KTAP_CASE(a_read_that_waits_for_tids_is_not_restarted),
	KTAP_CASE(a_read_out_of_retries_is_not_restarted),
	KTAP_CASE(a_late_copy_finds_psns_to_come),
	KTAP_CASE(a_slot_already_guarded_is_guarded_anew),
	KTAP_CASE(posted_requests_keep_their_psns),
	KTAP_CASE(a_request_that_is_being_posted_is_left_alone),
	KTAP_CASE(nothing_is_guarded_without_a_segment),
	KTAP_CASE(a_segment_that_came_is_not_asked_for_again),
	KTAP_CASE(a_restart_in_the_middle_is_skipped_too),
	KTAP_CASE(a_restart_is_skipped_at_the_end_of_the_ring),
	KTAP_CASE(a_restart_of_the_first_segment_is_skipped),
	KTAP_CASE(a_restart_is_skipped_where_psns_go_round),
	KTAP_CASE(s_psn_is_counted_on_from_the_request),
	KTAP_CASE(behind_the_last_segment_comes_the_next_request),
	KTAP_CASE(without_a_restart_nothing_is_skipped),
	KTAP_CASE(a_restart_of_another_request_is_not_skipped),
	KTAP_CASE(clearing_all_neither_skips_nor_guards),
};

const struct ktap_suite tid_retry_suite = {
	.name = "tid_retry",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
