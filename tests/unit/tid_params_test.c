// SPDX-License-Identifier: GPL-2.0
/* What a QP tells its peer, and what it believes of what the peer tells. */

#include <linux/jiffies.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../../tid_params.h"
#include "checks.h"
#include "suites.h"

#define URGENT_SOURCE	(416 + FX_CTXT)

/* The word of a peer on context 3 that is as hfi1 itself would be. */
#define PEER_PAGES(n)	((u64)((n) - 1) << 37)
#define PEER_READS(n)	((u64)(n) << 10)
#define PEER_WRITES(n)	((u64)(n) << 4)
#define PEER_TIMEOUT(n)	((u64)(n) << 32)
#define PEER_REST	(3ull << 56 | 0x80ull << 48 | 1ull << 25 | 0x2aull << 16 | 1)
#define PEER_WORD(pages, reads, writes, timeout) \
	(PEER_PAGES(pages) | PEER_READS(reads) | PEER_WRITES(writes) | \
	 PEER_TIMEOUT(timeout) | PEER_REST)
#define PEER_USUAL	PEER_WORD(64, 6, 4, 14)

static struct fx_qp *stranger(struct fx *fx, u32 groups)
{
	struct fx_qp *q;

	fx_set_groups(fx, groups);
	q = fx_qp_create(fx);
	RCU_INIT_POINTER(q->priv->tid_rdma.remote, NULL);
	fx->rcd->jkey = 0x20;
	q->qp->timeout = 17;
	q->qp->remote_ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_dlid(&q->qp->remote_ah_attr, 2);
	fx->ppd->lid = 1;
	spin_lock_irq(&q->priv->opfn.lock);
	tid_rdma_opfn_init(q->qp, &q->priv->tid_rdma.local);
	spin_unlock_irq(&q->priv->opfn.lock);
	return q;
}

static bool is_told(struct fx_qp *q, u64 word)
{
	bool ret;

	spin_lock_irq(&q->priv->opfn.lock);
	ret = tid_rdma_conn_reply(q->qp, word);
	spin_unlock_irq(&q->priv->opfn.lock);
	return ret;
}

static void is_asked_again(struct fx_qp *q)
{
	spin_lock_irq(&q->priv->opfn.lock);
	tid_rdma_conn_error(q->qp);
	spin_unlock_irq(&q->priv->opfn.lock);
}

static struct tid_rdma_params *agreed(struct fx_qp *q)
{
	return rcu_dereference_protected(q->priv->tid_rdma.remote, true);
}

/* The kernel frees them; what the fixture has of its own is in the QP. */
static void is_reset(struct fx_qp *q)
{
	q->qp->state = IB_QPS_RESET;
	is_asked_again(q);
	EXPECT_PTR_EQ(q->fx->test, agreed(q), NULL);
	q->qp->state = IB_QPS_RTS;
}

static void a_qp_tells_what_its_context_can_receive(struct ktap_test *test)
{
	static const u32 cases[][2] = {
		/* groups of 8 TIDs, pages of the largest segment */
		{ 1, 8 }, { 2, 16 }, { 6, 48 }, { 7, 56 }, { 8, 64 }, { 64, 64 },
	};
	struct fx *fx = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fx_qp *q = stranger(fx, cases[i][0]);
		struct tid_rdma_params *p = &q->priv->tid_rdma.local;

		EXPECT_EQ(test, p->max_len, cases[i][1] << PAGE_SHIFT);
		EXPECT_EQ(test, p->qp, 0x800000 | FX_CTXT);
		EXPECT_EQ(test, p->jkey, 0x20);
		EXPECT_EQ(test, p->max_read, 6);
		EXPECT_EQ(test, p->max_write, 4);
		EXPECT_EQ(test, p->timeout, 17);
		EXPECT_EQ(test, p->urg, 1);
	}
	check_device(fx);
}

static void urgent_interrupts_are_told_as_the_chip_has_them(struct ktap_test *test)
{
	struct fx *fx = test->priv;

	fake_hw_unmask(URGENT_SOURCE - 1);
	EXPECT_EQ(test, stranger(fx, 16)->priv->tid_rdma.local.urg, 1);
	fake_hw_unmask(URGENT_SOURCE);
	EXPECT_EQ(test, stranger(fx, 16)->priv->tid_rdma.local.urg, 0);
}

static void a_sound_peer_is_believed(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);
	struct tid_rdma_params *p;

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	p = agreed(q);
	if (!p) {
		EXPECT_TRUE(test, p);
		return;
	}
	EXPECT_EQ(test, p->max_len, 64 << PAGE_SHIFT);
	EXPECT_EQ(test, p->qp, 0x800003);
	EXPECT_EQ(test, p->jkey, 0x2a);
	EXPECT_EQ(test, p->max_read, 6);
	EXPECT_EQ(test, p->max_write, 4);
	EXPECT_EQ(test, p->timeout, 14);
	EXPECT_EQ(test, p->urg, 1);
	EXPECT_EQ(test, q->priv->pkts_ps, 64);
	EXPECT_EQ(test, q->priv->timeout_shift, 6);
	is_reset(q);
	EXPECT_EQ(test, q->priv->timeout_shift, 0);
}

static void is_posted(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_hlock);
	setup_tid_rdma_wqe(q->qp, q->wqe);
	spin_unlock_irq(&q->qp->s_hlock);
}

/*
 * Post 1 MiB in a slot that a request was dropped from: bytes of a segment if it is
 * one of TID RDMA, else 0.
 */
static u32 segment_of(struct fx_qp *q, enum ib_wr_opcode opcode)
{
	struct tid_rdma_request *req = wqe_to_tid_req(q->wqe);
	struct rvt_swqe *wqe = q->wqe;
	u32 begins;

	wqe->wr.opcode = opcode;
	wqe->wr.num_sge = 1;
	wqe->sg_list[0].vaddr = (void *)PAGE_SIZE;
	wqe->sg_list[0].sge_length = SZ_1M;
	wqe->length = SZ_1M;
	wqe->rdma_wr.remote_addr = PAGE_SIZE;
	wqe->psn = 0x100;
	wqe->lpsn = 0;
	req->setup_head = 3;
	req->clear_tail = 6;
	req->acked_tail = 0;
	req->flow_idx = 5;
	req->cur_seg = 9;
	is_posted(q);
	begins = req->clear_tail;
	/* The fixture clears what is between the two when it goes. */
	req->clear_tail = 3;
	if (wqe->wr.opcode == opcode)
		return 0;
	EXPECT_EQ(q->fx->test, begins, 3);
	EXPECT_EQ(q->fx->test, req->acked_tail, 3);
	EXPECT_EQ(q->fx->test, req->flow_idx, 3);
	EXPECT_EQ(q->fx->test, req->total_segs,
		  DIV_ROUND_UP(SZ_1M, req->seg_len));
	EXPECT_EQ(q->fx->test, req->cur_seg, 0);
	return req->seg_len;
}

static u32 read_segment(struct fx_qp *q)
{
	u32 reqs = q->priv->tid_r_reqs, len = segment_of(q, IB_WR_RDMA_READ);

	if (!len)
		return 0;
	EXPECT_EQ(q->fx->test, q->wqe->wr.opcode, IB_WR_TID_RDMA_READ);
	EXPECT_EQ(q->fx->test, q->wqe->lpsn, 0x100 + SZ_1M / q->qp->pmtu - 1);
	EXPECT_EQ(q->fx->test, q->req->n_flows, agreed(q)->max_read);
	EXPECT_EQ(q->fx->test, q->priv->tid_r_reqs, reqs + 1);
	return len;
}

static u32 write_segment(struct fx_qp *q)
{
	int reqs = atomic_read(&q->priv->n_requests);
	u32 len = segment_of(q, IB_WR_RDMA_WRITE);

	if (!len)
		return 0;
	EXPECT_EQ(q->fx->test, q->wqe->wr.opcode, IB_WR_TID_RDMA_WRITE);
	EXPECT_EQ(q->fx->test, q->wqe->lpsn, 0x100 + q->req->total_segs - 1);
	EXPECT_EQ(q->fx->test, atomic_read(&q->priv->n_requests), reqs + 1);
	return len;
}

static void a_request_begins_without_what_its_slot_held(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	EXPECT_EQ(test, write_segment(q), SZ_256K);
	EXPECT_EQ(test, read_segment(q), SZ_256K);
	is_reset(q);
}

static void numbers_that_make_no_sense_are_not_used(struct ktap_test *test)
{
	static const struct {
		u32 groups;
		u32 pmtu;
		u32 pages;
		u32 reads;
		u32 writes;
		u32 read_pages;
		u32 write_pages;
	} cases[] = {
		{ 16, 4096, 1, 6, 4, 1, 1 },
		{ 16, 4096, 2, 1, 1, 2, 2 },
		{ 16, 4096, 63, 6, 4, 63, 63 },
		{ 16, 4096, 64, 63, 63, 64, 64 },
		{ 16, 4096, 65, 6, 4, 64, 0 },
		{ 16, 4096, 128, 6, 4, 64, 0 },
		{ 16, 4096, 2048, 6, 4, 64, 0 },
		{ 16, 4096, 64, 0, 4, 0, 64 },
		{ 16, 4096, 64, 6, 0, 64, 0 },
		{ 16, 8192, 1, 6, 4, 0, 0 },
		{ 16, 8192, 2, 6, 4, 2, 2 },
		{ 16, 8192, 63, 6, 4, 0, 0 },
		{ 16, 8192, 64, 6, 4, 64, 64 },
		/* READs take TIDs here, WRITEs there. */
		{ 6, 4096, 48, 6, 4, 48, 48 },
		{ 6, 4096, 49, 6, 4, 48, 49 },
		{ 6, 4096, 64, 6, 4, 48, 64 },
	};
	struct fx *fx = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fx_qp *q = stranger(fx, cases[i].groups);

		q->qp->pmtu = cases[i].pmtu;
		q->qp->log_pmtu = ilog2(cases[i].pmtu);
		EXPECT_TRUE(test,
			    is_told(q, PEER_WORD(cases[i].pages, cases[i].reads,
						 cases[i].writes, 14)));
		EXPECT_EQ(test, read_segment(q), cases[i].read_pages << PAGE_SHIFT);
		EXPECT_EQ(test, write_segment(q),
			  cases[i].write_pages << PAGE_SHIFT);
		is_reset(q);
	}
}

/* Stock code has agreed on it, and is unloaded by now. */
static void segments_that_do_not_fit_are_not_used(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 6);

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	q->priv->pkts_ps = 64;
	EXPECT_EQ(test, read_segment(q), 0);
	q->priv->pkts_ps = 48;
	EXPECT_EQ(test, read_segment(q), 48 << PAGE_SHIFT);
	is_reset(q);
}

static void only_whole_pages_are_for_tid_rdma(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);
	struct rvt_swqe *wqe = q->wqe;

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	EXPECT_EQ(test, read_segment(q), SZ_256K);
	wqe->wr.opcode = IB_WR_RDMA_READ;
	wqe->sg_list[0].vaddr = (void *)PAGE_SIZE + 64;
	is_posted(q);
	EXPECT_EQ(test, wqe->wr.opcode, IB_WR_RDMA_READ);
	wqe->sg_list[0].vaddr = (void *)PAGE_SIZE;
	wqe->sg_list[0].sge_length = SZ_1M + 4;
	is_posted(q);
	EXPECT_EQ(test, wqe->wr.opcode, IB_WR_RDMA_READ);

	EXPECT_EQ(test, write_segment(q), SZ_256K);
	wqe->wr.opcode = IB_WR_RDMA_WRITE;
	wqe->rdma_wr.remote_addr = PAGE_SIZE + 64;
	is_posted(q);
	EXPECT_EQ(test, wqe->wr.opcode, IB_WR_RDMA_WRITE);
	wqe->rdma_wr.remote_addr = PAGE_SIZE;
	wqe->length = SZ_1M + 4;
	is_posted(q);
	EXPECT_EQ(test, wqe->wr.opcode, IB_WR_RDMA_WRITE);
	is_reset(q);
}

static void without_a_peer_or_with_long_lids_there_is_none(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);

	EXPECT_EQ(test, read_segment(q), 0);
	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	q->priv->hdr_type = 1;
	EXPECT_EQ(test, read_segment(q), 0);
	q->priv->hdr_type = 0;
	/* the port's own LID, of which the lowest bit is any */
	fx->ppd->lid = 6;
	fx->ppd->lmc = 1;
	rdma_ah_set_dlid(&q->qp->remote_ah_attr, 7);
	EXPECT_EQ(test, write_segment(q), 0);
	rdma_ah_set_dlid(&q->qp->remote_ah_attr, 8);
	EXPECT_EQ(test, write_segment(q), SZ_256K);
	fx->ppd->lmc = 0;
	is_reset(q);
}

static void a_ring_is_made_when_there_is_none(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);
	u32 i;

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	kfree(q->req->flows);
	q->req->flows = NULL;
	q->req->rcd->numa_id = NUMA_NO_NODE;
	EXPECT_EQ(test, read_segment(q), SZ_256K);
	for (i = 0; q->req->flows && i < FX_RING; i++) {
		EXPECT_PTR_EQ(test, q->req->flows[i].req, q->req);
		EXPECT_EQ(test, q->req->flows[i].npagesets, 0);
	}
	EXPECT_TRUE(test, q->req->flows);
	is_reset(q);
}

static void a_peer_that_does_not_want_is_left_alone(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);

	EXPECT_TRUE(test, is_told(q, 1));
	EXPECT_PTR_EQ(test, agreed(q), NULL);
}

/* hfi1 then has no parameters of its own, and a peer must not think so. */
static void without_tid_rdma_every_peer_is_refused(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);

	memset(&q->priv->tid_rdma.local, 0, sizeof(q->priv->tid_rdma.local));
	EXPECT_TRUE(test, !is_told(q, PEER_USUAL));
	EXPECT_PTR_EQ(test, agreed(q), NULL);
}

static void what_was_agreed_on_stays_until_a_reset(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = stranger(fx, 16);
	struct tid_rdma_params *p;

	EXPECT_TRUE(test, is_told(q, PEER_USUAL));
	p = agreed(q);
	is_asked_again(q);
	EXPECT_PTR_EQ(test, agreed(q), p);
	EXPECT_TRUE(test, is_told(q, PEER_WORD(2, 1, 1, 1)));
	EXPECT_TRUE(test, is_told(q, PEER_WORD(2048, 0, 0, 1)));
	EXPECT_TRUE(test, is_told(q, 1));
	EXPECT_PTR_EQ(test, agreed(q), p);
	EXPECT_EQ(test, p->max_len, 64 << PAGE_SHIFT);
	EXPECT_EQ(test, q->priv->pkts_ps, 64);
	is_reset(q);
	EXPECT_TRUE(test, is_told(q, PEER_WORD(2, 1, 1, 1)));
	EXPECT_EQ(test, agreed(q)->max_len, 2 << PAGE_SHIFT);
	is_reset(q);
}

static void no_timeout_of_a_peer_is_short(struct ktap_test *test)
{
	/* 4.096 us << timeout, as often as hfi1 waits, in whole ms */
	static const u32 cases[][2] = {
		{ 14, 3758 }, { 17, 30064 }, { 24, 3848290 },
	};
	struct fx *fx = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fx_qp *q = stranger(fx, 16);
		u32 ms;

		EXPECT_TRUE(test, is_told(q, PEER_WORD(64, 6, 4, cases[i][0])));
		ms = jiffies_to_msecs(q->priv->tid_timer_timeout_jiffies);
		EXPECT_LE(test, cases[i][1] - cases[i][1] / 16, ms);
		EXPECT_LE(test, ms, cases[i][1] + 20);
		is_reset(q);
	}
	/* For ever is at least an hour; so is what 32 bits of us cannot hold. */
	for (i = 25; i <= 32; i++) {
		struct fx_qp *q = stranger(fx, 16);

		EXPECT_TRUE(test, is_told(q, PEER_WORD(64, 6, 4, i % 32)));
		EXPECT_LE(test, 3600UL * HZ, q->priv->tid_timer_timeout_jiffies);
		is_reset(q);
	}
}

static const struct ktap_case tid_params_cases[] = {
	KTAP_CASE(a_qp_tells_what_its_context_can_receive),
	KTAP_CASE(urgent_interrupts_are_told_as_the_chip_has_them),
	KTAP_CASE(a_sound_peer_is_believed),
	KTAP_CASE(a_request_begins_without_what_its_slot_held),
	KTAP_CASE(numbers_that_make_no_sense_are_not_used),
	KTAP_CASE(segments_that_do_not_fit_are_not_used),
	KTAP_CASE(only_whole_pages_are_for_tid_rdma),
	KTAP_CASE(without_a_peer_or_with_long_lids_there_is_none),
	KTAP_CASE(a_ring_is_made_when_there_is_none),
	KTAP_CASE(a_peer_that_does_not_want_is_left_alone),
	KTAP_CASE(without_tid_rdma_every_peer_is_refused),
	KTAP_CASE(what_was_agreed_on_stays_until_a_reset),
	KTAP_CASE(no_timeout_of_a_peer_is_short),
};

const struct ktap_suite tid_params_suite = {
	.name = "tid_params",
	.init = fx_init,
	.exit = fx_exit,
	.cases = tid_params_cases,
	.ncases = ARRAY_SIZE(tid_params_cases),
};
