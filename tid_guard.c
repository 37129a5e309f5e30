// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that nothing in their QP explains: forged, or sent to the QP before it was
 * reset. hfi1's handlers take each for an answer to what the QP has under way, and
 * follow indexes and rings that are not there: an oops, or a loop without end.
 */
#include "tid_guard.h"

/* s_ack_queue has room for one request more than a peer may have under way. */
static u32 tid_guard_entries(struct rvt_qp *qp)
{
	return rvt_size_atomic(ib_to_rvt(qp->ibqp.device)) + 1;
}

/* The peer's request that a PSN of the past is of; find_prev_entry() of rc.c. */
static struct rvt_ack_entry *tid_guard_request(struct rvt_qp *qp, u32 psn)
	__must_hold(&qp->s_lock)
{
	u32 i, entries = tid_guard_entries(qp), at = qp->r_head_ack_queue;

	lockdep_assert_held(&qp->s_lock);
	for (i = 1; i < entries; i++) {
		at = at ? at - 1 : entries - 1;
		if (cmp_psn(psn, qp->s_ack_queue[at].psn) >= 0)
			return &qp->s_ack_queue[at];
	}
	return NULL;
}

/* A WRITE that comes again as what it was. A READ would become one. */
static bool tid_guard_write_req(struct rvt_qp *qp, u32 psn)
	__must_hold(&qp->s_lock)
{
	struct rvt_ack_entry *e;

	lockdep_assert_held(&qp->s_lock);
	if (cmp_psn(psn, qp->r_psn) >= 0)
		return true;
	e = tid_guard_request(qp, psn);
	return !e || e->opcode != TID_OP(READ_REQ);
}

/* Is there a WRITE whose next segment the peer may grant? */
static bool tid_guard_write_resp(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_request *req;
	struct rvt_swqe *wqe;

	lockdep_assert_held(&qp->s_lock);
	if (priv->s_tid_cur >= qp->s_size)
		return false;
	wqe = rvt_get_swqe_ptr(qp, priv->s_tid_cur);
	req = wqe_to_tid_req(wqe);
	return wqe->wr.opcode == IB_WR_TID_RDMA_WRITE && req->flows &&
	       req->comp_seg < req->total_segs;
}

/* Is there a segment that the peer has been granted? */
static bool tid_guard_write_data(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_request *req;
	struct rvt_ack_entry *e;

	lockdep_assert_held(&qp->s_lock);
	if (priv->r_tid_tail >= tid_guard_entries(qp))
		return false;
	e = &qp->s_ack_queue[priv->r_tid_tail];
	req = ack_to_tid_req(e);
	return e->opcode == TID_OP(WRITE_REQ) &&
	       req->setup_head != req->clear_tail;
}

/* Is a PSN of a segment that the peer has granted, and has not acknowledged? */
static bool tid_guard_granted(struct rvt_qp *qp, u32 psn)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req;
	struct tid_rdma_flow *flow;
	struct rvt_swqe *wqe;
	u32 i, at;

	lockdep_assert_held(&qp->s_lock);
	for (i = qp->s_acked; i != qp->s_tail; i = i + 1 == qp->s_size ? 0 : i + 1) {
		wqe = rvt_get_swqe_ptr(qp, i);
		if (wqe->wr.opcode != IB_WR_TID_RDMA_WRITE)
			break;
		req = wqe_to_tid_req(wqe);
		for (at = req->acked_tail; req->flows && at != req->setup_head;
		     at = CIRC_NEXT(at, MAX_FLOWS)) {
			flow = &req->flows[at];
			if (cmp_psn(psn, full_flow_psn(flow, flow->flow_state.spsn)) >= 0 &&
			    cmp_psn(psn, full_flow_psn(flow, flow->flow_state.lpsn)) <= 0)
				return true;
		}
	}
	return false;
}

/*
 * An ACK or NAK as a peer makes them (hfi1_build_tid_rdma_write_ack()). Others make
 * hfi1 take segments for acknowledged without stopping the timer of their ACK, or stop
 * it and send nothing again. The answer to a RESYNC is an ACK, and comes only then.
 */
static bool tid_guard_ack(struct rvt_qp *qp, u32 psn, u32 aeth)
	__must_hold(&qp->s_lock)
{
	bool ack = !(aeth >> IB_AETH_NAK_SHIFT);

	lockdep_assert_held(&qp->s_lock);
	if (qp->s_flags & HFI1_S_WAIT_HALT)
		return ack && (psn & HFI1_KDETH_BTH_SEQ_MASK) == HFI1_KDETH_BTH_SEQ_MASK;
	return (ack || aeth >> IB_AETH_CREDIT_SHIFT == IB_NAK_PSN_ERROR) &&
	       tid_guard_granted(qp, psn);
}

static bool tid_guard_explains(struct rvt_qp *qp, struct ib_other_headers *ohdr)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	u32 psn = mask_psn(be32_to_cpu(ohdr->bth[2]));

	lockdep_assert_held(&qp->s_lock);
	switch (be32_to_cpu(ohdr->bth[0]) >> 24) {
	case TID_OP(WRITE_REQ):
		return tid_guard_write_req(qp, psn);
	case TID_OP(WRITE_RESP):
		return tid_guard_write_resp(qp);
	case TID_OP(WRITE_DATA):
	case TID_OP(WRITE_DATA_LAST):
		return tid_guard_write_data(qp);
	case TID_OP(RESYNC):
		/* make_tid_rdma_ack() will answer for this request. */
		return priv->r_tid_tail < tid_guard_entries(qp);
	case TID_OP(ACK):
		return tid_guard_ack(qp, psn,
				     be32_to_cpu(ohdr->u.tid_rdma.ack.aeth));
	}
	return true;
}

/**
 * tid_guard_passes - may a handler of TID RDMA see this packet?
 * @packet: the packet; its QP is known
 *
 * Where a TID names memory only data comes: of all else hfi1 reads the payload,
 * which is not in a buffer of the context then. One that does not pass is counted
 * as the QP's port counts packets that it drops (n_pkt_drops).
 *
 * Context: r_lock of the QP held; takes s_lock.
 * Return: false if nothing that the QP has under way explains it.
 */
bool tid_guard_passes(struct hfi1_packet *packet)
	__must_hold(&packet->qp->r_lock)
{
	struct rvt_qp *qp = packet->qp;
	struct hfi1_qp_priv *priv = qp->priv;
	u8 opcode = be32_to_cpu(packet->ohdr->bth[0]) >> 24;
	unsigned long flags;
	bool passes;

	lockdep_assert_held(&qp->r_lock);
	spin_lock_irqsave(&qp->s_lock, flags);
	/* A QP that cannot do TID RDMA has no room for the pages of a segment. */
	passes = priv->pages && tid_guard_explains(qp, packet->ohdr);
	spin_unlock_irqrestore(&qp->s_lock, flags);
	if (packet->etype == RHF_RCV_TYPE_EXPECTED &&
	    opcode != TID_OP(WRITE_DATA) && opcode != TID_OP(WRITE_DATA_LAST))
		passes = false;
	if (!passes)
		to_iport(qp->ibqp.device, qp->port_num)->rvp.n_pkt_drops++;
	return passes;
}
