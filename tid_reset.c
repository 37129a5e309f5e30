// SPDX-License-Identifier: GPL-2.0
/*
 * A QP in error holds nothing that a peer could still write to; after a reset it
 * is as new.
 */
#include "tid_flow.h"
#include "tid_rdma.h"
#include "tid_reset.h"
#include "tid_wait.h"

/*
 * What hfi1_qp_priv_init() gives to a new QP. What hfi1 itself resets, like the
 * OPFN parameters, is left to it, and r_next_psn_kdeth as it is: see
 * hfi1_kern_setup_hw_flow().
 */
static void tid_forget_state(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	priv->s_flags = 0;
	priv->s_state = TID_OP(WRITE_RESP);
	priv->s_nak_state = 0;
	priv->s_tid_cur = HFI1_QP_WQE_INVALID;
	priv->s_tid_head = HFI1_QP_WQE_INVALID;
	priv->s_tid_tail = HFI1_QP_WQE_INVALID;
	priv->r_tid_head = HFI1_QP_WQE_INVALID;
	priv->r_tid_tail = HFI1_QP_WQE_INVALID;
	priv->r_tid_ack = HFI1_QP_WQE_INVALID;
	priv->r_tid_alloc = HFI1_QP_WQE_INVALID;
	priv->rnr_nak_state = TID_RNR_NAK_INIT;
	priv->pending_tid_w_segs = 0;
	priv->pending_tid_w_resp = 0;
	priv->alloc_w_segs = 0;
	priv->tid_r_reqs = 0;
	priv->tid_r_comp = 0;
	priv->pending_tid_r_segs = 0;
	priv->sync_pt = false;
	priv->resync = false;
	atomic_set(&priv->n_requests, 0);
	atomic_set(&priv->n_tid_requests, 0);
}

/*
 * Slots of both queues are used again after a reset, and hfi1 looks at what is
 * left in them. Before it sends a request it looks into the slot before, for a
 * WRITE whose data is not acknowledged yet (hfi1_tid_rdma_wqe_interlock()): one of
 * the past would never be. What it does with an ACK depends on the slot behind the
 * last request (do_rc_ack()). When it receives a WRITE it refuses it if the one
 * that was in its slot before is not acknowledged
 * (hfi1_rc_rcv_tid_rdma_write_req()), and a READ of the peer's waits for the WRITE in
 * the slot before (hfi1_tid_rdma_ack_interlock()).
 *
 * The rings of segments of requests that were dropped are freed here: nobody else
 * would, and when the QP is destroyed nothing points to them any more.
 */
static void tid_forget_requests(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	u32 i, entries = rvt_size_atomic(ib_to_rvt(qp->ibqp.device)) + 1;

	lockdep_assert_held(&qp->s_lock);
	for (i = 0; i < qp->s_size; i++) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, i);

		__trdma_clean_swqe(qp, wqe);
		if (wqe->wr.opcode == IB_WR_TID_RDMA_WRITE)
			wqe->wr.opcode = IB_WR_RDMA_WRITE;
	}
	for (i = 0; i < entries; i++)
		qp->s_ack_queue[i].opcode = 0;
}

/* Only a QP that can do TID RDMA has room for the pages of a segment. */
static bool tid_has_tid_rdma(struct hfi1_qp_priv *priv)
{
	return priv->pages;
}

/* Undo the segments of the WRITEs that a QP receives. */
static void tid_clear_inbound(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	u32 i, entries = rvt_size_atomic(ib_to_rvt(qp->ibqp.device)) + 1;

	lockdep_assert_held(&qp->s_lock);
	for (i = 0; i < entries; i++) {
		struct rvt_ack_entry *e = &qp->s_ack_queue[i];

		/* The ring of a READ tells of the peer's TIDs. */
		if (e->opcode == TID_OP(WRITE_REQ))
			hfi1_kern_exp_rcv_clear_all(ack_to_tid_req(e));
	}
}

/**
 * tid_reset_error - a QP goes into error: it waits for nothing, nothing lands
 * @qp: the QP
 *
 * One that receives WRITEs and sends nothing has no request to flush: nobody but
 * this would take it off its queue, where it blocks those behind it.
 *
 * In-tree code lets the chip go on writing what it had granted the peer, after
 * everybody has been told that the QP is in error and the memory is free. The
 * TIDs of the QP's own READs go back when these are flushed, before completions.
 *
 * Context: s_lock of @qp held; takes exp_lock.
 */
void tid_reset_error(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (!tid_has_tid_rdma(priv))
		return;
	tid_wait_leave(qp);
	tid_flow_give_back(qp);
	tid_clear_inbound(qp);
}

/**
 * hfi1_qp_kern_exp_rcv_clear_all - a QP is reset: nothing of its TID RDMA remains
 * @qp: the QP, quiet: its send engines and timers have been stopped
 *
 * The flow goes first, so that no late packet finds a row.
 *
 * Context: r_lock and s_lock of @qp held; takes exp_lock.
 */
void hfi1_qp_kern_exp_rcv_clear_all(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (!tid_has_tid_rdma(priv))
		return;
	tid_flow_forget(qp);
	tid_clear_inbound(qp);
	tid_forget_requests(qp);
	tid_forget_state(qp);
}
