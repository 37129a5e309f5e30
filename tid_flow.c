// SPDX-License-Identifier: GPL-2.0
/*
 * Take, give back and initialise hardware flows.
 */
#include <linux/bitops.h>
#include <linux/circ_buf.h>
#include <linux/random.h>

#include "tid_flow.h"
#include "tid_wait.h"

#define TID_FLOWS_ALL GENMASK(RXE_NUM_TID_FLOWS - 1, 0)

/*
 * Write the row of a flow. The two mismatch bits are cleared by writing them
 * (hfi1 tid_rdma.c kern_set_hw_flow()). No packet matches the reserved
 * generation.
 *
 * Stock hfi1 lets the chip deliver packets of another generation as errors; ours
 * lets it drop them. They are late copies for a request that is done: hfi1 has
 * no use for them, and its handle_read_kdeth_eflags() takes the last packet of a
 * READ for part of whatever was in the next slot of the send queue before, and
 * crashes.
 */
static void tid_flow_program(struct hfi1_ctxtdata *rcd, u32 idx, u32 generation)
{
	u64 row = (u64)generation << HFI1_KDETH_BTH_SEQ_SHIFT |
		  RCV_TID_FLOW_TABLE_CTRL_FLOW_VALID_SMASK |
		  RCV_TID_FLOW_TABLE_STATUS_SEQ_MISMATCH_SMASK |
		  RCV_TID_FLOW_TABLE_STATUS_GEN_MISMATCH_SMASK;

	if (generation != KERN_GENERATION_RESERVED)
		row |= RCV_TID_FLOW_TABLE_CTRL_HDR_SUPP_EN_SMASK |
		       RCV_TID_FLOW_TABLE_CTRL_KEEP_AFTER_SEQ_ERR_SMASK;
	write_uctxt_csr(rcd->dd, rcd->ctxt, RCV_TID_FLOW_TABLE + 8 * idx, row);
}

static u32 tid_flow_next_generation(u32 generation)
{
	generation = mask_generation(generation + 1);
	if (generation == KERN_GENERATION_RESERVED)
		generation = mask_generation(generation + 1);
	return generation;
}

/*
 * A RESYNC is answered with the PSN of the last packet that has come, be it in
 * the flow that the QP had before. The peer holds that against the PSNs of this
 * flow (hfi1_rc_rcv_tid_rdma_ack()): were they not later, it would take what is
 * lost for received.
 */
static u32 tid_flow_later_generation(u32 generation, u32 psn)
{
	if (cmp_psn(generation << HFI1_KDETH_BTH_SEQ_SHIFT, psn) > 0)
		return generation;
	return tid_flow_next_generation(psn >> HFI1_KDETH_BTH_SEQ_SHIFT);
}

/**
 * kern_reserve_flow - mark a flow as taken
 * @rcd: the context
 * @last: the flow to prefer, the QP's last one; RXE_NUM_TID_FLOWS for any
 *
 * Context: exp_lock held.
 * Return: the flow's index, 0 to RXE_NUM_TID_FLOWS - 1; -EAGAIN if all are
 *	taken.
 */
int kern_reserve_flow(struct hfi1_ctxtdata *rcd, int last)
	__must_hold(&rcd->exp_lock)
{
	unsigned long free = ~rcd->flow_mask & TID_FLOWS_ALL;
	int idx;

	lockdep_assert_held(&rcd->exp_lock);
	if (!free)
		return -EAGAIN;
	if (last >= 0 && last < RXE_NUM_TID_FLOWS && (free & BIT(last)))
		idx = last;
	else
		idx = __ffs(free);
	rcd->flow_mask |= BIT(idx);
	return idx;
}

/* The head of the flow queue, if there is a flow that it could have. */
static struct rvt_qp *tid_flow_whom_to_wake(struct hfi1_ctxtdata *rcd)
	__must_hold(&rcd->exp_lock)
{
	lockdep_assert_held(&rcd->exp_lock);
	if ((rcd->flow_mask & TID_FLOWS_ALL) == TID_FLOWS_ALL)
		return NULL;
	return first_qp(rcd, &rcd->flow_queue);
}

/**
 * hfi1_kern_setup_hw_flow - take a flow for a QP, or put the QP to sleep
 * @rcd: the QP's context
 * @qp: the QP
 *
 * A generation that a RESYNC brought (flow_state.generation is not the
 * reserved one) goes before the flow's own; that one is moved on until it is
 * later than the QP's last.
 *
 * Context: s_lock of @qp held; takes exp_lock.
 * Return: 0 when the QP has a flow, a new one or the one that it had already;
 *	-EAGAIN if it has to wait: it is on rcd->flow_queue then.
 */
int hfi1_kern_setup_hw_flow(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_flow_state *fs = &priv->flow_state;
	struct rvt_qp *next;
	unsigned long flags;
	int idx = -EAGAIN;
	bool left;

	lockdep_assert_held(&qp->s_lock);
	if (fs->index != RXE_NUM_TID_FLOWS)
		return 0;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	if (!kernel_tid_waiters(rcd, &rcd->flow_queue, qp))
		idx = kern_reserve_flow(rcd, fs->last_index);
	if (idx < 0) {
		next = queue_qp_for_tid_wait(rcd, &rcd->flow_queue, qp);
		spin_unlock_irqrestore(&rcd->exp_lock, flags);
		tid_rdma_schedule_tid_wakeup(next);
		return -EAGAIN;
	}
	if (fs->generation == KERN_GENERATION_RESERVED)
		fs->generation = tid_flow_later_generation(rcd->flows[idx].generation,
							   priv->r_next_psn_kdeth);
	rcd->flows[idx].generation = fs->generation;
	left = dequeue_tid_waiter(rcd, &rcd->flow_queue, qp);
	next = tid_flow_whom_to_wake(rcd);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	/* The flow is ours: nobody else writes its row until we return it. */
	tid_flow_program(rcd, idx, fs->generation);
	fs->index = idx;
	fs->last_index = idx;
	fs->psn = 0;
	if (left)
		rvt_put_qp(qp);
	tid_rdma_schedule_tid_wakeup(next);
	return 0;
}

/**
 * tid_flow_give_back - give a QP's flow back and wake the next waiter
 * @qp: the QP; one without a flow is left alone
 *
 * The row is made to match nothing before the flow is marked free: whoever
 * takes it next finds no packet of the old owner arriving in it.
 *
 * Context: s_lock of @qp held; takes exp_lock.
 */
void tid_flow_give_back(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_flow_state *fs = &priv->flow_state;
	struct hfi1_ctxtdata *rcd = priv->rcd;
	struct rvt_qp *head;
	unsigned long flags;
	u32 idx = fs->index;

	lockdep_assert_held(&qp->s_lock);
	if (idx >= RXE_NUM_TID_FLOWS)
		return;
	fs->index = RXE_NUM_TID_FLOWS;
	fs->psn = 0;
	fs->generation = KERN_GENERATION_RESERVED;
	tid_flow_program(rcd, idx, KERN_GENERATION_RESERVED);

	spin_lock_irqsave(&rcd->exp_lock, flags);
	rcd->flows[idx].generation =
		tid_flow_next_generation(rcd->flows[idx].generation);
	rcd->flow_mask &= ~BIT(idx);
	head = first_qp(rcd, &rcd->flow_queue);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	tid_wait_wake(head, qp);
}

/* Is a segment of the QP's READs set up? */
static bool tid_flow_has_reads(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	u32 i;

	lockdep_assert_held(&qp->s_lock);
	if (priv->tid_r_reqs == priv->tid_r_comp)
		return false;
	for (i = qp->s_acked; i != qp->s_tail; i = (i + 1) % qp->s_size) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, i);
		struct tid_rdma_request *req = wqe_to_tid_req(wqe);

		if (wqe->wr.opcode == IB_WR_TID_RDMA_READ && req->flows &&
		    CIRC_CNT(req->setup_head, req->clear_tail, MAX_FLOWS))
			return true;
	}
	return false;
}

/**
 * hfi1_kern_clear_hw_flow - a QP's READs, or the WRITEs it receives, need no flow
 * @rcd: the QP's context
 * @qp: the QP
 *
 * Both have one flow. In-tree code gives it back under the other's segments, whose
 * packets then find nothing; ours when there are none: whoever ends last asks again.
 *
 * Context: s_lock of @qp held; takes exp_lock.
 */
void hfi1_kern_clear_hw_flow(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (!priv->alloc_w_segs && !tid_flow_has_reads(qp))
		tid_flow_give_back(qp);
}

/**
 * tid_flow_forget - a QP is reset: it has no flow, and asks for no generation
 * @qp: the QP
 *
 * Context: s_lock of @qp held; takes exp_lock.
 */
void tid_flow_forget(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	tid_flow_give_back(qp);
	/* A RESYNC may have brought one while there was no flow. */
	priv->flow_state.generation = KERN_GENERATION_RESERVED;
}

/**
 * hfi1_kern_init_ctxt_generations - prepare the flows of a new context
 * @rcd: the context
 *
 * Generations start at random, so that packets of an earlier life of the
 * context do not match.
 *
 * Context: process context, before @rcd is used.
 */
void hfi1_kern_init_ctxt_generations(struct hfi1_ctxtdata *rcd)
{
	u32 idx;

	tid_wait_forget_context(rcd);
	for (idx = 0; idx < RXE_NUM_TID_FLOWS; idx++) {
		rcd->flows[idx].generation =
			tid_flow_next_generation(get_random_u32());
		tid_flow_program(rcd, idx, KERN_GENERATION_RESERVED);
	}
}
