// SPDX-License-Identifier: GPL-2.0
/*
 * Set up and clear the segments of TID RDMA requests.
 *
 * Setting up goes: find the pages and split them into page sets; take TIDs
 * under exp_lock, or queue the QP; map the page sets for DMA; write the
 * RcvArray. Clearing goes the other way round: the rows are invalid and the
 * pages unmapped before their TIDs can be taken by anybody else. Only the
 * book-keeping of TIDs needs exp_lock: between the two a row belongs to the
 * one request that holds its TID.
 */
#include <linux/circ_buf.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "tid_fail.h"
#include "tid_rdma.h"
#include "tid_retry.h"
#include "tid_wait.h"

/* Page sets */

static u32 tid_add_set(struct tid_rdma_pageset *list, u32 sets, u32 idx,
		       u32 count)
{
	list[sets] = (struct tid_rdma_pageset){ .idx = idx, .count = count };
	return sets + 1;
}

/* Adjacent pages from @idx on as sets of a power of two, the largest first. */
static u32 tid_split_run(struct tid_rdma_pageset *list, u32 idx, u32 pages,
			 u32 sets)
{
	while (pages) {
		u32 count = min_t(u32, rounddown_pow_of_two(pages),
				  MAX_EXPECTED_PAGES);

		sets = tid_add_set(list, sets, idx, count);
		idx += count;
		pages -= count;
	}
	return sets;
}

/* TIDs are taken in pairs: an odd number of sets gets an empty one. */
static u32 tid_pad_sets(struct tid_rdma_pageset *list, u32 sets)
{
	return sets & 1 ? tid_add_set(list, sets, 0, 0) : sets;
}

/**
 * tid_flush_pages - emit a run of adjacent pages as an even number of sets
 * @list: the page sets so far
 * @idx: index of the run's first page; moved behind the run
 * @pages: pages in the run
 * @sets: number of page sets so far
 *
 * Context: any.
 * Return: the number of page sets now.
 */
u32 tid_flush_pages(struct tid_rdma_pageset *list, u32 *idx, u32 pages,
		    u32 sets)
{
	sets = tid_split_run(list, *idx, pages, sets);
	*idx += pages;
	return tid_pad_sets(list, sets);
}

static bool tid_adjacent(struct page **pages, u32 first)
{
	return page_to_pfn(pages[first]) + 1 == page_to_pfn(pages[first + 1]);
}

/**
 * tid_rdma_find_phys_blocks_4k - split a segment into page sets, 4 KiB MTU
 * @flow: the segment
 * @pages: its pages
 * @npages: how many, at most TID_RDMA_MAX_PAGES
 * @list: the page sets, room for TID_RDMA_MAX_PAGES
 *
 * Each set is a power of two of adjacent pages, in order.
 *
 * Context: any.
 * Return: the number of sets, which is even, since TIDs are taken in pairs.
 */
u32 tid_rdma_find_phys_blocks_4k(struct tid_rdma_flow *flow,
				 struct page **pages, u32 npages,
				 struct tid_rdma_pageset *list)
{
	u32 start, end, sets = 0;

	for (start = 0; start < npages; start = end) {
		end = start + 1;
		while (end < npages && tid_adjacent(pages, end - 1))
			end++;
		sets = tid_split_run(list, start, end - start, sets);
	}
	return tid_pad_sets(list, sets);
}

/**
 * tid_rdma_find_phys_blocks_8k - split a segment into page sets, 8 KiB MTU
 * @flow: the segment
 * @pages: its pages
 * @npages: how many, at most TID_RDMA_MAX_PAGES
 * @list: the page sets, room for TID_RDMA_MAX_PAGES
 *
 * A packet of 8 KiB must not straddle two TIDs of different pairs. Pages are
 * taken two by two: adjacent ones add to a run of whole packets, others become
 * a pair of single pages, which one packet fills.
 *
 * Context: any.
 * Return: the number of sets, which is even, since TIDs are taken in pairs.
 */
u32 tid_rdma_find_phys_blocks_8k(struct tid_rdma_flow *flow,
				 struct page **pages, u32 npages,
				 struct tid_rdma_pageset *list)
{
	u32 i, idx = 0, sets = 0;

	for (i = 0; i + 1 < npages; i += 2) {
		bool adjacent = tid_adjacent(pages, i);

		if (!adjacent || (i > idx && !tid_adjacent(pages, i - 1)))
			sets = tid_flush_pages(list, &idx, i - idx, sets);
		if (!adjacent) {
			sets = tid_add_set(list, sets, idx++, 1);
			sets = tid_add_set(list, sets, idx++, 1);
		}
	}
	sets = tid_flush_pages(list, &idx, i - idx, sets);
	/* The half packet at the end of an odd number of pages. */
	return tid_flush_pages(list, &idx, npages - idx, sets);
}

/* Go on by a page within one memory region of a verbs buffer. */
static void tid_next_page(struct tid_rdma_request *req,
			  struct rvt_sge_state *ss)
{
	struct rvt_sge *sge = &ss->sge;

	sge->vaddr += PAGE_SIZE;
	sge->length -= PAGE_SIZE;
	sge->sge_length -= PAGE_SIZE;
	if (!sge->sge_length) {
		if (++req->isge < ss->num_sge)
			*sge = ss->sg_list[req->isge - 1];
	} else if (!sge->length && sge->mr->lkey) {
		if (++sge->n >= RVT_SEGSZ) {
			sge->m++;
			sge->n = 0;
		}
		sge->vaddr = sge->mr->map[sge->m]->segs[sge->n].vaddr;
		sge->length = sge->mr->map[sge->m]->segs[sge->n].length;
	}
}

/*
 * The pages of one segment. num_sge stays as it is, unlike for plain RDMA: the
 * references on the memory regions are released elsewhere, so progress through
 * the list is kept in req->isge.
 */
static u32 tid_find_pages(struct tid_rdma_flow *flow, struct page **pages,
			  struct rvt_sge_state *ss, bool *last)
{
	struct tid_rdma_request *req = flow->req;
	u32 wanted = req->seg_len >> PAGE_SHIFT;
	u32 n = 0;

	while (n < wanted && req->isge < ss->num_sge) {
		pages[n++] = virt_to_page(ss->sge.vaddr);
		tid_next_page(req, ss);
	}
	flow->length = n << PAGE_SHIFT;
	*last = req->isge != ss->num_sge;
	return n;
}

/* DMA */

static void tid_unmap_sets(struct tid_rdma_flow *flow)
{
	struct device *dev = &flow->req->rcd->dd->pcidev->dev;
	int i;

	for (i = 0; i < flow->npagesets; i++) {
		struct tid_rdma_pageset *set = &flow->pagesets[i];

		if (!set->count || !set->mapped)
			continue;
		dma_unmap_page(dev, set->addr, set->count << PAGE_SHIFT,
			       DMA_FROM_DEVICE);
		set->mapped = 0;
	}
}

static int tid_map_sets(struct tid_rdma_flow *flow, struct page **pages)
{
	struct device *dev = &flow->req->rcd->dd->pcidev->dev;
	int i;

	for (i = 0; i < flow->npagesets; i++) {
		struct tid_rdma_pageset *set = &flow->pagesets[i];
		dma_addr_t addr;

		if (!set->count)
			continue;
		addr = dma_map_page(dev, pages[set->idx], 0,
				    set->count << PAGE_SHIFT, DMA_FROM_DEVICE);
		/* set->addr has 48 bits: it cannot hold the error value. */
		if (dma_mapping_error(dev, addr)) {
			tid_unmap_sets(flow);
			return -ENOMEM;
		}
		set->addr = addr;
		set->mapped = 1;
	}
	return 0;
}

/* TIDs */

static struct exp_tid_set *tid_set_of(struct hfi1_ctxtdata *rcd,
				      struct tid_group *grp)
{
	if (!grp->used)
		return &rcd->tid_group_list;
	if (grp->used == grp->size)
		return &rcd->tid_full_list;
	return &rcd->tid_used_list;
}

/*
 * The entries of a group that a node holds: the lowest node->cnt of those that
 * were free when it was made. Stock code reads nodes the same way.
 */
static u8 tid_node_entries(struct kern_tid_node *node)
{
	u8 i, cnt = 0, entries = 0;

	for (i = 0; i < node->grp->size && cnt < node->cnt; i++) {
		if (node->map & BIT(i))
			continue;
		entries |= BIT(i);
		cnt++;
	}
	return entries;
}

static void tid_take_from_group(struct tid_rdma_flow *flow,
				struct tid_group *grp, u32 cnt)
	__must_hold(&flow->req->rcd->exp_lock)
{
	struct kern_tid_node *node = &flow->tnode[flow->tnode_cnt++];
	struct hfi1_ctxtdata *rcd = flow->req->rcd;
	struct exp_tid_set *from = tid_set_of(rcd, grp);
	struct exp_tid_set *to;

	*node = (struct kern_tid_node){
		.grp = grp, .map = grp->map, .cnt = cnt,
	};
	grp->map |= tid_node_entries(node);
	grp->used += cnt;
	to = tid_set_of(rcd, grp);
	if (from != to)
		tid_group_move(grp, from, to);
}

/**
 * tid_rdma_free_tids - how many TIDs of a context are free
 * @rcd: the context
 *
 * Context: exp_lock held.
 * Return: their number, 0 to rcd->expected_count.
 */
u32 tid_rdma_free_tids(struct hfi1_ctxtdata *rcd)
	__must_hold(&rcd->exp_lock)
{
	u32 free = rcd->tid_group_list.count * rcd->dd->rcv_entries.group_size;
	struct tid_group *grp;

	lockdep_assert_held(&rcd->exp_lock);
	list_for_each_entry(grp, &rcd->tid_used_list.list, list)
		free += grp->size - grp->used;
	return free;
}

/*
 * Take a TID for each page set: whole groups first, since their rows are
 * written in full cache lines, then what is left of used ones, and the rest
 * from one more whole group.
 */
static bool tid_take(struct tid_rdma_flow *flow)
	__must_hold(&flow->req->rcd->exp_lock)
{
	struct hfi1_ctxtdata *rcd = flow->req->rcd;
	u32 size = rcd->dd->rcv_entries.group_size;
	u32 need = flow->npagesets;
	struct tid_group *grp, *next;

	lockdep_assert_held(&rcd->exp_lock);
	flow->tnode_cnt = 0;
	if (tid_rdma_free_tids(rcd) < need)
		return false;
	list_for_each_entry_safe(grp, next, &rcd->tid_group_list.list, list) {
		if (need < size)
			break;
		tid_take_from_group(flow, grp, size);
		need -= size;
	}
	list_for_each_entry_safe(grp, next, &rcd->tid_used_list.list, list) {
		u32 cnt = min_t(u32, need, grp->size - grp->used);

		if (!need)
			break;
		tid_take_from_group(flow, grp, cnt);
		need -= cnt;
	}
	if (need)
		tid_take_from_group(flow,
				    list_first_entry(&rcd->tid_group_list.list,
						     struct tid_group, list),
				    need);
	return true;
}

/* Mark the TIDs of a segment free. Its rows are invalid already. */
static void tid_give_back(struct tid_rdma_flow *flow)
	__must_hold(&flow->req->rcd->exp_lock)
{
	struct hfi1_ctxtdata *rcd = flow->req->rcd;
	int i;

	lockdep_assert_held(&rcd->exp_lock);
	for (i = 0; i < flow->tnode_cnt; i++) {
		struct kern_tid_node *node = &flow->tnode[i];
		struct tid_group *grp = node->grp;
		struct exp_tid_set *from = tid_set_of(rcd, grp);
		struct exp_tid_set *to;

		grp->map &= ~tid_node_entries(node);
		grp->used -= node->cnt;
		to = tid_set_of(rcd, grp);
		if (from != to)
			tid_group_move(grp, from, to);
	}
	flow->tnode_cnt = 0;
}

/* The head of the TID queue, if there is anything that it could have. */
static struct rvt_qp *tid_whom_to_wake(struct hfi1_ctxtdata *rcd)
	__must_hold(&rcd->exp_lock)
{
	lockdep_assert_held(&rcd->exp_lock);
	if (!rcd->tid_group_list.count && !rcd->tid_used_list.count)
		return NULL;
	return first_qp(rcd, &rcd->rarr_queue);
}

/* The RcvArray */

/*
 * Write the rows of a node's group, all of them in order so that the write
 * combining buffer fills up: the chip ignores those that are not ours. Page
 * sets from *@set on are programmed; with @set NULL the rows become invalid.
 */
static void tid_write_rows(struct tid_rdma_flow *flow,
			   struct kern_tid_node *node, u32 *set)
{
	struct hfi1_devdata *dd = flow->req->rcd->dd;
	u8 i, entries = tid_node_entries(node);

	for (i = 0; i < node->grp->size; i++) {
		u32 row = node->grp->base + i;
		struct tid_rdma_pageset *pset;

		if (!(entries & BIT(i))) {
			rcv_array_wc_fill(dd, row);
			continue;
		}
		pset = set ? &flow->pagesets[(*set)++] : NULL;
		if (pset && pset->count)
			hfi1_put_tid(dd, row, PT_EXPECTED, pset->addr,
				     fls(pset->count));
		else
			hfi1_put_tid(dd, row, PT_INVALID, 0, 0);
	}
}

static void tid_invalidate(struct tid_rdma_flow *flow)
{
	int i;

	for (i = 0; i < flow->tnode_cnt; i++)
		tid_write_rows(flow, &flow->tnode[i], NULL);
}

static void tid_add_entry(struct tid_rdma_flow *flow, u32 row, u32 ctrl,
			  u32 npages)
{
	u32 idx = (row - flow->req->rcd->expected_base) >> 1;
	u32 pages_per_packet = flow->req->qp->pmtu >> PAGE_SHIFT;

	flow->tid_entry[flow->tidcnt++] = EXP_TID_SET(IDX, idx) |
					  EXP_TID_SET(CTRL, ctrl) |
					  EXP_TID_SET(LEN, npages);
	flow->npkts += DIV_ROUND_UP(npages, pages_per_packet);
}

/*
 * What the peer is told of a node: one entry for a row, or for an even and
 * the odd row behind it when the segment has both (control 3). A second row
 * with an empty page set is not told (control 1).
 */
static void tid_make_entries(struct tid_rdma_flow *flow,
			     struct kern_tid_node *node, u32 *set)
{
	u8 i, entries = tid_node_entries(node);

	for (i = 0; i < node->grp->size; i++) {
		u32 row = node->grp->base + i;
		u32 first, second;

		if (!(entries & BIT(i)))
			continue;
		first = flow->pagesets[(*set)++].count;
		if ((i & 1) || !(entries & BIT(i + 1))) {
			u32 ctrl = first && (i & 1) ? 2 : 1;

			tid_add_entry(flow, row, ctrl, first);
			continue;
		}
		second = flow->pagesets[(*set)++].count;
		tid_add_entry(flow, row, second ? 3 : 1, first + second);
		i++;
	}
}

static void tid_program(struct tid_rdma_flow *flow)
{
	u32 row_set = 0, entry_set = 0;
	int i;

	flow->npkts = 0;
	flow->tidcnt = 0;
	for (i = 0; i < flow->tnode_cnt; i++) {
		tid_write_rows(flow, &flow->tnode[i], &row_set);
		tid_make_entries(flow, &flow->tnode[i], &entry_set);
	}
}

/* Segments */

/* Give the packets of a segment their numbers in the flow's sequence. */
static void tid_number_packets(struct tid_rdma_flow *flow)
{
	struct hfi1_qp_priv *priv = flow->req->qp->priv;
	struct tid_flow_state *fs = &priv->flow_state;

	memset(&flow->flow_state, 0, sizeof(flow->flow_state));
	flow->idx = fs->index;
	flow->flow_state.generation = fs->generation;
	flow->flow_state.spsn = fs->psn;
	flow->flow_state.lpsn = fs->psn + flow->npkts - 1;
	flow->flow_state.r_next_psn = full_flow_psn(flow, fs->psn);
	fs->psn += flow->npkts;
}

/* Take TIDs for a segment, or queue the QP for them. */
static int tid_take_or_wait(struct tid_rdma_flow *flow)
	__must_hold(&flow->req->qp->s_lock)
{
	struct hfi1_ctxtdata *rcd = flow->req->rcd;
	struct rvt_qp *next, *qp = flow->req->qp;
	unsigned long flags;
	bool left = false;
	int ret = 0;

	lockdep_assert_held(&qp->s_lock);
	spin_lock_irqsave(&rcd->exp_lock, flags);
	if (kernel_tid_waiters(rcd, &rcd->rarr_queue, qp) || !tid_take(flow)) {
		next = queue_qp_for_tid_wait(rcd, &rcd->rarr_queue, qp);
		ret = -EAGAIN;
	} else {
		left = dequeue_tid_waiter(rcd, &rcd->rarr_queue, qp);
		next = tid_whom_to_wake(rcd);
	}
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	if (left)
		rvt_put_qp(qp);
	tid_rdma_schedule_tid_wakeup(next);
	return ret;
}

static void tid_return(struct tid_rdma_flow *flow)
	__must_hold(&flow->req->qp->s_lock)
{
	struct hfi1_ctxtdata *rcd = flow->req->rcd;
	struct rvt_qp *head;
	unsigned long flags;

	lockdep_assert_held(&flow->req->qp->s_lock);
	spin_lock_irqsave(&rcd->exp_lock, flags);
	tid_give_back(flow);
	head = first_qp(rcd, &rcd->rarr_queue);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	tid_wait_wake(head, flow->req->qp);
}

static u32 tid_find_sets(struct tid_rdma_flow *flow, struct page **pages,
			 struct rvt_sge_state *ss, bool *last)
{
	u32 npages = tid_find_pages(flow, pages, ss, last);

	if (flow->req->qp->pmtu == 4096)
		return tid_rdma_find_phys_blocks_4k(flow, pages, npages,
						    flow->pagesets);
	return tid_rdma_find_phys_blocks_8k(flow, pages, npages,
					    flow->pagesets);
}

/* No context has what the request needs: nobody could wait long enough. */
static int tid_refuse(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	lockdep_assert_held(&req->qp->s_lock);
	tid_wait_leave(req->qp);
	tid_fail_request(req);
	return -EINVAL;
}

/**
 * hfi1_kern_exp_rcv_setup - set up the next segment of a request
 * @req: the request; its segment at setup_head is set up
 * @ss: where in the buffer the segment starts; moved behind it
 * @last: set to true if more of the buffer follows
 *
 * An attempt that fails leaves nothing behind: no page set, no mapping, and
 * @ss and @req as they were. The exception are page sets that stock code
 * found and mapped in an attempt before this module came in: @ss is behind
 * them already, so they are taken over.
 *
 * Context: s_lock of the QP held; takes exp_lock.
 * Return: 0 on success, setup_head has moved on; -EINVAL if the ring has no
 *	room, or if the peer has told no parameters, the segment is larger than
 *	TID_RDMA_MAX_SEGMENT_SIZE or needs more TIDs than the context has: the QP
 *	is on no queue and the request is ended in an error; -EAGAIN if there are
 *	not enough now: the QP is on rcd->rarr_queue then; -ENOMEM if a page cannot
 *	be mapped: the QP waits for memory and is on no queue.
 */
int hfi1_kern_exp_rcv_setup(struct tid_rdma_request *req,
			    struct rvt_sge_state *ss, bool *last)
	__must_hold(&req->qp->s_lock)
{
	struct tid_rdma_flow *flow = &req->flows[req->setup_head];
	struct hfi1_qp_priv *priv = req->qp->priv;
	struct rvt_sge sge = ss->sge;
	u32 isge = req->isge;
	bool inherited;
	int ret;

	lockdep_assert_held(&req->qp->s_lock);
	if (!req->n_flows || req->seg_len > TID_RDMA_MAX_SEGMENT_SIZE ||
	    !rcu_access_pointer(priv->tid_rdma.remote))
		return tid_refuse(req);
	if (!CIRC_SPACE(req->setup_head, req->clear_tail, MAX_FLOWS) ||
	    CIRC_CNT(req->setup_head, req->clear_tail, MAX_FLOWS) >=
	    req->n_flows)
		return -EINVAL;

	inherited = flow->npagesets && flow->pagesets[0].mapped;
	if (!inherited)
		flow->npagesets = tid_find_sets(flow, priv->pages, ss, last);

	if (flow->npagesets > req->rcd->expected_count)
		ret = tid_refuse(req);
	else
		ret = tid_take_or_wait(flow);
	if (ret)
		goto undo;
	if (!inherited && tid_map_sets(flow, priv->pages)) {
		tid_return(flow);
		ret = -ENOMEM;
		goto undo;
	}
	tid_program(flow);
	tid_number_packets(flow);
	req->setup_head = CIRC_NEXT(req->setup_head, MAX_FLOWS);
	return 0;

undo:
	if (!inherited) {
		flow->npagesets = 0;
		ss->sge = sge;
		req->isge = isge;
	}
	if (ret == -ENOMEM)
		hfi1_wait_kmem(req->qp);
	return ret;
}

static bool tid_has_segment(struct tid_rdma_request *req)
{
	return CIRC_CNT(req->setup_head, req->clear_tail, MAX_FLOWS);
}

/* Release the oldest segment, whose rows are invalid. */
static void tid_release_segment(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	struct tid_rdma_flow *flow = &req->flows[req->clear_tail];

	lockdep_assert_held(&req->qp->s_lock);
	tid_unmap_sets(flow);
	flow->npagesets = 0;
	req->clear_tail = CIRC_NEXT(req->clear_tail, MAX_FLOWS);
	tid_return(flow);
}

/*
 * READs and the WRITEs that a QP receives have one flow. When it has no PSNs left
 * each waits for the other's segments to end: let it look again.
 */
static void tid_let_other_go_on(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (priv->sync_pt)
		qp->s_flags |= RVT_S_RESP_PENDING;
	else if (wqe->wr.opcode != IB_WR_TID_RDMA_READ ||
		 wqe_to_tid_req(wqe)->state != TID_REQUEST_SYNC)
		return;
	hfi1_schedule_send(qp);
}

/**
 * hfi1_kern_exp_rcv_clear - undo the oldest segment of a request, which has come
 * @req: the request; its segment at clear_tail is cleared
 *
 * Context: s_lock of the QP held; takes exp_lock.
 * Return: 0 on success, clear_tail has moved on; -EINVAL if no segment is set
 *	up.
 */
int hfi1_kern_exp_rcv_clear(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	lockdep_assert_held(&req->qp->s_lock);
	if (!tid_has_segment(req))
		return -EINVAL;

	tid_read_skip_resend(req);
	tid_read_guard_slot(req->qp);
	tid_invalidate(&req->flows[req->clear_tail]);
	tid_release_segment(req);
	tid_let_other_go_on(req->qp);
	return 0;
}

/**
 * hfi1_kern_exp_rcv_clear_all - undo all segments of a request
 * @req: the request
 *
 * Its packets may still come. Reading a register makes sure that the chip knows
 * that the rows are invalid, and that what it has written until then has landed:
 * only then are the pages unmapped, and is anybody told that they are free.
 *
 * Context: s_lock of the QP held; takes exp_lock.
 */
void hfi1_kern_exp_rcv_clear_all(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	struct hfi1_ctxtdata *rcd = req->rcd;
	u32 i;

	lockdep_assert_held(&req->qp->s_lock);
	if (!tid_has_segment(req))
		return;
	for (i = req->clear_tail; i != req->setup_head;
	     i = CIRC_NEXT(i, MAX_FLOWS))
		tid_invalidate(&req->flows[i]);
	read_csr(rcd->dd, RCV_TID_FLOW_TABLE + RXE_PER_CONTEXT_SIZE * rcd->ctxt);
	while (tid_has_segment(req))
		tid_release_segment(req);
}

/**
 * hfi1_kern_exp_rcv_free_flows - release a request's segments and their array
 * @req: a request for which TIDs are taken on this side
 *
 * Context: s_lock of the QP held; takes exp_lock.
 */
void hfi1_kern_exp_rcv_free_flows(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	if (req->flows)
		hfi1_kern_exp_rcv_clear_all(req);
	kfree(req->flows);
	req->flows = NULL;
}

/**
 * __trdma_clean_swqe - a send request is done with
 * @qp: its QP
 * @wqe: the request
 *
 * The ring of a READ holds TIDs of this side, which go back before anybody is
 * told that the buffer is free again. The ring of a WRITE tells of the peer's.
 * A QP that flushes its requests in an error does not wait for TIDs any more.
 *
 * Context: s_lock of @qp held; takes exp_lock.
 */
void __trdma_clean_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);

	lockdep_assert_held(&qp->s_lock);
	if (qp->state == IB_QPS_ERR)
		tid_wait_leave(qp);
	if (wqe->wr.opcode == IB_WR_TID_RDMA_READ) {
		hfi1_kern_exp_rcv_free_flows(req);
		/* do_rc_ack() takes what is left in an empty slot for a READ. */
		wqe->wr.opcode = IB_WR_RDMA_READ;
		return;
	}
	kfree(req->flows);
	req->flows = NULL;
}

/**
 * hfi1_schedule_tid_send - schedule the TID leg of a QP's send engine
 * @qp: the QP
 *
 * Context: s_lock of @qp held.
 * Return: true if it is scheduled, now or already; false if the QP waits for
 *	something: it is noted that the TID leg has work to do then.
 */
bool hfi1_schedule_tid_send(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (!hfi1_send_tid_ok(qp)) {
		if (qp->s_flags & HFI1_S_ANY_WAIT_IO)
			iowait_set_flag(&priv->s_iowait, IOWAIT_PENDING_TID);
		return false;
	}
	if (!(dd_from_ibdev(qp->ibqp.device)->flags & HFI1_SHUTDOWN))
		iowait_tid_schedule(&priv->s_iowait, hfi1_qp_wq(qp),
				    hfi1_qp_cpu(qp));
	return true;
}
