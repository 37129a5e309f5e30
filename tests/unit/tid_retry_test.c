// SPDX-License-Identifier: GPL-2.0
/* What is asked for again when packets are lost or come twice. */

#include <linux/slab.h>

#include "checks.h"
#include "suites.h"

#define SEG_PKTS	16	/* packets of a segment of a READ */
#define FIRST_PSN	0x100	/* of a READ */
#define ACK_ENTRIES	5	/* requests of the peer that a QP keeps */
#define ACK_RINGS	(ACK_ENTRIES + 1)
#define ACK_SEG_PKTS	64	/* packets of a segment of a WRITE */
#define MSN		0x001234
#define AETH_ACK	(0x1fu << 24 | MSN)	/* credits are not counted */

/* READs */

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

/* WRITEs of the peer */

/**
 * struct peer_writes - what a QP keeps of the requests of its peer
 * @entries: the requests, and one more that nobody may look at
 * @privs: hfi1's part of them
 * @flows: their rings
 */
struct peer_writes {
	struct rvt_ack_entry entries[ACK_RINGS];
	struct hfi1_ack_priv privs[ACK_RINGS];
	struct tid_rdma_flow flows[ACK_RINGS][FX_RING];
};

static struct fx_qp *responder(struct fx *fx)
{
	struct rvt_driver_params *params = &fx->dd->verbs_dev.rdi.dparms;
	struct peer_writes *w = kzalloc_obj(*w);
	struct fx_qp *q = fx_qp_create(fx);
	u32 i, j;

	/* The ring has one more than these two. */
	params->max_rdma_atomic = 1;
	params->extra_rdma_atomic = ACK_ENTRIES - 2;
	for (i = 0; i <= ACK_ENTRIES; i++) {
		struct tid_rdma_request *req = &w->privs[i].tid_req;

		w->entries[i].priv = &w->privs[i];
		req->qp = q->qp;
		req->rcd = fx->rcd;
		req->e.ack = &w->entries[i];
		req->flows = w->flows[i];
		req->n_flows = 6;
		for (j = 0; j < FX_RING; j++) {
			w->flows[i][j].req = req;
			/* More than 5 bits: the rest must be cut off. */
			w->flows[i][j].idx = 0x20 + 9;
			w->flows[i][j].flow_state.resp_ib_psn = 0x1000 * i + j;
		}
	}
	q->qp->s_ack_queue = w->entries;
	q->qp->remote_qpn = 0x00abcdef;
	q->qp->r_msn = 0xff000000 | MSN;
	/* Never looked into: with a shared queue no credits are counted. */
	q->qp->ibqp.srq = (struct ib_srq *)w;
	q->priv->tid_rdma.local.qp = 0x00120000;
	q->remote.qp = 0x00340000;
	q->remote.jkey = 0x1256;
	return q;
}

static struct tid_rdma_request *write_of(struct fx_qp *q, u32 entry)
{
	return ack_to_tid_req(&q->qp->s_ack_queue[entry]);
}

/*
 * The peer has sent a WRITE: @cur of its 4 segments have TIDs, numbered in
 * @generation, @comp of them have come and are acknowledged.
 */
static void peer_writes(struct fx_qp *q, u32 entry, u32 generation, u32 cur,
			u32 comp)
{
	struct tid_rdma_request *req = write_of(q, entry);
	u32 i;

	q->qp->s_ack_queue[entry].opcode = TID_OP(WRITE_REQ);
	req->total_segs = 4;
	req->alloc_seg = cur;
	req->cur_seg = cur;
	req->comp_seg = comp;
	req->ack_seg = comp;
	req->setup_head = cur;
	req->clear_tail = comp;
	req->acked_tail = comp;
	req->state = comp == 4 ? TID_REQUEST_COMPLETE : TID_REQUEST_ACTIVE;
	for (i = 0; i < FX_RING; i++) {
		struct flow_state *state = &req->flows[i].flow_state;

		state->generation = generation;
		state->spsn = i * ACK_SEG_PKTS;
		state->lpsn = (i + 1) * ACK_SEG_PKTS - 1;
	}
}

static void peer_reads(struct fx_qp *q, u32 entry)
{
	q->qp->s_ack_queue[entry].opcode = IB_OPCODE_RC_RDMA_READ_REQUEST;
}

static void set_ring(struct fx_qp *q, u32 ack, u32 tail, u32 head)
{
	q->priv->r_tid_ack = ack;
	q->priv->r_tid_tail = tail;
	q->priv->r_tid_head = head;
}

/* A RESYNC has come, which starts @generation. */
static void resync(struct fx_qp *q, u32 generation)
{
	q->priv->flow_state.generation = generation;
	q->priv->resync = true;
}

/**
 * struct answer - what is sent to the peer
 * @ohdr: the header
 * @bth1: for its BTH
 * @bth2: the same
 * @words: length of what is behind the BTH
 * @psn: PSN of the last packet that came, for the peer to go on behind
 * @segment: which segment it is about
 */
struct answer {
	struct ib_other_headers ohdr;
	u32 bth1;
	u32 bth2;
	u32 words;
	u32 psn;
	u32 segment;
};

static struct answer answer(struct fx_qp *q, u32 entry, u16 flow)
{
	struct answer a;

	memset(&a, 0xa5, sizeof(a));
	spin_lock_irq(&q->qp->s_lock);
	a.words = hfi1_build_tid_rdma_write_ack(q->qp,
						&q->qp->s_ack_queue[entry],
						&a.ohdr, flow, &a.bth1,
						&a.bth2);
	spin_unlock_irq(&q->qp->s_lock);
	a.psn = be32_to_cpu(a.ohdr.u.tid_rdma.ack.tid_flow_psn);
	a.segment = be32_to_cpu(a.ohdr.u.tid_rdma.ack.verbs_psn);
	return a;
}

/* What is the same in all answers. */
static void expect_answer(struct fx_qp *q, struct answer *a, u32 aeth)
{
	struct tid_rdma_ack *ack = &a->ohdr.u.tid_rdma.ack;
	struct ktap_test *test = q->fx->test;

	EXPECT_EQ(test, a->words, 9);
	EXPECT_EQ(test, a->bth1, 0x00340000);
	EXPECT_EQ(test, le32_to_cpu(ack->kdeth0), 1u << 30);
	EXPECT_EQ(test, le32_to_cpu(ack->kdeth1), 0x56);
	EXPECT_EQ(test, be32_to_cpu(ack->aeth), aeth);
	EXPECT_EQ(test, be32_to_cpu(ack->tid_flow_qp),
		  0x00120000 | 9 << 11 | FX_CTXT);
	EXPECT_EQ(test, be32_to_cpu(ack->verbs_qp), 0x00abcdef);
}

static void an_ack_names_the_last_psn_of_a_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	peer_writes(q, 2, 0x345, 4, 2);
	set_ring(q, 1, 2, 3);
	q->priv->r_next_psn_kdeth = (0x345 << 11) + 2 * ACK_SEG_PKTS;
	q->priv->r_next_psn_kdeth_save = 77;
	a = answer(q, 2, 1);
	expect_answer(q, &a, AETH_ACK);
	EXPECT_EQ(test, a.bth2, (0x345 << 11) + 2 * ACK_SEG_PKTS - 1);
	EXPECT_EQ(test, a.segment, 0x2001);
	EXPECT_EQ(test, a.psn, 0);
	EXPECT_EQ(test, q->priv->r_tid_ack, 1);
	EXPECT_EQ(test, q->priv->r_next_psn_kdeth,
		  (0x345 << 11) + 2 * ACK_SEG_PKTS);
	EXPECT_EQ(test, q->priv->r_next_psn_kdeth_save, 77);
}

static void a_nak_names_the_psn_that_is_missed(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	peer_writes(q, 2, 0x345, 4, 2);
	set_ring(q, 1, 2, 3);
	q->priv->r_next_psn_kdeth = 0x345 << 11;
	q->priv->s_nak_state = 0x60;
	q->priv->s_nak_psn = 0x80012345;
	a = answer(q, 2, 2);
	expect_answer(q, &a, 0x60u << 24 | MSN);
	EXPECT_EQ(test, a.bth2, 0x00012345);
	EXPECT_EQ(test, a.segment, 0x2002);
	EXPECT_EQ(test, a.psn, 0);
	EXPECT_EQ(test, q->priv->r_tid_ack, 1);
	EXPECT_EQ(test, q->priv->s_nak_state, 0x60);
}

static void a_resync_is_answered_with_its_own_psn(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	u32 next = (0x345 << 11) + 150;
	struct answer a;

	peer_writes(q, 2, 0x346, 4, 2);
	set_ring(q, 2, 2, 3);
	q->priv->r_next_psn_kdeth = next;
	q->priv->s_nak_state = 0x60;
	resync(q, 0x346);
	a = answer(q, 2, 1);
	expect_answer(q, &a, AETH_ACK);
	EXPECT_EQ(test, a.bth2, (0x346 << 11) - 1);
	EXPECT_EQ(test, a.psn, next - 1);
	EXPECT_EQ(test, q->priv->r_next_psn_kdeth, 0x346 << 11);
	EXPECT_FALSE(test, q->priv->resync);

	/* Answered: what follows is ordinary. */
	q->priv->s_nak_state = 0;
	a = answer(q, 2, 1);
	EXPECT_EQ(test, a.bth2, (0x346 << 11) + 2 * ACK_SEG_PKTS - 1);
	EXPECT_EQ(test, a.psn, 0);
}

static void a_resync_to_generation_0_is_answered(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	peer_writes(q, 2, 0, 4, 2);
	set_ring(q, 2, 2, 3);
	q->priv->r_next_psn_kdeth = (0xffffeu << 11) + 150;
	resync(q, 0);
	a = answer(q, 2, 1);
	EXPECT_EQ(test, a.bth2, 0x7fffffff);
	EXPECT_EQ(test, a.psn, (0xffffeu << 11) + 149);
	EXPECT_EQ(test, q->priv->r_next_psn_kdeth, 0);
}

static void a_resync_names_the_awaited_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	peer_writes(q, 1, 0x300, 4, 4);
	peer_writes(q, 2, 0x346, 4, 2);
	peer_writes(q, 3, 0x346, 2, 0);
	set_ring(q, 2, 2, 3);
	resync(q, 0x346);
	a = answer(q, 2, 1);
	EXPECT_EQ(test, a.segment, 0x2002);
	expect_answer(q, &a, AETH_ACK);

	/* hfi1 has stepped back to the request before. */
	peer_writes(q, 2, 0x347, 4, 0);
	set_ring(q, 1, 2, 3);
	resync(q, 0x347);
	a = answer(q, 1, 3);
	EXPECT_EQ(test, a.segment, 0x2000);
	expect_answer(q, &a, AETH_ACK);
}

static void a_resync_behind_no_write_names_the_awaited(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	peer_reads(q, 1);
	peer_writes(q, 2, 0x346, 3, 0);
	set_ring(q, 1, 2, 3);
	resync(q, 0x346);
	a = answer(q, 1, 7);
	EXPECT_EQ(test, a.segment, 0x2000);
	expect_answer(q, &a, AETH_ACK);
}

static void a_resync_while_none_is_awaited_names_the_last(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct answer a;

	/* All segments that have TIDs have come. */
	peer_writes(q, 2, 0x346, 3, 3);
	set_ring(q, 2, 2, 3);
	resync(q, 0x346);
	a = answer(q, 2, 2);
	EXPECT_EQ(test, a.segment, 0x2002);
	expect_answer(q, &a, AETH_ACK);

	/* No request is left; what is in the slot is of the past. */
	peer_writes(q, 2, 0x347, 4, 4);
	peer_writes(q, 3, 0x100, 4, 1);
	set_ring(q, 2, 3, 3);
	resync(q, 0x347);
	a = answer(q, 2, 3);
	EXPECT_EQ(test, a.segment, 0x2003);
	expect_answer(q, &a, AETH_ACK);

	/* The next request is no WRITE. */
	peer_reads(q, 3);
	set_ring(q, 2, 3, 4);
	resync(q, 0x348);
	a = answer(q, 2, 3);
	EXPECT_EQ(test, a.segment, 0x2003);
	expect_answer(q, &a, AETH_ACK);
}

static void resyncs_without_data_between_tell_the_same(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	u32 next = (0x345 << 11) + 150, generation;

	peer_writes(q, 2, 0x345, 4, 2);
	set_ring(q, 2, 2, 3);
	q->priv->r_next_psn_kdeth = next;
	for (generation = 0x346; generation < 0x349; generation++) {
		resync(q, generation);
		EXPECT_EQ(test, answer(q, 2, 1).psn, next - 1);
		EXPECT_EQ(test, q->priv->r_next_psn_kdeth, generation << 11);
	}
	/* Data has come. */
	q->priv->r_next_psn_kdeth += 5;
	resync(q, generation);
	EXPECT_EQ(test, answer(q, 2, 1).psn, ((generation - 1) << 11) + 4);
}

static u32 generation_before(u32 generation)
{
	generation = (generation - 1) & 0xfffff;
	return generation == FAKE_GEN_RESERVED ? generation - 1 : generation;
}

/*
 * Nothing has come of the segments awaited, which were numbered in the
 * generation before: what is told must be before all of their PSNs.
 */
static void expect_nothing_told(struct fx_qp *q, u32 next, u32 save,
				u32 generation)
{
	struct ktap_test *test = q->fx->test;
	u32 first = generation_before(generation) << 11;
	struct answer a;

	q->priv->r_next_psn_kdeth = next;
	q->priv->r_next_psn_kdeth_save = save;
	resync(q, generation);
	a = answer(q, 2, 1);
	if (!EXPECT_LE(test, cmp_psn(a.psn, first), -1) ||
	    !EXPECT_LE(test, cmp_psn(a.psn, first + 2046), -1) ||
	    !EXPECT_LE(test, a.psn, 0x7fffffff))
		ktap_note(test, "next 0x%x, save 0x%x, generation 0x%x", next,
			  save, generation);
	EXPECT_EQ(test, q->priv->r_next_psn_kdeth, generation << 11);

	/* And again, the peer having missed the answer. */
	resync(q, generation);
	EXPECT_EQ(test, answer(q, 2, 1).psn, a.psn);
}

static void a_qp_that_received_nothing_tells_of_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	static const u32 generations[] = {
		2, 0x346, 0x7ffff, 0x80000, 0x80001, 0x90000, 0xffffd, 0xffffe,
	};
	u32 i;

	peer_writes(q, 2, 0x346, 4, 2);
	set_ring(q, 2, 2, 3);
	for (i = 0; i < ARRAY_SIZE(generations); i++)
		expect_nothing_told(q, 0, 0, generations[i]);
}

static void data_of_a_later_flow_is_not_told(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	u32 i;

	peer_writes(q, 2, 0x346, 4, 2);
	set_ring(q, 2, 2, 3);
	expect_nothing_told(q, (0x346 << 11) + 1, 0, 0x346);
	expect_nothing_told(q, (0x400 << 11) + 64, 0, 0x346);
	expect_nothing_told(q, (0x80344u << 11) + 64, 0, 0x346);
	expect_nothing_told(q, (3 << 11) + 64, 0, 0xffffe);
	expect_nothing_told(q, 64, 0, 0);
	expect_nothing_told(q, (5 << 11) + 64, 0, 0);
	expect_nothing_told(q, (5 << 11) + 64, 0, 1);
	expect_nothing_told(q, (5 << 11) + 64, 0, 2);
	/* Told before, when generations were others. */
	expect_nothing_told(q, 0x400 << 11, (0x3f0 << 11) + 64, 0x346);
	expect_nothing_told(q, 9 << 11, (8 << 11) + 64, 0);
	for (i = 0; i < 2000 && !test->failures; i++) {
		u32 generation = fx_random(fx, 0xfffff);
		u32 last = fx_random(fx, 0xfffff);

		if (last == generation_before(generation))
			continue;
		expect_nothing_told(q, (last << 11) + 1 + fx_random(fx, 2046),
				    fx_random(fx, 0x7fffffff), generation);
	}
}

static void an_earlier_flow_is_told_as_it_was(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);

	peer_writes(q, 2, 0x346, 4, 2);
	set_ring(q, 2, 2, 3);
	q->priv->r_next_psn_kdeth = (0x330 << 11) + 64;
	resync(q, 0x346);
	EXPECT_EQ(test, answer(q, 2, 1).psn, (0x330 << 11) + 63);
}

static void set_acked(struct tid_rdma_request *req, u32 ack_seg, u16 clear_tail,
		      u16 acked_tail)
{
	req->ack_seg = ack_seg;
	req->clear_tail = clear_tail;
	req->acked_tail = acked_tail;
}

static void expect_acked(struct fx_qp *q, u32 entry, u32 ack_seg,
			 u16 acked_tail, enum tid_rdma_req_state state)
{
	struct tid_rdma_request *req = write_of(q, entry);
	struct ktap_test *test = q->fx->test;

	EXPECT_EQ(test, req->ack_seg, ack_seg);
	EXPECT_EQ(test, req->acked_tail, acked_tail);
	EXPECT_EQ(test, req->state, state);
}

static void a_resync_catches_up_over_other_requests(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	u32 i;

	for (i = 0; i <= ACK_ENTRIES; i++)
		peer_writes(q, i, 0x346, 4, 0);
	/* Received in full, two segments not acknowledged yet. */
	set_acked(write_of(q, 3), 2, 1, 7);
	/* No WRITE: what its ring holds is of the past. */
	peer_reads(q, 4);
	set_acked(write_of(q, 4), 3, 2, 1);
	set_acked(write_of(q, ACK_ENTRIES), 1, 2, 1);
	/* Not in full. */
	set_acked(write_of(q, 0), 1, 3, 1);
	/* The one that is being received is not passed. */
	set_acked(write_of(q, 1), 2, 4, 2);
	set_ring(q, 3, 1, 2);
	resync(q, 0x346);
	EXPECT_EQ(test, answer(q, 3, 1).segment, 0x1004);
	EXPECT_EQ(test, q->priv->r_tid_ack, 1);
	EXPECT_EQ(test, q->priv->r_tid_tail, 1);
	expect_acked(q, 3, 4, 1, TID_REQUEST_COMPLETE);
	expect_acked(q, 4, 3, 1, TID_REQUEST_ACTIVE);
	expect_acked(q, 0, 3, 3, TID_REQUEST_ACTIVE);
	expect_acked(q, 1, 2, 2, TID_REQUEST_ACTIVE);
	expect_acked(q, 2, 0, 0, TID_REQUEST_ACTIVE);
	expect_acked(q, ACK_ENTRIES, 1, 1, TID_REQUEST_ACTIVE);
}

static void a_segment_of_a_write_restarts_no_read(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct tid_rdma_request *read = q->req;

	EXPECT_EQ(test, fx_take_flow(q), 0);
	q->req = write_of(q, 2);
	fx_post_scattered(q, 2, SEG_PKTS);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), 0);
	q->req->cur_seg = 2;
	/* A READ of ours is sent again from a PSN that would do. */
	q->qp->s_cur = 0;
	q->qp->s_psn = 0;
	q->qp->s_state = TID_OP(READ_RESP);
	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, q->qp->s_psn, 0);
	EXPECT_EQ(test, q->qp->s_state, TID_OP(READ_RESP));
	EXPECT_EQ(test, q->req->cur_seg, 2);
	EXPECT_EQ(test, q->req->clear_tail, 1);
	expect_counts(q, 0);
	check_all(fx);
	EXPECT_EQ(test, fx_clear(q), 0);
	q->req = read;
}

/**
 * struct part - a packet of the answer to a READ of the peer's
 * @resp: its header
 * @bth0: for its BTH
 * @bth1: the same
 * @bth2: the same
 * @len: bytes of data
 * @words: length of what is behind the BTH
 * @last: it is the last one
 */
struct part {
	struct tid_rdma_read_resp resp;
	u32 bth0;
	u32 bth1;
	u32 bth2;
	u32 len;
	u32 words;
	bool last;
};

/* The peer READs 5 pages into two TIDs: a pair of 3 pages and an odd one of 2. */
static struct tid_rdma_flow *peer_reads_tids(struct fx_qp *q)
{
	struct tid_rdma_request *req = write_of(q, 1);
	struct tid_rdma_flow *flow = &req->flows[2];

	q->qp->s_ack_queue[1].opcode = TID_OP(READ_REQ);
	req->clear_tail = 2;
	req->setup_head = 3;
	flow->tid_entry[0] = 3 | 3 << 20 | 0x15 << 22;
	flow->tid_entry[1] = 2 | 2 << 20 | 0x3ff << 22;
	flow->tidcnt = 2;
	flow->length = 5 * PAGE_SIZE;
	flow->tid_qpn = 0x00341802;
	flow->flow_state.generation = 0x345;
	flow->flow_state.spsn = 0x40;
	flow->flow_state.ib_spsn = 0x7ffffffe;
	q->qp->s_ack_rdma_sge.sge.sge_length = flow->length;
	return flow;
}

/* Build the header, then read the data as the send engine does. */
static struct part answer_part(struct fx_qp *q)
{
	struct ib_other_headers ohdr;
	struct part p = { };

	memset(&ohdr, 0, sizeof(ohdr));
	spin_lock_irq(&q->qp->s_lock);
	p.words = hfi1_build_tid_rdma_read_resp(q->qp, &q->qp->s_ack_queue[1],
						&ohdr, &p.bth0, &p.bth1,
						&p.bth2, &p.len, &p.last);
	spin_unlock_irq(&q->qp->s_lock);
	q->qp->s_ack_rdma_sge.sge.sge_length -= p.len;
	p.resp = ohdr.u.tid_rdma.r_rsp;
	return p;
}

static void expect_part(struct ktap_test *test, const struct part *p, u32 nth,
			u32 kdeth0)
{
	EXPECT_EQ(test, p->words, 9);
	EXPECT_EQ(test, p->len, PAGE_SIZE);
	EXPECT_EQ(test, p->bth0, 0xe5u << 24);
	EXPECT_EQ(test, p->bth1, 0x00341802);
	EXPECT_EQ(test, p->bth2, (0x345 << 11) + 0x40 + nth);
	EXPECT_EQ(test, le32_to_cpu(p->resp.kdeth0), kdeth0);
	EXPECT_EQ(test, le32_to_cpu(p->resp.kdeth1), 0x56);
	EXPECT_EQ(test, be32_to_cpu(p->resp.verbs_psn),
		  (0x7ffffffe + nth) & 0x7fffffff);
	EXPECT_EQ(test, be32_to_cpu(p->resp.verbs_qp), 0x00abcdef);
	EXPECT_EQ(test, be32_to_cpu(p->resp.aeth), AETH_ACK);
	EXPECT_EQ(test, p->last, nth == 4);
}

static void a_read_of_the_peer_is_answered_packet_by_packet(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	/* 0x78008000: large units, version 1, interrupt and suppress if not last */
	static const u32 kdeth0[] = {
		0x7c158000, 0x7c158040, 0x7c158080, 0x7bff8000, 0x4bff8040,
	};
	struct part p;
	u32 i;

	peer_reads_tids(q);
	q->remote.urg = 1;
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(test, write_of(q, 1)->clear_tail, 2);
		p = answer_part(q);
		expect_part(test, &p, i, kdeth0[i]);
	}
	EXPECT_EQ(test, write_of(q, 1)->clear_tail, 3);
}

/* An older READ was asked for again: the data of this one is read anew. */
static void an_answer_whose_data_is_read_anew_begins_anew(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct tid_rdma_flow *flow = peer_reads_tids(q);
	struct part p;
	u32 i;

	for (i = 0; i < 4; i++)
		answer_part(q);
	q->qp->s_ack_rdma_sge.sge.sge_length = flow->length;
	p = answer_part(q);
	expect_part(test, &p, 0, 0x6c158000);
	for (i = 1; i < 5; i++)
		p = answer_part(q);
	expect_part(test, &p, 4, 0x4bff8040);
}

static void without_parameters_of_the_peer_there_is_no_answer(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);

	peer_reads_tids(q);
	RCU_INIT_POINTER(q->priv->tid_rdma.remote, NULL);
	EXPECT_EQ(test, answer_part(q).words, 0);
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
	KTAP_CASE(an_ack_names_the_last_psn_of_a_segment),
	KTAP_CASE(a_nak_names_the_psn_that_is_missed),
	KTAP_CASE(a_resync_is_answered_with_its_own_psn),
	KTAP_CASE(a_resync_to_generation_0_is_answered),
	KTAP_CASE(a_resync_names_the_awaited_segment),
	KTAP_CASE(a_resync_behind_no_write_names_the_awaited),
	KTAP_CASE(a_resync_while_none_is_awaited_names_the_last),
	KTAP_CASE(resyncs_without_data_between_tell_the_same),
	KTAP_CASE(a_qp_that_received_nothing_tells_of_nothing),
	KTAP_CASE(data_of_a_later_flow_is_not_told),
	KTAP_CASE(an_earlier_flow_is_told_as_it_was),
	KTAP_CASE(a_resync_catches_up_over_other_requests),
	KTAP_CASE(a_segment_of_a_write_restarts_no_read),
	KTAP_CASE(a_read_of_the_peer_is_answered_packet_by_packet),
	KTAP_CASE(an_answer_whose_data_is_read_anew_begins_anew),
	KTAP_CASE(without_parameters_of_the_peer_there_is_no_answer),
};

static void retry_exit(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct peer_writes *w = NULL;
	u32 i;

	/* A case has one responder at most. */
	for (i = 0; i < fx->nqps; i++)
		if (fx->qps[i]->qp->s_ack_queue)
			w = container_of(fx->qps[i]->qp->s_ack_queue,
					 struct peer_writes, entries[0]);
	fx_exit(test);
	kfree(w);
}

const struct ktap_suite tid_retry_suite = {
	.name = "tid_retry",
	.init = fx_init,
	.exit = retry_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
