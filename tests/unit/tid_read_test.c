// SPDX-License-Identifier: GPL-2.0
/* Requests for the segments of a READ, and the flow that they share with WRITEs. */

#include "../../tid_read.h"
#include "../../tid_reset.h"
#include "checks.h"
#include "suites.h"

#define FROM		0x123456000ull
#define SEG_PAGES	8
#define SEG_BYTES	(SEG_PAGES << PAGE_SHIFT)
#define FIRST_PSN	0x2000
#define LAST_SEQ	2047	/* a RESYNC's, in each generation */

/**
 * struct asked - what a packet would hold
 * @hdr: its header
 * @bth1: destination QP
 * @bth2: PSN
 * @len: bytes of data
 */
struct asked {
	struct ib_other_headers hdr;
	u32 bth1;
	u32 bth2;
	u32 len;
};

/* A READ of some segments, none of them asked for. */
static struct fx_qp *reader(struct fx *fx, u32 nsegs)
{
	struct fx_qp *q = fx_qp_create(fx);

	fx_post_scattered(q, nsegs, SEG_PAGES);
	q->qp->s_sge = q->ss;
	q->qp->s_tail = 0;
	q->qp->s_cur = 0;
	q->qp->s_psn = FIRST_PSN;
	q->qp->remote_qpn = 0xabcdef;
	q->priv->tid_rdma.local.qp = 0x800000;
	q->priv->tid_r_reqs = 1;
	q->remote.qp = 0x800003;
	q->remote.jkey = 0x2a;
	q->wqe->psn = FIRST_PSN;
	q->wqe->lpsn = FIRST_PSN + nsegs * SEG_PAGES - 1;
	q->wqe->rdma_wr.remote_addr = FROM;
	q->wqe->rdma_wr.rkey = 0x5678;
	q->req->seg_len = SEG_BYTES;
	q->req->s_next_psn = FIRST_PSN;
	q->req->total_segs = nsegs;
	return q;
}

/* Bytes of header. */
static u32 ask(struct fx_qp *q, struct asked *a)
{
	u32 words;

	*a = (struct asked){ .bth1 = 0xff000055, .len = SEG_BYTES };
	spin_lock_irq(&q->qp->s_lock);
	words = hfi1_build_tid_rdma_read_req(q->qp, q->wqe, &a->hdr, &a->bth1,
					     &a->bth2, &a->len);
	q->qp->s_tail = 1;
	q->qp->s_psn = q->req->s_next_psn;
	spin_unlock_irq(&q->qp->s_lock);
	return words * 4;
}

/* hfi1_rc_rcv_tid_rdma_read_resp(), when the last packet of a segment has come. */
static void comes(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	q->req->ack_pending--;
	q->priv->pending_tid_r_segs--;
	q->qp->s_num_rd_atomic--;
	EXPECT_EQ(q->fx->test, hfi1_kern_exp_rcv_clear(q->req), 0);
	if (++q->req->comp_seg == q->req->total_segs) {
		q->priv->tid_r_comp++;
		hfi1_kern_clear_hw_flow(q->priv->rcd, q->qp);
	}
	spin_unlock_irq(&q->qp->s_lock);
}

/* The flow is taken, and so many of its PSNs are. */
static void has_used(struct fx_qp *q, u32 psns)
{
	EXPECT_EQ(q->fx->test, fx_take_flow(q), 0);
	q->priv->flow_state.psn = psns;
}

static void a_segment_is_asked_for(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct hfi1_qp_priv *priv = q->priv;
	struct tid_rdma_read_req *hdr;
	struct asked a;
	u32 i;

	hdr = &a.hdr.u.tid_rdma.r_req;
	for (i = 0; i < 2; i++) {
		struct tid_rdma_flow *flow = &q->req->flows[i];

		EXPECT_EQ(test, ask(q, &a), sizeof(*hdr));
		EXPECT_EQ(test, le32_to_cpu(hdr->kdeth0), 1 << 30);
		EXPECT_EQ(test, le32_to_cpu(hdr->kdeth1), 0x2a);
		EXPECT_EQ(test, be64_to_cpu(hdr->reth.vaddr), FROM + i * SEG_BYTES);
		EXPECT_EQ(test, be32_to_cpu(hdr->reth.rkey), 0x5678);
		EXPECT_EQ(test, be32_to_cpu(hdr->reth.length), SEG_BYTES);
		EXPECT_EQ(test, be32_to_cpu(hdr->tid_flow_psn),
			  priv->flow_state.generation << 11 | i * SEG_PAGES);
		EXPECT_EQ(test, be32_to_cpu(hdr->tid_flow_qp),
			  0x800000 | priv->flow_state.index << 11 | FX_CTXT);
		EXPECT_EQ(test, be32_to_cpu(hdr->verbs_qp), 0xabcdef);
		EXPECT_EQ(test, a.bth1, 0xff800003);
		EXPECT_EQ(test, a.bth2, (FIRST_PSN + i * SEG_PAGES) | BIT(31));
		EXPECT_EQ(test, a.len, flow->tidcnt * 4);
		EXPECT_PTR_EQ(test, q->swqe->ss.sge.vaddr, flow->tid_entry);
		EXPECT_EQ(test, q->swqe->ss.sge.sge_length, a.len);
		EXPECT_EQ(test, q->swqe->ss.sge.length, a.len);
		EXPECT_EQ(test, q->swqe->ss.total_len, a.len);
		EXPECT_EQ(test, q->swqe->ss.num_sge, 1);
		EXPECT_EQ(test, flow->flow_state.ib_spsn, FIRST_PSN + i * SEG_PAGES);
		EXPECT_EQ(test, flow->flow_state.ib_lpsn,
			  FIRST_PSN + (i + 1) * SEG_PAGES - 1);
		EXPECT_EQ(test, q->req->s_next_psn, FIRST_PSN + (i + 1) * SEG_PAGES);
		EXPECT_EQ(test, q->req->cur_seg, i + 1);
		EXPECT_EQ(test, q->req->ack_pending, i + 1);
		EXPECT_EQ(test, q->req->state, TID_REQUEST_ACTIVE);
		EXPECT_EQ(test, q->qp->s_num_rd_atomic, i + 1);
		EXPECT_EQ(test, q->qp->s_state, 0xe4);
		EXPECT_EQ(test, priv->pending_tid_r_segs, i + 1);
	}
	check_all(fx);
	comes(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS - 1);
	comes(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
}

static void a_segment_that_is_asked_for_again_keeps_its_tids(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct asked first, again;
	u32 i;

	EXPECT_LE(test, 1, ask(q, &first));
	EXPECT_LE(test, 1, ask(q, &again));
	/* hfi1_restart_rc() and hfi1_tid_rdma_restart_req() */
	q->req->flow_idx = q->req->clear_tail;
	q->req->cur_seg = 0;
	q->req->ack_pending = 0;
	q->req->s_next_psn = FIRST_PSN;
	q->req->state = TID_REQUEST_RESEND;
	q->priv->pending_tid_r_segs = 0;
	q->qp->s_num_rd_atomic = 0;
	EXPECT_LE(test, 1, ask(q, &again));
	EXPECT_TRUE(test, !memcmp(&first, &again, sizeof(first)));
	EXPECT_LE(test, 1, ask(q, &again));
	EXPECT_EQ(test, fx_live_segments(q), 2);
	EXPECT_EQ(test, q->req->s_next_psn, FIRST_PSN + 2 * SEG_PAGES);
	for (i = 0; i < 2; i++)
		comes(q);
}

/* Older segments were sent again: the send engine's place in the buffer is lost. */
static void after_a_resend_the_next_segment_begins_where_it_should(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 3);
	struct asked a;

	q->wqe->sg_list[0] = q->qp->s_sge.sge;
	q->wqe->wr.num_sge = 1;
	q->wqe->length = 3 * SEG_BYTES;
	EXPECT_LE(test, 1, ask(q, &a));
	q->req->state = TID_REQUEST_RESEND;
	q->req->isge = 1;
	memset(&q->qp->s_sge.sge, 0xee, sizeof(q->qp->s_sge.sge));
	EXPECT_LE(test, 1, ask(q, &a));
	check_segment(q, fx_segment(q, 1), q->pages + SEG_PAGES, SEG_PAGES);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_ACTIVE);
	comes(q);
	comes(q);
}

static void a_segment_waits_for_a_flow_and_for_tids(struct ktap_test *test)
{
	struct fx_qp *taker, *holder, *q;
	struct fx *fx = test->priv;
	struct asked a;

	fx_set_groups(fx, 2);
	q = reader(fx, 1);
	holder = fx_scattered(fx, 1, 12);
	EXPECT_EQ(test, fx_setup(holder), 0);
	while (fx_free_flows(fx))
		taker = fx_taker(fx);
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_PTR_EQ(test, fx_queue_of(q), &fx->rcd->flow_queue);
	fx_give_flow(taker);
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_QUEUED);
	EXPECT_PTR_EQ(test, fx_queue_of(q), &fx->rcd->rarr_queue);
	EXPECT_EQ(test, q->priv->pending_tid_r_segs, 0);
	fx_clear_all(holder);
	EXPECT_LE(test, 1, ask(q, &a));
	comes(q);
}

static void without_psns_it_waits_for_the_segments_before(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct asked a;
	u32 generation;

	has_used(q, LAST_SEQ - SEG_PAGES);
	generation = q->priv->flow_state.generation;
	EXPECT_LE(test, 1, ask(q, &a));
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_SYNC);
	EXPECT_EQ(test, q->priv->flow_state.generation, generation);
	comes(q);
	EXPECT_TRUE(test, fx_woken(q));
	q->priv->s_flags = BIT(19) | BIT(2);
	EXPECT_LE(test, 1, ask(q, &a));
	EXPECT_EQ(test, q->priv->s_flags, BIT(2));
	EXPECT_EQ(test, q->req->state, TID_REQUEST_ACTIVE);
	EXPECT_TRUE(test, q->priv->flow_state.generation != generation);
	EXPECT_EQ(test, q->priv->flow_state.psn, SEG_PAGES);
	comes(q);
}

/* hfi1_restart_rc() counts as not under way what it is going to ask for again. */
static void without_psns_it_waits_for_what_is_asked_for_again(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct asked a;
	u32 generation;

	EXPECT_LE(test, 1, ask(q, &a));
	generation = q->priv->flow_state.generation;
	q->priv->flow_state.psn = LAST_SEQ;
	q->priv->pending_tid_r_segs = 0;
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->req->state, TID_REQUEST_SYNC);
	EXPECT_EQ(test, q->priv->flow_state.generation, generation);
	EXPECT_EQ(test, fx_live_segments(q), 1);
	q->priv->pending_tid_r_segs = 1;
	comes(q);
	EXPECT_TRUE(test, fx_woken(q));
	EXPECT_LE(test, 1, ask(q, &a));
	EXPECT_TRUE(test, q->priv->flow_state.generation != generation);
	comes(q);
}

/* In-tree code takes the flow from under them. */
static void without_psns_it_waits_for_inbound_writes(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;
	u32 generation;

	has_used(q, LAST_SEQ - SEG_PAGES + 1);
	generation = q->priv->flow_state.generation;
	q->priv->alloc_w_segs = 2;
	EXPECT_EQ(test, ask(q, &a), 0);
	q->priv->alloc_w_segs = 1;
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->priv->flow_state.generation, generation);
	q->priv->alloc_w_segs = 0;
	EXPECT_LE(test, 1, ask(q, &a));
	EXPECT_TRUE(test, q->priv->flow_state.generation != generation);
	comes(q);
}

/* The WRITEs went on with a new flow meanwhile: there is room again. */
static void with_psns_again_it_goes_on(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;

	has_used(q, LAST_SEQ);
	q->priv->alloc_w_segs = 1;
	EXPECT_EQ(test, ask(q, &a), 0);
	q->priv->flow_state.psn = 100;
	EXPECT_LE(test, 1, ask(q, &a));
	EXPECT_EQ(test, q->priv->flow_state.psn, 100 + SEG_PAGES);
	q->priv->alloc_w_segs = 0;
	comes(q);
}

static void a_read_without_a_peer_is_ended(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	RCU_INIT_POINTER(q->priv->tid_rdma.remote, NULL);
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->failed, 1);
	q->req->flow_idx = q->req->clear_tail;
	EXPECT_EQ(test, ask(q, &a), 0);
	EXPECT_EQ(test, q->failed, 2);
	fx_clear_all(q);
}

static void a_flow_stays_while_a_write_is_received(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	q->priv->alloc_w_segs = 1;
	comes(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS - 1);
	q->priv->alloc_w_segs = 0;
	fx_give_flow(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
}

static void a_flow_stays_while_a_read_is_under_way(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	/* What hfi1_restart_rc() makes of it until the segment is asked for again. */
	q->priv->pending_tid_r_segs = 0;
	fx_give_flow(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS - 1);
	q->priv->pending_tid_r_segs = 1;
	comes(q);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
}

static void in_error_a_flow_goes_back_whoever_uses_it(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	q->priv->alloc_w_segs = 1;
	fx_keep_requests(q, 2);
	spin_lock_irq(&q->qp->s_lock);
	q->qp->state = IB_QPS_ERR;
	tid_reset_error(q->qp);
	spin_unlock_irq(&q->qp->s_lock);
	EXPECT_EQ(test, fx_free_flows(fx), FAKE_FLOWS);
}

static void writes_that_wait_for_psns_go_on_after_a_read(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 1);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	q->priv->sync_pt = true;
	comes(q);
	EXPECT_TRUE(test, fx_woken(q));
	EXPECT_TRUE(test, q->qp->s_flags & RVT_S_RESP_PENDING);
}

static void nobody_is_scheduled_who_waits_for_nothing(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = reader(fx, 2);
	struct asked a;

	EXPECT_LE(test, 1, ask(q, &a));
	comes(q);
	EXPECT_TRUE(test, !fx_woken(q));
	EXPECT_EQ(test, q->qp->s_flags, 0);
}

static const struct ktap_case tid_read_cases[] = {
	KTAP_CASE(a_segment_is_asked_for),
	KTAP_CASE(a_segment_that_is_asked_for_again_keeps_its_tids),
	KTAP_CASE(after_a_resend_the_next_segment_begins_where_it_should),
	KTAP_CASE(a_segment_waits_for_a_flow_and_for_tids),
	KTAP_CASE(without_psns_it_waits_for_the_segments_before),
	KTAP_CASE(without_psns_it_waits_for_what_is_asked_for_again),
	KTAP_CASE(without_psns_it_waits_for_inbound_writes),
	KTAP_CASE(with_psns_again_it_goes_on),
	KTAP_CASE(a_read_without_a_peer_is_ended),
	KTAP_CASE(a_flow_stays_while_a_write_is_received),
	KTAP_CASE(a_flow_stays_while_a_read_is_under_way),
	KTAP_CASE(in_error_a_flow_goes_back_whoever_uses_it),
	KTAP_CASE(writes_that_wait_for_psns_go_on_after_a_read),
	KTAP_CASE(nobody_is_scheduled_who_waits_for_nothing),
};

const struct ktap_suite tid_read_suite = {
	.name = "tid_read",
	.init = fx_init,
	.exit = fx_exit,
	.cases = tid_read_cases,
	.ncases = ARRAY_SIZE(tid_read_cases),
};
