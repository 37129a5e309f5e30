// SPDX-License-Identifier: GPL-2.0
/* Packets that nothing in their QP explains. */

#include "../../tid_guard.h"
#include "checks.h"
#include "suites.h"

#define ENTRIES		3	/* requests of the peer that a QP keeps */
#define R_PSN		0x2000	/* of the peer's next request */
#define EAGER		1	/* a packet's type: its payload is in a buffer */
#define RESYNC_PSN(n)	((n) << HFI1_KDETH_BTH_SEQ_SHIFT | HFI1_KDETH_BTH_SEQ_MASK)

/* A QP that has sent and received nothing yet. */
static struct fx_qp *fresh(struct fx *fx)
{
	struct fx_qp *q = fx_qp_create(fx);

	fx_keep_requests(q, ENTRIES);
	q->qp->r_psn = R_PSN;
	q->qp->s_head = 0;
	q->qp->s_tail = 0;
	q->priv->s_tid_cur = HFI1_QP_WQE_INVALID;
	q->priv->r_tid_tail = HFI1_QP_WQE_INVALID;
	return q;
}

static bool passes_with(struct fx_qp *q, u8 opcode, u32 psn, u32 aeth, u8 type)
{
	struct ib_other_headers ohdr = {};
	struct hfi1_packet packet = {
		.qp = q->qp,
		.rcd = q->fx->rcd,
		.ohdr = &ohdr,
		.etype = type,
	};
	struct rvt_ibport *rvp = &q->fx->ppd->ibport_data.rvp;
	u64 drops = rvp->n_pkt_drops;
	bool ret;

	ohdr.bth[0] = cpu_to_be32((u32)opcode << 24 | 0xffff);
	/* It asks for an answer: that is no part of the PSN. */
	ohdr.bth[2] = cpu_to_be32(IB_BTH_REQ_ACK | psn);
	if (opcode == TID_OP(ACK))
		ohdr.u.tid_rdma.ack.aeth = cpu_to_be32(aeth);
	spin_lock_irq(&q->qp->r_lock);
	ret = tid_guard_passes(&packet);
	spin_unlock_irq(&q->qp->r_lock);
	EXPECT_EQ(q->fx->test, rvp->n_pkt_drops, drops + !ret);
	return ret;
}

static bool passes(struct fx_qp *q, u8 opcode, u32 psn, u8 type)
{
	return passes_with(q, opcode, psn, 0, type);
}

static bool ack_passes(struct fx_qp *q, u32 psn, u32 aeth)
{
	return passes_with(q, TID_OP(ACK), psn, aeth, EAGER);
}

/* The QP has sent a WRITE; so many of its segments are granted. */
static void writes(struct fx_qp *q, u32 segments, u32 granted)
{
	q->wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	q->req->total_segs = segments;
	q->req->comp_seg = granted;
	q->priv->s_tid_cur = 0;
}

/* The peer has sent a request. */
static void peer_asks(struct fx_qp *q, u32 entry, u8 opcode, u32 psn, u32 lpsn)
{
	q->peer->entries[entry].opcode = opcode;
	q->peer->entries[entry].psn = psn;
	q->peer->entries[entry].lpsn = lpsn;
	q->qp->r_head_ack_queue = (entry + 1) % ENTRIES;
}

static void a_grant_is_for_a_write_that_is_out(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);
	struct tid_rdma_flow *flows = q->req->flows;

	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	writes(q, 4, 0);
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	writes(q, 4, 3);
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	writes(q, 4, 4);
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	/* The QP is flushed. */
	writes(q, 4, 3);
	q->req->flows = NULL;
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	q->req->flows = flows;
	/* Another request has taken the slot. */
	q->wqe->wr.opcode = IB_WR_RDMA_WRITE;
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
	q->wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	q->priv->s_tid_cur = q->qp->s_size;
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_RESP), 1, EAGER));
}

static void data_is_for_a_segment_that_is_granted(struct ktap_test *test)
{
	static const u8 opcodes[] = { TID_OP(WRITE_DATA), TID_OP(WRITE_DATA_LAST) };
	struct fx *fx = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct fx_qp *q = fresh(fx);
		struct tid_rdma_request *req = &q->peer->privs[1].tid_req;

		EXPECT_FALSE(test, passes(q, opcodes[i], 1, EAGER));
		q->priv->r_tid_tail = ENTRIES;
		q->peer->privs[ENTRIES].tid_req.setup_head = 1;
		q->peer->entries[ENTRIES].opcode = TID_OP(WRITE_REQ);
		EXPECT_FALSE(test, passes(q, opcodes[i], 1, EAGER));
		peer_asks(q, 1, TID_OP(WRITE_REQ), R_PSN - 4, R_PSN - 1);
		q->priv->r_tid_tail = 1;
		EXPECT_FALSE(test, passes(q, opcodes[i], 1, EAGER));
		req->setup_head = 3;
		req->clear_tail = 2;
		EXPECT_TRUE(test, passes(q, opcodes[i], 1, EAGER));
		EXPECT_TRUE(test, passes(q, opcodes[i], 1, RHF_RCV_TYPE_EXPECTED));
		/* The ring of a READ tells of the peer's TIDs. */
		q->peer->entries[1].opcode = TID_OP(READ_REQ);
		EXPECT_FALSE(test, passes(q, opcodes[i], 1, EAGER));
	}
}

static void a_resync_is_for_a_qp_that_has_received_a_write(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);

	EXPECT_FALSE(test, passes(q, TID_OP(RESYNC), RESYNC_PSN(3), EAGER));
	q->priv->r_tid_tail = ENTRIES;
	EXPECT_FALSE(test, passes(q, TID_OP(RESYNC), RESYNC_PSN(3), EAGER));
	q->priv->r_tid_tail = ENTRIES - 1;
	EXPECT_TRUE(test, passes(q, TID_OP(RESYNC), RESYNC_PSN(3), EAGER));
}

/* A WRITE of two segments in a slot, which are granted and sent with these PSNs. */
static void is_granted(struct fx_qp *q, u32 slot, struct tid_rdma_flow *flows, u32 first)
{
	struct rvt_swqe *wqe = fx_slot(q, slot);
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);
	u32 i;

	wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	req->flows = flows;
	req->acked_tail = MAX_FLOWS - 1;
	req->setup_head = 1;
	req->clear_tail = 1;
	for (i = 0; i < 2; i++) {
		struct tid_rdma_flow *flow = &flows[(MAX_FLOWS - 1 + i) % MAX_FLOWS];

		flow->flow_state.generation = 5;
		flow->flow_state.spsn = first + i * 8;
		flow->flow_state.lpsn = first + i * 8 + 7;
	}
}

#define KDETH_PSN(seq)	(5 << HFI1_KDETH_BTH_SEQ_SHIFT | (seq))

static void an_ack_is_of_a_segment_that_is_granted(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);
	struct tid_rdma_flow *flows = q->req->flows, *more;

	more = kcalloc(MAX_FLOWS, sizeof(*more), GFP_KERNEL);
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x20), 0));
	/* The second WRITE begins anew at the start of the queue. */
	q->qp->s_acked = FX_SLOTS - 1;
	q->qp->s_tail = 1;
	is_granted(q, FX_SLOTS - 1, flows, 0x20);
	is_granted(q, 0, more, 0x30);
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x1f), 0));
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x20), 0));
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x2f), 0));
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x3f), 0));
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x40), 0));
	EXPECT_FALSE(test, ack_passes(q, 0x2f, 0));
	/* The first segment is acknowledged, then the first WRITE. */
	wqe_to_tid_req(fx_slot(q, FX_SLOTS - 1))->acked_tail = 0;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x27), 0));
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x28), 0));
	q->qp->s_acked = 0;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x28), 0));
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x3f), 0));
	/* It is flushed; another request has the slot; it has none. */
	wqe_to_tid_req(q->wqe)->flows = NULL;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x3f), 0));
	wqe_to_tid_req(q->wqe)->flows = more;
	q->wqe->wr.opcode = IB_WR_TID_RDMA_READ;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x3f), 0));
	q->wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
	q->qp->s_tail = 0;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x3f), 0));
	wqe_to_tid_req(fx_slot(q, FX_SLOTS - 1))->flows = NULL;
	wqe_to_tid_req(q->wqe)->flows = flows;
	kfree(more);
}

/* All others leave a timer with nothing to ask for, or segments without a timer. */
static void an_ack_says_yes_or_names_the_psn_that_is_missed(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);
	u32 syndrome;

	q->qp->s_acked = 0;
	q->qp->s_tail = 1;
	is_granted(q, 0, q->req->flows, 0x20);
	for (syndrome = 0; syndrome < 256; syndrome++)
		EXPECT_EQ(test, ack_passes(q, KDETH_PSN(0x20), syndrome << 24 | 0x1234),
			  syndrome < 0x20 || syndrome == IB_NAK_PSN_ERROR);
}

static void after_a_resync_only_its_answer_counts(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);

	q->qp->s_acked = 0;
	q->qp->s_tail = 1;
	is_granted(q, 0, q->req->flows, 0x20);
	EXPECT_TRUE(test, ack_passes(q, KDETH_PSN(0x20), 0));
	EXPECT_FALSE(test, ack_passes(q, RESYNC_PSN(5), 0));
	q->qp->s_flags |= HFI1_S_WAIT_HALT;
	EXPECT_FALSE(test, ack_passes(q, KDETH_PSN(0x20), 0));
	EXPECT_FALSE(test, ack_passes(q, RESYNC_PSN(5) - 1, 0));
	EXPECT_TRUE(test, ack_passes(q, RESYNC_PSN(5), 0));
	EXPECT_FALSE(test, ack_passes(q, RESYNC_PSN(5), IB_NAK_PSN_ERROR << 24));
	EXPECT_FALSE(test, ack_passes(q, RESYNC_PSN(5), 0x20 << 24));
}

static void a_read_does_not_come_again_as_a_write(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);

	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN, EAGER));
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN + 1, EAGER));
	/* Nobody knows it: hfi1 drops it itself. */
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN - 1, EAGER));
	peer_asks(q, 2, TID_OP(READ_REQ), R_PSN - 12, R_PSN - 9);
	peer_asks(q, 0, TID_OP(WRITE_REQ), R_PSN - 8, R_PSN - 5);
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN - 13, EAGER));
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_REQ), R_PSN - 12, EAGER));
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_REQ), R_PSN - 9, EAGER));
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN - 8, EAGER));
	EXPECT_TRUE(test, passes(q, TID_OP(READ_REQ), R_PSN - 12, EAGER));
	/* Behind a READ a new one may come. */
	peer_asks(q, 0, TID_OP(READ_REQ), R_PSN - 8, R_PSN - 1);
	EXPECT_TRUE(test, passes(q, TID_OP(WRITE_REQ), R_PSN, EAGER));
}

static void only_data_comes_where_a_tid_says(struct ktap_test *test)
{
	static const u8 others[] = {
		TID_OP(WRITE_REQ), TID_OP(WRITE_RESP), TID_OP(READ_REQ),
		TID_OP(RESYNC), TID_OP(ACK),
	};
	struct fx_qp *q = fresh(test->priv);
	u32 i;

	writes(q, 4, 0);
	q->qp->s_flags |= HFI1_S_WAIT_HALT;
	q->priv->r_tid_tail = 0;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		EXPECT_TRUE(test, passes(q, others[i], RESYNC_PSN(9), EAGER));
		EXPECT_FALSE(test, passes(q, others[i], RESYNC_PSN(9),
					  RHF_RCV_TYPE_EXPECTED));
	}
}

static void a_qp_without_tid_rdma_takes_nothing(struct ktap_test *test)
{
	struct fx_qp *q = fresh(test->priv);
	struct page **pages = q->priv->pages;

	q->priv->pages = NULL;
	EXPECT_FALSE(test, passes(q, TID_OP(WRITE_REQ), R_PSN, EAGER));
	EXPECT_FALSE(test, passes(q, TID_OP(READ_REQ), R_PSN, EAGER));
	q->priv->pages = pages;
}

static const struct ktap_case cases[] = {
	KTAP_CASE(a_grant_is_for_a_write_that_is_out),
	KTAP_CASE(data_is_for_a_segment_that_is_granted),
	KTAP_CASE(a_resync_is_for_a_qp_that_has_received_a_write),
	KTAP_CASE(an_ack_is_of_a_segment_that_is_granted),
	KTAP_CASE(an_ack_says_yes_or_names_the_psn_that_is_missed),
	KTAP_CASE(after_a_resync_only_its_answer_counts),
	KTAP_CASE(a_read_does_not_come_again_as_a_write),
	KTAP_CASE(only_data_comes_where_a_tid_says),
	KTAP_CASE(a_qp_without_tid_rdma_takes_nothing),
};

const struct ktap_suite tid_guard_suite = {
	.name = "tid_guard",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
