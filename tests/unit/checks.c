// SPDX-License-Identifier: GPL-2.0
/* What must be true of a context at every quiet point: I3, I4 and I5. */

#include <linux/slab.h>

#include "checks.h"

/**
 * check_positions - I4: the counters give each waiter's true position
 * @fx: the fixture
 * @queue: a queue of the context under test
 *
 * hfi1 computes a position as tid_enqueue - dequeue, 1 for the head, and the
 * length of a queue as enqueue - dequeue.
 *
 * Context: nobody else uses the context.
 */
void check_positions(struct fx *fx, struct tid_queue *queue)
{
	struct hfi1_qp_priv *priv;
	u32 place = 0;

	list_for_each_entry(priv, &queue->queue_head, tid_wait) {
		place++;
		EXPECT_EQ(fx->test, priv->tid_enqueue - queue->dequeue, place);
		EXPECT_TRUE(fx->test,
			    priv->owner->s_flags & HFI1_S_WAIT_TID_SPACE);
	}
	EXPECT_EQ(fx->test, queue->enqueue - queue->dequeue, place);
}

static u32 check_expected_refs(struct fx_qp *q)
{
	u32 refs = 1;

	refs += !list_empty(&q->priv->tid_wait);
	refs += work_pending(&q->priv->tid_rdma.trigger_work);
	refs += !list_empty(&q->priv->s_iowait.list);
	refs += !list_empty(&q->qp->rspwait);
	return refs;
}

/**
 * check_waiters - I3 and I4: references, flags and positions of all QPs
 * @fx: the fixture
 *
 * Context: nobody else uses the context.
 */
void check_waiters(struct fx *fx)
{
	u32 i, waiting = 0;

	check_positions(fx, &fx->rcd->flow_queue);
	check_positions(fx, &fx->rcd->rarr_queue);
	for (i = 0; i < fx->nqps; i++) {
		struct fx_qp *q = fx->qps[i];
		bool waits = !list_empty(&q->priv->tid_wait);

		waiting += waits;
		EXPECT_EQ(fx->test, !!(q->qp->s_flags & HFI1_S_WAIT_TID_SPACE),
			  waits);
		EXPECT_EQ(fx->test, atomic_read(&q->qp->refcount),
			  check_expected_refs(q));
	}
	EXPECT_EQ(fx->test, waiting,
		  fx_queue_length(&fx->rcd->flow_queue) +
		  fx_queue_length(&fx->rcd->rarr_queue));
}

/**
 * check_flows - I5: 32 flows, each free or of one QP, as the table has it
 * @fx: the fixture
 *
 * Context: nobody else uses the context.
 */
void check_flows(struct fx *fx)
{
	struct hfi1_ctxtdata *rcd = fx->rcd;
	unsigned long mask = 0;
	u32 i;

	for (i = 0; i < fx->nqps; i++) {
		struct tid_flow_state *fs = &fx->qps[i]->priv->flow_state;

		if (fs->index == FX_NO_FLOW)
			continue;
		if (!EXPECT_LE(fx->test, fs->index, FAKE_FLOWS - 1))
			continue;
		EXPECT_FALSE(fx->test, mask & BIT(fs->index));
		mask |= BIT(fs->index);
		EXPECT_EQ(fx->test, fs->last_index, fs->index);
		EXPECT_EQ(fx->test, fs->generation,
			  rcd->flows[fs->index].generation);
		EXPECT_EQ(fx->test, fake_hw_flow(rcd->ctxt, fs->index),
			  FAKE_FLOW_ACTIVE(fs->generation));
	}
	EXPECT_EQ(fx->test, rcd->flow_mask, mask);
	for (i = 0; i < FAKE_FLOWS; i++) {
		EXPECT_LE(fx->test, rcd->flows[i].generation,
			  FAKE_GEN_RESERVED - 1);
		if (!(mask & BIT(i)))
			EXPECT_EQ(fx->test, fake_hw_flow(rcd->ctxt, i),
				  FAKE_FLOW_IDLE);
	}
}

static u32 check_set(struct fx *fx, struct exp_tid_set *set, u32 low, u32 high)
{
	struct tid_group *group;
	u32 n = 0;

	list_for_each_entry(group, &set->list, list) {
		n++;
		EXPECT_LE(fx->test, low, group->used);
		EXPECT_LE(fx->test, group->used, high);
		EXPECT_EQ(fx->test, group->used, hweight8(group->map));
	}
	EXPECT_EQ(fx->test, set->count, n);
	return n;
}

static struct tid_group *check_group_of(struct fx *fx, struct kern_tid_node *n)
{
	unsigned long index = n->grp - fx->rcd->groups;

	return EXPECT_LE(fx->test, index, fx->ngroups - 1) ? n->grp : NULL;
}

/* Add up the group maps of a segment as its nodes describe them. */
static u32 check_add_nodes(struct fx *fx, struct tid_rdma_flow *flow, u8 *maps)
{
	u32 i, bit, tids = 0;

	for (i = 0; i < flow->tnode_cnt; i++) {
		struct kern_tid_node *node = &flow->tnode[i];
		struct tid_group *group = check_group_of(fx, node);
		u8 *map;
		u32 left = node->cnt;

		if (!group)
			continue;
		map = &maps[group - fx->rcd->groups];
		for (bit = 0; bit < FAKE_GROUP && left; bit++) {
			if (node->map & BIT(bit))
				continue;
			/* A TID granted twice. */
			EXPECT_FALSE(fx->test, *map & BIT(bit));
			*map |= BIT(bit);
			left--;
			tids++;
		}
		EXPECT_EQ(fx->test, left, 0);
	}
	return tids;
}

/**
 * check_tids - I5: every TID is free or of one segment, lists and maps agree
 * @fx: the fixture
 *
 * Context: nobody else uses the context.
 */
void check_tids(struct fx *fx)
{
	struct hfi1_ctxtdata *rcd = fx->rcd;
	u8 maps[FX_MAX_GROUPS] = { 0 };
	u32 i, nth, granted = 0, listed;

	for (i = 0; i < fx->nqps; i++) {
		struct fx_qp *q = fx->qps[i];

		for (nth = 0; nth < fx_live_segments(q); nth++)
			granted += check_add_nodes(fx, fx_segment(q, nth),
						   maps);
	}
	EXPECT_EQ(fx->test, granted + fx_free_tids(fx),
		  fx->ngroups * FAKE_GROUP);
	for (i = 0; i < fx->ngroups; i++)
		EXPECT_EQ(fx->test, rcd->groups[i].map, maps[i]);
	listed = check_set(fx, &rcd->tid_group_list, 0, 0);
	listed += check_set(fx, &rcd->tid_used_list, 1, FAKE_GROUP - 1);
	listed += check_set(fx, &rcd->tid_full_list, FAKE_GROUP, FAKE_GROUP);
	EXPECT_EQ(fx->test, listed, fx->ngroups);
}

/**
 * struct check_want - what the device must hold
 * @rows: RcvArray rows, 0 for an invalid one
 * @maps: DMA mappings, as &fake_hw.maps
 * @nmaps: how many
 */
struct check_want {
	u64 rows[FAKE_RCVARRAY_ENTRIES];
	u32 maps[FAKE_ARENA_PAGES][FAKE_MAP_ORDERS];
	u32 nmaps;
};

static void check_want_segment(struct fx *fx, struct tid_rdma_flow *flow,
			       struct check_want *want)
{
	u32 i, bit, next = 0;

	for (i = 0; i < flow->tnode_cnt; i++) {
		struct kern_tid_node *node = &flow->tnode[i];
		u32 left = node->cnt;

		for (bit = 0; bit < FAKE_GROUP && left; bit++) {
			struct tid_rdma_pageset *set = &flow->pagesets[next];
			u64 page = (set->addr - FAKE_IOVA) >> PAGE_SHIFT;
			u32 order;

			if (node->map & BIT(bit))
				continue;
			left--;
			next++;
			if (!set->count)
				continue;
			if (!EXPECT_LE(fx->test, page, FAKE_ARENA_PAGES - 1))
				continue;
			order = fls(set->count) - 1;
			want->rows[node->grp->base + bit] =
				FAKE_RCVARRAY_WRITE | (u64)(order + 1) << 36 |
				set->addr >> 12;
			want->maps[page][order]++;
			want->nmaps++;
		}
	}
	EXPECT_EQ(fx->test, next, flow->npagesets);
}

/**
 * check_device - I5: RcvArray and DMA mappings are those of what is granted
 * @fx: the fixture
 *
 * Context: process; nobody else uses the context.
 */
void check_device(struct fx *fx)
{
	struct check_want *want = kzalloc_obj(*want);
	u32 i, order, nth;

	for (i = 0; i < fx->nqps; i++) {
		struct fx_qp *q = fx->qps[i];

		for (nth = 0; nth < fx_live_segments(q); nth++)
			check_want_segment(fx, fx_segment(q, nth), want);
	}
	for (i = 0; i < FAKE_RCVARRAY_ENTRIES; i++)
		if (want->rows[i] ||
		    fx->hw->rcvarray[i] & ~FAKE_RCVARRAY_WRITE)
			EXPECT_EQ(fx->test, fx->hw->rcvarray[i], want->rows[i]);
	for (i = 0; i < FAKE_ARENA_PAGES; i++)
		for (order = 0; order < FAKE_MAP_ORDERS; order++)
			EXPECT_EQ(fx->test,
				  atomic_read(&fx->hw->maps[i][order]),
				  want->maps[i][order]);
	EXPECT_EQ(fx->test, atomic_read(&fx->hw->nmaps), want->nmaps);
	EXPECT_EQ(fx->test, atomic_read(&fx->hw->errors), 0);
	EXPECT_EQ(fx->test, atomic_read(&fx->lock_errors), 0);
	kfree(want);
}

/**
 * check_all - all that must hold at a quiet point
 * @fx: the fixture
 *
 * Context: process; nobody else uses the context.
 */
void check_all(struct fx *fx)
{
	check_waiters(fx);
	check_flows(fx);
	check_tids(fx);
	check_device(fx);
}

/**
 * check_quiet - all QPs have left: nothing is granted, programmed or mapped
 * @fx: the fixture
 *
 * Context: process; nobody else uses the context.
 */
void check_quiet(struct fx *fx)
{
	u32 i;

	check_all(fx);
	EXPECT_EQ(fx->test, fx_queue_length(&fx->rcd->flow_queue), 0);
	EXPECT_EQ(fx->test, fx_queue_length(&fx->rcd->rarr_queue), 0);
	EXPECT_EQ(fx->test, fx_free_flows(fx), FAKE_FLOWS);
	EXPECT_EQ(fx->test, fx_free_tids(fx), fx->ngroups * FAKE_GROUP);
	EXPECT_EQ(fx->test, atomic_read(&fx->hw->nmaps), 0);
	for (i = 0; i < fx->nqps; i++)
		EXPECT_EQ(fx->test, atomic_read(&fx->qps[i]->qp->refcount), 1);
}

/**
 * check_order - I1: a queue holds these QPs in this order
 * @fx: the fixture
 * @queue: the queue
 * @qps: the QPs
 * @n: how many
 *
 * Context: nobody else uses the context.
 */
void check_order(struct fx *fx, struct tid_queue *queue,
		 struct fx_qp *const *qps, u32 n)
{
	struct hfi1_qp_priv *priv;
	u32 i = 0;

	list_for_each_entry(priv, &queue->queue_head, tid_wait) {
		if (!EXPECT_LE(fx->test, i + 1, n))
			return;
		EXPECT_PTR_EQ(fx->test, fx_of(priv->owner), qps[i]);
		i++;
	}
	EXPECT_EQ(fx->test, i, n);
}

/* Follow one RcvArray row as the device would; return its number of pages. */
static u32 check_row(struct fx_qp *q, u32 entry, const u16 *pages, u32 left)
{
	u64 row = q->fx->hw->rcvarray[entry];
	u32 i, npages, size = FAKE_RCVARRAY_SIZE(row);

	if (!size)
		return 0;
	npages = 1u << (size - 1);
	if (!EXPECT_LE(q->fx->test, npages, left))
		return left;
	for (i = 0; i < npages; i++)
		EXPECT_EQ(q->fx->test,
			  FAKE_RCVARRAY_ADDR(row) + i * PAGE_SIZE,
			  fake_hw_iova(pages[i]));
	return npages;
}

/* Follow one TID as sender and device would; return its number of pages. */
static u32 check_tid(struct fx_qp *q, u32 tid, const u16 *pages, u32 left)
{
	u32 len = tid & 0x7ff, ctrl = tid >> 20 & 3, idx = tid >> 22;
	u32 entry = q->priv->rcd->expected_base + idx * 2;
	struct ktap_test *test = q->fx->test;
	u32 n = 0;

	EXPECT_EQ(test, tid & 0xff800, 0);
	EXPECT_NE(test, ctrl, 0);
	if (!EXPECT_LE(test, entry + 1, FAKE_RCVARRAY_ENTRIES - 1))
		return left;
	if (ctrl & 1)
		n += check_row(q, entry, pages, left);
	if (ctrl & 2)
		n += check_row(q, entry + 1, pages + n, left - n);
	EXPECT_EQ(test, n, len);
	return len;
}

/**
 * check_segment - a granted segment leads sender and device to its pages
 * @q: the QP
 * @flow: the segment
 * @pages: where its data must go, indices in the arena
 * @npages: how many
 *
 * The TID entries are followed through the RcvArray; packet counts and packet
 * sequence numbers must fit what a sender makes of them.
 *
 * Context: nobody else uses the context.
 */
void check_segment(struct fx_qp *q, struct tid_rdma_flow *flow,
		   const u16 *pages, u32 npages)
{
	struct tid_flow_state *fs = &q->priv->flow_state;
	struct flow_state *state = &flow->flow_state;
	u32 pmtu_pages = q->qp->pmtu >> PAGE_SHIFT;
	struct ktap_test *test = q->fx->test;
	u32 i, done = 0, npkts = 0;

	EXPECT_EQ(test, flow->npagesets & 1, 0);
	for (i = 0; i < flow->tidcnt && done < npages; i++) {
		u32 tid = flow->tid_entry[i];

		done += check_tid(q, tid, pages + done, npages - done);
		npkts += DIV_ROUND_UP(tid & 0x7ff, pmtu_pages);
	}
	EXPECT_EQ(test, i, flow->tidcnt);
	EXPECT_EQ(test, done, npages);
	EXPECT_EQ(test, flow->length, npages * PAGE_SIZE);
	EXPECT_EQ(test, flow->npkts, npkts);
	EXPECT_EQ(test, flow->idx, fs->index);
	EXPECT_EQ(test, state->generation, fs->generation);
	EXPECT_EQ(test, state->lpsn, state->spsn + npkts - 1);
	EXPECT_EQ(test, state->r_next_psn,
		  (state->generation << 11 | state->spsn) & 0x7fffffff);
}
