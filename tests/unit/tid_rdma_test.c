// SPDX-License-Identifier: GPL-2.0
/* Setting up segments: pages, TIDs, RcvArray rows, what the peer is told. */

#include <linux/dma-mapping.h>

#include "checks.h"
#include "suites.h"

static void setup_describes_a_scattered_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 64);
	struct tid_rdma_flow *flow = fx_segment(q, 0);
	u32 i;

	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, q->req->setup_head, 1);
	EXPECT_EQ(test, flow->npagesets, 64);
	EXPECT_EQ(test, flow->tidcnt, 32);
	EXPECT_EQ(test, flow->npkts, 64);
	EXPECT_EQ(test, q->priv->flow_state.psn, 64);
	for (i = 0; i < flow->tidcnt; i++)
		EXPECT_EQ(test, flow->tid_entry[i], i << 22 | 3 << 20 | 2);
	check_segment(q, flow, q->pages, 64);
	check_all(fx);
}

static void setup_describes_a_contiguous_segment(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);
	struct tid_rdma_flow *flow = fx_segment(q, 0);

	fx_post_contiguous(q, 1, 64);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, flow->npagesets, 2);
	EXPECT_EQ(test, flow->tidcnt, 1);
	EXPECT_EQ(test, flow->tid_entry[0], 1 << 20 | 64);
	EXPECT_EQ(test, flow->npkts, 64);
	EXPECT_EQ(test, fx->hw->rcvarray[FX_TID_BASE],
		  FAKE_RCVARRAY_WRITE | 7ull << 36 | fake_hw_iova(0) >> 12);
	EXPECT_EQ(test, fx->hw->rcvarray[FX_TID_BASE + 1],
		  FAKE_RCVARRAY_WRITE);
	check_segment(q, flow, q->pages, 64);
	check_all(fx);
}

static void packets_of_8_kib_are_counted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 15);
	u32 i;

	q->qp->pmtu = 8192;
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(test, fx_setup(q), 0);
		check_segment(q, fx_segment(q, i), q->pages + 15 * i, 15);
		EXPECT_EQ(test, fx_segment(q, i)->npkts, 8);
		EXPECT_EQ(test, fx_segment(q, i)->flow_state.spsn, 8 * i);
	}
	EXPECT_EQ(test, q->priv->flow_state.psn, 16);
}

static void a_pair_of_sets_is_told_as_one_tid(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);
	struct tid_rdma_flow *flow = fx_segment(q, 0);

	fx_post_contiguous(q, 1, 7);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, flow->tidcnt, 2);
	EXPECT_EQ(test, flow->tid_entry[0], 3 << 20 | 6);
	EXPECT_EQ(test, flow->tid_entry[1], 1 << 22 | 1 << 20 | 1);
	check_segment(q, flow, q->pages, 7);
}

static void rows_without_their_neighbour_are_told_alone(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 6);
	struct tid_rdma_flow *flow = fx_segment(q, 0);
	struct tid_group *group = fx->rcd->groups;

	/* Rows 0 and 3 of the only group belong to somebody else. */
	fx_set_groups(fx, 1);
	group->map = BIT(0) | BIT(3);
	group->used = 2;
	tid_group_move(group, &fx->rcd->tid_group_list,
		       &fx->rcd->tid_used_list);
	fx->hw->rcvarray[FX_TID_BASE + 3] = FAKE_RCVARRAY_WRITE | 0x123;

	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, flow->tidcnt, 4);
	EXPECT_EQ(test, flow->tid_entry[0], 0 << 22 | 2 << 20 | 1);
	EXPECT_EQ(test, flow->tid_entry[1], 1 << 22 | 1 << 20 | 1);
	EXPECT_EQ(test, flow->tid_entry[2], 2 << 22 | 3 << 20 | 2);
	EXPECT_EQ(test, flow->tid_entry[3], 3 << 22 | 3 << 20 | 2);
	check_segment(q, flow, q->pages, 6);
	EXPECT_EQ(test, fx_free_tids(fx), 0);

	EXPECT_EQ(test, fx_clear(q), 0);
	EXPECT_EQ(test, group->map, BIT(0) | BIT(3));
	EXPECT_EQ(test, fx->hw->rcvarray[FX_TID_BASE + 3],
		  FAKE_RCVARRAY_WRITE | 0x123);
	fx->hw->rcvarray[FX_TID_BASE + 3] = 0;
	fx_set_groups(fx, 1);
}

static void segments_follow_each_other(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 6, 16);
	u32 i;

	q->req->setup_head = 5;
	q->req->clear_tail = 5;
	for (i = 0; i < 6; i++)
		EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, q->req->setup_head, (5 + 6) % 8);
	for (i = 0; i < 6; i++) {
		struct tid_rdma_flow *flow = fx_segment(q, i);

		check_segment(q, flow, q->pages + 16 * i, 16);
		EXPECT_EQ(test, flow->flow_state.spsn, 16 * i);
	}
	EXPECT_EQ(test, q->priv->flow_state.psn, 96);
	EXPECT_EQ(test, q->req->isge, 1);
	check_all(fx);
}

static void the_last_segment_may_be_short(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 20);

	fx_post_pages(q, 16);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 16);
	check_segment(q, fx_segment(q, 1), q->pages + 16, 4);
}

static void buffers_may_have_several_pieces(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 12);
	struct rvt_sge pieces[2];
	u32 i;

	/* The first piece has 5 pages, the others 8 and 11. */
	q->ss.sge.sge_length = 5 * PAGE_SIZE;
	for (i = 0; i < 2; i++) {
		u32 page = i ? 13 : 5;

		pieces[i] = (struct rvt_sge) {
			.mr = q->mr,
			.vaddr = q->mr->map[0]->segs[page].vaddr,
			.length = PAGE_SIZE,
			.sge_length = (i ? 11 : 8) * PAGE_SIZE,
			.n = page,
		};
	}
	q->ss.sg_list = pieces;
	q->ss.num_sge = 3;
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, q->req->isge, 1);
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, q->req->isge, 3);
	check_segment(q, fx_segment(q, 0), q->pages, 12);
	check_segment(q, fx_segment(q, 1), q->pages + 12, 12);
	q->ss.sg_list = NULL;
}

static void buffers_may_be_plain_kernel_memory(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_taker(fx);

	fx_post_contiguous(q, 1, 32);
	q->mr->lkey = 0;
	q->ss.sge.length = 32 * PAGE_SIZE;
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 32);
}

static void random_buffers_are_described(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;
	u32 round, i;

	fx_set_groups(fx, FX_MAX_GROUPS);
	q = fx_taker(fx);
	for (round = 0; round < 200 && !test->failures; round++) {
		u32 nsegs = 1 + fx_random(fx, 6);
		u32 seg_pages = 1 + fx_random(fx, 64);

		q->qp->pmtu = round & 1 ? 8192 : 4096;
		fx_give_flow(q);
		fx_take_flow(q);
		fx_post_random(q, nsegs, seg_pages);
		for (i = 0; i < nsegs; i++)
			EXPECT_EQ(test, fx_setup(q), 0);
		for (i = 0; i < nsegs; i++)
			check_segment(q, fx_segment(q, i),
				      q->pages + i * seg_pages, seg_pages);
		check_all(fx);
		fx_clear_all(q);
	}
}

static void setup_without_room_in_the_ring_is_invalid(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 24, 2);
	u32 i;

	for (i = 0; i < 6; i++)
		EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	q->req->n_flows = 8;
	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	EXPECT_EQ(test, fx_live_segments(q), 7);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_EQ(test, q->failed, 0);
	check_all(fx);
}

/* A peer may have announced it. */
static void a_request_of_too_large_segments_is_ended(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 128);

	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	EXPECT_EQ(test, fx_live_segments(q), 0);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_EQ(test, q->failed, 1);
	check_all(fx);
}

/* As a peer may have announced it, or because it has been refused already. */
static void a_request_of_no_segments_is_ended(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 2);

	q->req->n_flows = 0;
	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	EXPECT_EQ(test, q->failed, 1);
	check_all(fx);
}

static void a_need_that_no_context_can_meet_never_waits(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q, *small;

	fx_set_groups(fx, 6);
	q = fx_scattered(fx, 1, 64);
	small = fx_scattered(fx, 1, 2);
	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_EQ(test, q->failed, 1);
	EXPECT_EQ(test, fx_setup(small), 0);
	check_all(fx);
}

/* Stock code queues it: it is found at the head when the module comes in. */
static void a_need_that_no_context_can_meet_leaves_the_head(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *holder, *q, *next;

	fx_set_groups(fx, 6);
	holder = fx_scattered(fx, 1, 40);
	q = fx_scattered(fx, 1, 16);
	next = fx_scattered(fx, 1, 16);
	EXPECT_EQ(test, fx_setup(holder), 0);
	EXPECT_EQ(test, fx_setup(q), -EAGAIN);
	EXPECT_EQ(test, fx_setup(next), -EAGAIN);
	fx_forget_wakeups(next);
	fx_post_scattered(q, 1, 64);
	EXPECT_EQ(test, fx_setup(q), -EINVAL);
	EXPECT_EQ(test, q->failed, 1);
	EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
	EXPECT_TRUE(test, fx_woken(next));
	check_all(fx);
}

static void refusal_queues_and_leaves_nothing_behind(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *holder, *q[2];
	struct rvt_sge_state before;
	u32 isge;

	fx_set_groups(fx, 8);
	holder = fx_scattered(fx, 1, 32);
	q[0] = fx_scattered(fx, 2, 40);
	q[1] = fx_scattered(fx, 1, 64);
	EXPECT_EQ(test, fx_setup(holder), 0);
	before = q[0]->ss;
	isge = q[0]->req->isge;
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	check_order(fx, &fx->rcd->rarr_queue, q, 2);
	EXPECT_EQ(test, fx_free_tids(fx), 32);
	EXPECT_PTR_EQ(test, q[0]->ss.sge.vaddr, before.sge.vaddr);
	EXPECT_EQ(test, q[0]->ss.sge.sge_length, before.sge.sge_length);
	EXPECT_EQ(test, q[0]->ss.sge.n, before.sge.n);
	EXPECT_EQ(test, q[0]->req->isge, isge);
	EXPECT_EQ(test, q[0]->req->setup_head, 0);
	EXPECT_EQ(test, q[0]->priv->flow_state.psn, 0);
	check_all(fx);

	fx_clear(holder);
	EXPECT_TRUE(test, fx_woken(q[0]));
	EXPECT_EQ(test, fx_setup(q[0]), 0);
	EXPECT_EQ(test, fx_clear(q[0]), 0);
	EXPECT_EQ(test, fx_setup(q[1]), 0);
	EXPECT_EQ(test, fx_clear(q[1]), 0);
	EXPECT_EQ(test, fx_setup(q[0]), 0);
	check_segment(q[0], fx_segment(q[0], 0), q[0]->pages + 40, 40);
	check_all(fx);
}

static void a_small_need_does_not_barge(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *holder, *q[2];

	fx_set_groups(fx, 2);
	holder = fx_scattered(fx, 1, 8);
	q[0] = fx_scattered(fx, 1, 16);
	q[1] = fx_scattered(fx, 1, 2);
	EXPECT_EQ(test, fx_setup(holder), 0);
	EXPECT_EQ(test, fx_setup(q[0]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	EXPECT_EQ(test, fx_setup(q[1]), -EAGAIN);
	check_order(fx, &fx->rcd->rarr_queue, q, 2);
	check_all(fx);
}

static void a_grant_wakes_the_next_while_tids_are_free(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[3];

	fx_clear(fx_waiters(fx, q, 3, 8));
	EXPECT_TRUE(test, fx_woken(q[0]));
	EXPECT_FALSE(test, fx_woken(q[1]));
	EXPECT_EQ(test, fx_setup(q[0]), 0);
	EXPECT_TRUE(test, fx_woken(q[1]));
	EXPECT_FALSE(test, fx_woken(q[2]));
	EXPECT_EQ(test, fx_setup(q[1]), 0);
	check_order(fx, &fx->rcd->rarr_queue, q + 2, 1);
	check_all(fx);
}

static void whatever_is_free_can_be_granted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[8];
	u32 round, i;

	fx_set_groups(fx, 10);
	for (i = 0; i < 8; i++)
		q[i] = fx_taker(fx);
	for (round = 0; round < 2000 && !test->failures; round++) {
		struct fx_qp *one = q[fx_random(fx, 8)];
		u32 free = fx_free_tids(fx);
		u32 need = 2 + 2 * fx_random(fx, 15);

		/* psn would not fit the flow's 2048 packets for ever. */
		one->priv->flow_state.psn = 0;
		if (fx_live_segments(one)) {
			fx_clear(one);
			continue;
		}
		if (need > free)
			continue;
		fx_post_scattered(one, 1, need);
		EXPECT_EQ(test, fx_setup(one), 0);
		EXPECT_EQ(test, fx_free_tids(fx), free - need);
		check_segment(one, fx_segment(one, 0), one->pages, need);
		check_tids(fx);
	}
}

static void used_groups_are_filled_before_whole_ones(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;

	fx_set_groups(fx, 3);
	q = fx_scattered(fx, 1, 2);
	fx_setup(q);
	q = fx_scattered(fx, 1, 8);
	fx_setup(q);
	q = fx_scattered(fx, 1, 6);
	fx_setup(q);
	EXPECT_EQ(test, fx->rcd->tid_group_list.count, 1);
	EXPECT_EQ(test, fx->rcd->tid_full_list.count, 2);
	check_all(fx);
}

static void free_tids_are_counted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q;
	u32 counted;

	fx_set_groups(fx, 3);
	q = fx_scattered(fx, 1, 12);
	fx_setup(q);
	spin_lock_irq(&fx->rcd->exp_lock);
	counted = tid_rdma_free_tids(fx->rcd);
	spin_unlock_irq(&fx->rcd->exp_lock);
	EXPECT_EQ(test, counted, 12);
}

static void pages_are_mapped_before_the_device_knows_them(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);
	u32 i;

	fx->hw->logging = true;
	fx_setup(q);
	for (i = 0; i < 16; i++) {
		u64 addr = fake_hw_iova(q->pages[i]);
		u32 mapped = fake_hw_event(fx->hw, FAKE_EVENT_MAP, addr);

		EXPECT_NE(test, mapped, UINT_MAX);
		EXPECT_LE(test, mapped,
			  fake_hw_event(fx->hw, FAKE_EVENT_PROGRAM, addr));
	}
}

static void a_failed_mapping_leaves_nothing_behind(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 1, 16);
	u64 first = fake_hw_iova(q->pages[0]);
	u32 nth;

	fx->hw->logging = true;
	for (nth = 1; nth <= 16; nth++) {
		atomic_set(&fx->hw->fail_map, nth);
		EXPECT_EQ(test, fx_setup(q), -ENOMEM);
		EXPECT_EQ(test, atomic_read(&fx->hw->nmaps), 0);
		EXPECT_EQ(test,
			  fake_hw_event(fx->hw, FAKE_EVENT_PROGRAM, first),
			  UINT_MAX);
		EXPECT_PTR_EQ(test, fx_queue_of(q), NULL);
		EXPECT_EQ(test, fx_free_tids(fx), 16 * 8);
		EXPECT_EQ(test, fx_live_segments(q), 0);
		check_all(fx);
	}
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 16);
	check_all(fx);
}

static void a_failed_mapping_waits_for_memory(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct hfi1_ibdev *dev = &fx->dd->verbs_dev;
	struct fx_qp *q = fx_scattered(fx, 1, 16);

	atomic_set(&fx->hw->fail_map, 1);
	EXPECT_EQ(test, fx_setup(q), -ENOMEM);
	EXPECT_TRUE(test, q->qp->s_flags & RVT_S_WAIT_KMEM);
	EXPECT_FALSE(test, list_empty(&dev->memwait));
	EXPECT_PTR_EQ(test, q->priv->s_iowait.lock, &dev->iowait_lock);
	EXPECT_EQ(test, atomic_read(&q->qp->refcount), 2);
}

static void a_failed_mapping_of_the_head_wakes_the_next(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q[2];

	fx_clear(fx_waiters(fx, q, 2, 16));
	fx_forget_wakeups(q[0]);
	atomic_set(&fx->hw->fail_map, 3);
	EXPECT_EQ(test, fx_setup(q[0]), -ENOMEM);
	EXPECT_TRUE(test, fx_woken(q[1]));
	check_all(fx);
}

static void page_sets_mapped_by_hfi1_are_taken_over(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_scattered(fx, 2, 2);
	struct tid_rdma_flow *flow = fx_segment(q, 0);
	u32 i;

	/* hfi1 was refused TIDs after it had found and mapped the pages. */
	for (i = 0; i < 2; i++) {
		flow->pagesets[i].idx = i;
		flow->pagesets[i].count = 1;
		flow->pagesets[i].mapped = 1;
		flow->pagesets[i].addr =
			dma_map_page(&fx->pdev->dev,
				     fx->hw->arena + q->pages[i], 0, PAGE_SIZE,
				     DMA_FROM_DEVICE);
		EXPECT_FALSE(test, dma_mapping_error(&fx->pdev->dev,
						     flow->pagesets[i].addr));
	}
	flow->npagesets = 2;
	flow->length = 2 * PAGE_SIZE;
	q->ss.sge.vaddr = q->mr->map[0]->segs[2].vaddr;
	q->ss.sge.sge_length -= 2 * PAGE_SIZE;
	q->ss.sge.n = 2;

	EXPECT_EQ(test, fx_setup(q), 0);
	EXPECT_EQ(test, fx_setup(q), 0);
	check_segment(q, fx_segment(q, 0), q->pages, 2);
	check_segment(q, fx_segment(q, 1), q->pages + 2, 2);
	check_all(fx);
}

static bool schedule_tid_send(struct fx_qp *q)
{
	bool ret;

	spin_lock_irq(&q->qp->s_lock);
	ret = hfi1_schedule_tid_send(q->qp);
	spin_unlock_irq(&q->qp->s_lock);
	return ret;
}

static void the_tid_leg_is_scheduled_once(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	EXPECT_TRUE(test, schedule_tid_send(q));
	EXPECT_TRUE(test, schedule_tid_send(q));
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q->tid_leg), 1);
	EXPECT_EQ(test, atomic_read(&q->scheduled), 0);
	EXPECT_EQ(test, q->priv->s_iowait.flags, 0);
}

static void a_tid_leg_that_waits_for_io_is_noted(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	q->qp->s_flags = RVT_S_WAIT_PIO;
	EXPECT_FALSE(test, schedule_tid_send(q));
	EXPECT_EQ(test, q->priv->s_iowait.flags, BIT(1));
	q->qp->s_flags = 0;
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q->tid_leg), 0);
}

static void a_tid_leg_without_work_is_not_scheduled(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	q->priv->s_flags = RVT_S_BUSY;
	EXPECT_FALSE(test, schedule_tid_send(q));
	q->priv->s_flags = 0;
	q->qp->s_flags = RVT_S_WAIT_SSN_CREDIT;
	EXPECT_FALSE(test, schedule_tid_send(q));
	EXPECT_EQ(test, q->priv->s_iowait.flags, 0);
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q->tid_leg), 0);

	/* A response goes out whatever the requester waits for. */
	q->priv->s_flags = RVT_S_RESP_PENDING;
	EXPECT_TRUE(test, schedule_tid_send(q));
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q->tid_leg), 1);
}

static void no_tid_leg_runs_while_the_device_shuts_down(struct ktap_test *test)
{
	struct fx *fx = test->priv;
	struct fx_qp *q = fx_qp_create(fx);

	fx->dd->flags |= HFI1_SHUTDOWN;
	EXPECT_TRUE(test, schedule_tid_send(q));
	fx_settle(fx);
	EXPECT_EQ(test, atomic_read(&q->tid_leg), 0);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(setup_describes_a_scattered_segment),
	KTAP_CASE(setup_describes_a_contiguous_segment),
	KTAP_CASE(packets_of_8_kib_are_counted),
	KTAP_CASE(a_pair_of_sets_is_told_as_one_tid),
	KTAP_CASE(rows_without_their_neighbour_are_told_alone),
	KTAP_CASE(segments_follow_each_other),
	KTAP_CASE(the_last_segment_may_be_short),
	KTAP_CASE(buffers_may_have_several_pieces),
	KTAP_CASE(buffers_may_be_plain_kernel_memory),
	KTAP_CASE(random_buffers_are_described),
	KTAP_CASE(setup_without_room_in_the_ring_is_invalid),
	KTAP_CASE(a_request_of_too_large_segments_is_ended),
	KTAP_CASE(a_request_of_no_segments_is_ended),
	KTAP_CASE(a_need_that_no_context_can_meet_never_waits),
	KTAP_CASE(a_need_that_no_context_can_meet_leaves_the_head),
	KTAP_CASE(refusal_queues_and_leaves_nothing_behind),
	KTAP_CASE(a_small_need_does_not_barge),
	KTAP_CASE(a_grant_wakes_the_next_while_tids_are_free),
	KTAP_CASE(whatever_is_free_can_be_granted),
	KTAP_CASE(used_groups_are_filled_before_whole_ones),
	KTAP_CASE(free_tids_are_counted),
	KTAP_CASE(pages_are_mapped_before_the_device_knows_them),
	KTAP_CASE(a_failed_mapping_leaves_nothing_behind),
	KTAP_CASE(a_failed_mapping_waits_for_memory),
	KTAP_CASE(a_failed_mapping_of_the_head_wakes_the_next),
	KTAP_CASE(page_sets_mapped_by_hfi1_are_taken_over),
	KTAP_CASE(the_tid_leg_is_scheduled_once),
	KTAP_CASE(a_tid_leg_that_waits_for_io_is_noted),
	KTAP_CASE(a_tid_leg_without_work_is_not_scheduled),
	KTAP_CASE(no_tid_leg_runs_while_the_device_shuts_down),
};

const struct ktap_suite tid_rdma_suite = {
	.name = "tid_rdma",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
