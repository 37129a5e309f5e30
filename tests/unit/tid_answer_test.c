// SPDX-License-Identifier: GPL-2.0
/* What a QP answers when packets of its peer are lost or asked for again. */

#include "checks.h"
#include "suites.h"

#define ACK_SEG_PKTS	64	/* packets of a segment of a WRITE */
#define MSN		0x001234
#define AETH_ACK	(0x1fu << 24 | MSN)	/* credits are not counted */

/* WRITEs of the peer */

static struct fx_qp *responder(struct fx *fx)
{
	struct fx_qp *q = fx_qp_create(fx);
	u32 i, j;

	fx_keep_requests(q, FX_ENTRIES);
	for (i = 0; i <= FX_ENTRIES; i++)
		for (j = 0; j < FX_RING; j++) {
			struct tid_rdma_flow *flow = &q->peer->flows[i][j];

			/* More than 5 bits: the rest must be cut off. */
			flow->idx = 0x20 + 9;
			flow->flow_state.resp_ib_psn = 0x1000 * i + j;
		}
	q->qp->remote_qpn = 0x00abcdef;
	q->qp->r_msn = 0xff000000 | MSN;
	/* Never looked into: with a shared queue no credits are counted. */
	q->qp->ibqp.srq = (struct ib_srq *)q;
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

	for (i = 0; i <= FX_ENTRIES; i++)
		peer_writes(q, i, 0x346, 4, 0);
	/* Received in full, two segments not acknowledged yet. */
	set_acked(write_of(q, 3), 2, 1, 7);
	/* No WRITE: what its ring holds is of the past. */
	peer_reads(q, 4);
	set_acked(write_of(q, 4), 3, 2, 1);
	set_acked(write_of(q, FX_ENTRIES), 1, 2, 1);
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
	expect_acked(q, FX_ENTRIES, 1, 1, TID_REQUEST_ACTIVE);
}

static void a_segment_of_a_write_restarts_no_read(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = responder(fx);
	struct tid_rdma_request *read = q->req;

	EXPECT_EQ(test, fx_take_flow(q), 0);
	q->req = write_of(q, 2);
	fx_post_scattered(q, 2, 16);
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
	EXPECT_EQ(test, q->req->ack_pending, 0);
	EXPECT_EQ(test, q->priv->pending_tid_r_segs, 0);
	EXPECT_EQ(test, q->qp->s_num_rd_atomic, 0);
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

const struct ktap_suite tid_answer_suite = {
	.name = "tid_answer",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
