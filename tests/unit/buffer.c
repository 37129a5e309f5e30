// SPDX-License-Identifier: GPL-2.0
/* Buffers with a chosen scatter of pages, and what is granted for them. */

#include <linux/mm.h>

#include "fixture.h"

/**
 * fx_post_pages - post a request over the pages in &fx_qp.pages
 * @q: the QP, with nothing set up
 * @seg_pages: pages in a segment
 *
 * The ring keeps its indices, so that a second request starts in the middle.
 *
 * Context: process.
 */
void fx_post_pages(struct fx_qp *q, u32 seg_pages)
{
	struct rvt_sge *sge = &q->ss.sge;
	u32 i;

	for (i = 0; i < q->npages; i++) {
		struct page *page = q->fx->hw->arena + q->pages[i];
		struct rvt_seg *seg;

		seg = &q->mr->map[i / RVT_SEGSZ]->segs[i % RVT_SEGSZ];
		seg->vaddr = page_address(page);
		seg->length = PAGE_SIZE;
	}
	memset(&q->ss, 0, sizeof(q->ss));
	sge->mr = q->mr;
	sge->vaddr = q->mr->map[0]->segs[0].vaddr;
	sge->length = PAGE_SIZE;
	sge->sge_length = q->npages * PAGE_SIZE;
	q->ss.num_sge = 1;
	q->ss.total_len = sge->sge_length;

	q->seg_pages = seg_pages;
	q->done = 0;
	q->req->seg_len = seg_pages * PAGE_SIZE;
	q->req->total_len = sge->sge_length;
	q->req->total_segs = DIV_ROUND_UP(q->npages, seg_pages);
	q->req->isge = 0;
	q->req->flow_idx = q->req->setup_head;
}

/**
 * fx_post_contiguous - post a request over physically contiguous pages
 * @q: the QP
 * @nsegs: segments
 * @seg_pages: pages in one
 *
 * Context: process.
 */
void fx_post_contiguous(struct fx_qp *q, u32 nsegs, u32 seg_pages)
{
	u32 i;

	q->npages = nsegs * seg_pages;
	for (i = 0; i < q->npages; i++)
		q->pages[i] = i % FAKE_ARENA_PAGES;
	fx_post_pages(q, seg_pages);
}

/**
 * fx_post_scattered - post a request over pages of which no two are adjacent
 * @q: the QP
 * @nsegs: segments
 * @seg_pages: pages in one
 *
 * Context: process.
 */
void fx_post_scattered(struct fx_qp *q, u32 nsegs, u32 seg_pages)
{
	u32 i;

	q->npages = nsegs * seg_pages;
	for (i = 0; i < q->npages; i++)
		q->pages[i] = i * 2 % FAKE_ARENA_PAGES;
	fx_post_pages(q, seg_pages);
}

/**
 * fx_scattered - make a QP that has a flow and a scattered buffer
 * @fx: the fixture, a flow free
 * @nsegs: segments
 * @seg_pages: pages in one
 *
 * Context: process; sleeps.
 * Return: the QP.
 */
struct fx_qp *fx_scattered(struct fx *fx, u32 nsegs, u32 seg_pages)
{
	struct fx_qp *q = fx_taker(fx);

	fx_post_scattered(q, nsegs, seg_pages);
	return q;
}

/**
 * fx_post_random - post a request over runs of random length
 * @q: the QP
 * @nsegs: segments
 * @seg_pages: pages in one
 *
 * Context: process.
 */
void fx_post_random(struct fx_qp *q, u32 nsegs, u32 seg_pages)
{
	u32 i, run = 0, next = 0;

	q->npages = nsegs * seg_pages;
	for (i = 0; i < q->npages; i++) {
		if (!run || next == FAKE_ARENA_PAGES) {
			run = 1 + fx_random(q->fx, 20);
			next = fx_random(q->fx, FAKE_ARENA_PAGES);
		}
		q->pages[i] = next++;
		run--;
	}
	fx_post_pages(q, seg_pages);
}

/**
 * fx_live_segments - segments of the request that hold TIDs
 * @q: the QP
 *
 * Context: with s_lock, or while nobody else uses the QP.
 * Return: how many.
 */
u32 fx_live_segments(struct fx_qp *q)
{
	if (!q->req->flows)
		return 0;
	return (q->req->setup_head - q->req->clear_tail) & (FX_RING - 1);
}

/**
 * fx_segment - a segment that holds TIDs
 * @q: the QP
 * @nth: 0 for the oldest
 *
 * Context: as fx_live_segments().
 * Return: its entry in the ring.
 */
struct tid_rdma_flow *fx_segment(struct fx_qp *q, u32 nth)
{
	return &q->req->flows[(q->req->clear_tail + nth) & (FX_RING - 1)];
}

/**
 * fx_queue_of - the queue that a QP is on
 * @q: the QP
 *
 * Context: while nobody else uses the context.
 * Return: the queue, or NULL.
 */
struct tid_queue *fx_queue_of(struct fx_qp *q)
{
	struct hfi1_ctxtdata *rcd = q->priv->rcd;
	struct hfi1_qp_priv *priv;

	list_for_each_entry(priv, &rcd->flow_queue.queue_head, tid_wait)
		if (priv == q->priv)
			return &rcd->flow_queue;
	list_for_each_entry(priv, &rcd->rarr_queue.queue_head, tid_wait)
		if (priv == q->priv)
			return &rcd->rarr_queue;
	return NULL;
}

/**
 * fx_queue_length - count the waiters of a queue
 * @queue: the queue
 *
 * Context: while nobody else uses the context.
 * Return: how many.
 */
u32 fx_queue_length(struct tid_queue *queue)
{
	struct list_head *at;
	u32 n = 0;

	list_for_each(at, &queue->queue_head)
		n++;
	return n;
}

/**
 * fx_free_tids - count the TIDs that the context can still grant
 * @fx: the fixture
 *
 * Context: while nobody else uses the context.
 * Return: how many.
 */
u32 fx_free_tids(struct fx *fx)
{
	u32 i, n = 0;

	for (i = 0; i < fx->ngroups; i++)
		n += FAKE_GROUP - hweight8(fx->rcd->groups[i].map);
	return n;
}

/**
 * fx_free_flows - count the flows that the context can still grant
 * @fx: the fixture
 *
 * Context: while nobody else uses the context.
 * Return: how many.
 */
u32 fx_free_flows(struct fx *fx)
{
	return FAKE_FLOWS - hweight_long(fx->rcd->flow_mask);
}

/**
 * fx_waiters - make QPs that wait for TIDs, and one that has all of them
 * @fx: the fixture; its context gets 16 TIDs
 * @q: becomes the QPs that wait, in order
 * @n: how many
 * @pages: TIDs that each of them needs
 *
 * Context: process; sleeps.
 * Return: the QP that has all TIDs, in one segment.
 */
struct fx_qp *fx_waiters(struct fx *fx, struct fx_qp **q, u32 n, u32 pages)
{
	struct fx_qp *holder;
	u32 i;

	fx_set_groups(fx, 2);
	holder = fx_scattered(fx, 1, 16);
	EXPECT_EQ(fx->test, fx_setup(holder), 0);
	for (i = 0; i < n; i++) {
		q[i] = fx_scattered(fx, 1, pages);
		EXPECT_EQ(fx->test, fx_setup(q[i]), -EAGAIN);
	}
	return holder;
}

/**
 * fx_taker - make a QP that has a flow
 * @fx: the fixture, a flow free
 *
 * Context: process; sleeps.
 * Return: the QP.
 */
struct fx_qp *fx_taker(struct fx *fx)
{
	struct fx_qp *q = fx_qp_create(fx);

	EXPECT_EQ(fx->test, fx_take_flow(q), 0);
	return q;
}

/**
 * fx_take_all_flows - make 32 QPs that have all flows
 * @fx: the fixture, all flows free
 * @takers: becomes the QPs, in the order of their flows
 *
 * Context: process; sleeps.
 */
void fx_take_all_flows(struct fx *fx, struct fx_qp **takers)
{
	u32 i;

	for (i = 0; i < FAKE_FLOWS; i++)
		takers[i] = fx_taker(fx);
	EXPECT_EQ(fx->test, fx_free_flows(fx), 0);
}
