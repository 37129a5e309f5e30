// SPDX-License-Identifier: GPL-2.0
/*
 * Asking again for what was lost, when in-tree code asks for the wrong thing.
 */
#include <linux/circ_buf.h>

#include "tid_retry.h"

/**
 * tid_read_guard_slot - let a late copy find nothing in an empty send queue
 * @qp: the QP, about to be done with a segment of a READ
 *
 * For a packet out of sequence hfi1's handle_read_kdeth_eflags() looks at the
 * request in slot s_acked before it asks if there is one. If there is none, it
 * takes the remains of one long gone for one that the packet completes or that
 * has to be sent again. With PSNs that are still to come the remains are left
 * alone. Whoever posts a request, perhaps at this moment, writes them anew: then
 * there is nothing to guard.
 *
 * Context: s_lock of @qp held.
 */
void tid_read_guard_slot(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct rvt_swqe *wqe;
	u32 next;

	lockdep_assert_held(&qp->s_lock);
	if (!spin_trylock(&qp->s_hlock))
		return;
	next = mask_psn(qp->s_next_psn);
	wqe = rvt_get_swqe_ptr(qp, qp->s_head);
	wqe->psn = next;
	wqe->lpsn = next;
	spin_unlock(&qp->s_hlock);
}

/**
 * tid_read_skip_resend - do not ask again for a segment that has come
 * @req: a request; its segment at clear_tail has come and is about to be cleared
 *
 * When packets came out of sequence a READ is sent again from its oldest segment
 * on, but before that happens the rest of the segment may come after all. hfi1
 * then asks for the segment in vain, or puts the answer into the next one's TIDs,
 * and counts it twice when it comes: hfi1_restart_rc() has taken it out of all
 * counts already. Let the send engine go on behind the segment instead, and undo
 * the second counting, which hfi1_rc_rcv_tid_rdma_read_resp() has just done.
 *
 * Context: s_lock of the QP held.
 */
void tid_read_skip_resend(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	u32 last = req->flows[req->clear_tail].flow_state.ib_lpsn;
	struct rvt_qp *qp = req->qp;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (wqe_to_tid_req(wqe) != req || cmp_psn(qp->s_psn, last) > 0)
		return;
	req->ack_pending = 0;
	priv->pending_tid_r_segs++;
	qp->s_num_rd_atomic++;
	qp->s_psn = last + 1;
	if (!cmp_psn(last, wqe->lpsn)) {
		qp->s_state = IB_OPCODE_RC_SEND_LAST;
		return;
	}
	qp->s_state = TID_OP(READ_REQ);
	req->state = TID_REQUEST_RESEND;
	req->s_next_psn = qp->s_psn;
	req->cur_seg = req->comp_seg + 1;
	req->flow_idx = CIRC_NEXT(req->clear_tail, MAX_FLOWS);
}

/* Has the oldest request of the send queue a segment that packets could be for? */
static bool tid_read_under_way(struct rvt_qp *qp, struct tid_rdma_request *req)
	__must_hold(&qp->s_lock)
{
	lockdep_assert_held(&qp->s_lock);
	return qp->s_acked != qp->s_tail && req->flows &&
	       CIRC_CNT(req->setup_head, req->clear_tail, MAX_FLOWS);
}

/**
 * restart_tid_rdma_read_req - ask again for the oldest segment of a READ
 * @rcd: the QP's context
 * @qp: the QP
 * @wqe: what is in slot s_acked of the send queue: its oldest request, or when
 *	it has none, the remains of one long gone
 *
 * hfi1 calls this for a packet out of sequence. If that was a late copy, and
 * nothing is under way, there is nothing to ask for: what stands in the slot or
 * in the ring of segments then is of the past (in-tree code follows it). When the
 * request has been tried often enough it is left to the timer, which ends it:
 * the caller still uses it.
 *
 * Context: r_lock and s_lock of @qp held, interrupts off.
 */
void restart_tid_rdma_read_req(struct hfi1_ctxtdata *rcd, struct rvt_qp *qp,
			       struct rvt_swqe *wqe)
	__must_hold(&qp->r_lock) __must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);

	lockdep_assert_held(&qp->r_lock);
	lockdep_assert_held(&qp->s_lock);
	if (!tid_read_under_way(qp, req) || !qp->s_retry) {
		/* The caller may have set it: no answer will come to clear it. */
		qp->r_flags &= ~RVT_R_RDMAR_SEQ;
		return;
	}
	qp->r_flags |= RVT_R_RDMAR_SEQ;
	hfi1_restart_rc(qp, req->flows[req->clear_tail].flow_state.ib_spsn, 0);
	if (list_empty(&qp->rspwait)) {
		qp->r_flags |= RVT_R_RSP_SEND;
		rvt_get_qp(qp);
		list_add_tail(&qp->rspwait, &rcd->qp_wait_list);
	}
}

/* The first word of a KDETH header, for data @offset bytes behind a TID's start. */
static __le32 tid_kdeth0(u32 entry, u32 offset, bool last, bool urgent)
{
	u32 word = (offset / KDETH_OM_LARGE & KDETH_OFFSET_MASK) |
		   1 << KDETH_OM_SHIFT |
		   EXP_TID_GET(entry, IDX) << KDETH_TID_SHIFT |
		   EXP_TID_GET(entry, CTRL) << KDETH_TIDCTRL_SHIFT |
		   (u32)(!last && urgent) << KDETH_INTR_SHIFT |
		   (u32)!last << KDETH_SH_SHIFT |
		   1 << KDETH_KVER_SHIFT;

	return cpu_to_le32(word);
}

/**
 * hfi1_build_tid_rdma_read_resp - write the header of a packet of a READ's answer
 * @qp: the QP that answers
 * @e: the request that is answered
 * @ohdr: the header
 * @bth0: opcode, for the caller to put into the header
 * @bth1: destination QP, flow and context, for the same
 * @bth2: PSN, for the same
 * @len: bytes of data in the packet
 * @last: is it the last packet of the answer?
 *
 * When the peer asks again for an older segment hfi1 goes back to that request,
 * and then begins anew to read the data of those behind it, but not to number
 * their packets: one that had been answered in part would go on in the middle,
 * with data from its beginning. So it begins anew here too.
 *
 * Context: s_lock of @qp held.
 * Return: length of the header behind the BTH, in 32-bit words; 0 if the peer's
 *	parameters are gone.
 */
u32 hfi1_build_tid_rdma_read_resp(struct rvt_qp *qp, struct rvt_ack_entry *e,
				  struct ib_other_headers *ohdr, u32 *bth0,
				  u32 *bth1, u32 *bth2, u32 *len, bool *last)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req = ack_to_tid_req(e);
	struct tid_rdma_flow *flow = &req->flows[req->clear_tail];
	struct tid_rdma_read_resp *resp = &ohdr->u.tid_rdma.r_rsp;
	u32 left = qp->s_ack_rdma_sge.sge.sge_length;
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *remote;
	u32 entry, entry_len;

	lockdep_assert_held(&qp->s_lock);
	if (flow->sent + left != flow->length) {
		flow->sent = 0;
		flow->pkt = 0;
		flow->tid_idx = 0;
		flow->tid_offset = 0;
	}
	entry = flow->tid_entry[flow->tid_idx];
	entry_len = EXP_TID_GET(entry, LEN) << PAGE_SHIFT;
	*len = min_t(u32, qp->pmtu, entry_len - flow->tid_offset);
	flow->sent += *len;
	*last = flow->sent >= flow->length;

	rcu_read_lock();
	remote = rcu_dereference(priv->tid_rdma.remote);
	if (!remote) {
		rcu_read_unlock();
		return 0;
	}
	resp->kdeth0 = tid_kdeth0(entry, flow->tid_offset, *last, remote->urg);
	resp->kdeth1 = cpu_to_le32(remote->jkey & KDETH_JKEY_MASK);
	rcu_read_unlock();
	resp->verbs_qp = cpu_to_be32(qp->remote_qpn);
	resp->aeth = rvt_compute_aeth(qp);
	resp->verbs_psn = cpu_to_be32(mask_psn(flow->flow_state.ib_spsn + flow->pkt));
	*bth0 = TID_OP(READ_RESP) << 24;
	*bth1 = flow->tid_qpn;
	*bth2 = full_flow_psn(flow, flow->flow_state.spsn + flow->pkt);

	flow->pkt++;
	flow->tid_offset += *len;
	if (flow->tid_offset >= entry_len) {
		flow->tid_offset = 0;
		flow->tid_idx++;
	}
	if (*last)
		req->clear_tail = CIRC_NEXT(req->clear_tail, MAX_FLOWS);
	return sizeof(*resp) / sizeof(u32);
}

/* The segment of a WRITE that data of the peer is awaited for, or NULL. */
static struct tid_rdma_flow *tid_write_awaited(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_request *req;
	struct rvt_ack_entry *e;

	lockdep_assert_held(&qp->s_lock);
	if (priv->r_tid_tail == priv->r_tid_head)
		return NULL;
	e = &qp->s_ack_queue[priv->r_tid_tail];
	if (e->opcode != TID_OP(WRITE_REQ))
		return NULL;
	req = ack_to_tid_req(e);
	if (req->comp_seg == req->cur_seg)
		return NULL;
	return &req->flows[req->clear_tail];
}

/*
 * The caller, make_tid_rdma_ack(), steps back by one entry before it answers a
 * RESYNC, and forward again over requests that are answered in full. It takes
 * any entry for a WRITE: one that is not stops it, and every answer after that
 * would be about the wrong entry. Go on to the request that is being received.
 */
static void tid_write_catch_up(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	u32 last = rvt_size_atomic(ib_to_rvt(qp->ibqp.device));
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_request *req;
	struct rvt_ack_entry *e;

	lockdep_assert_held(&qp->s_lock);
	while (priv->r_tid_ack != priv->r_tid_tail) {
		e = &qp->s_ack_queue[priv->r_tid_ack];
		if (e->opcode == TID_OP(WRITE_REQ)) {
			req = ack_to_tid_req(e);
			req->ack_seg += CIRC_CNT(req->clear_tail,
						 req->acked_tail, MAX_FLOWS);
			req->acked_tail = req->clear_tail;
			if (req->ack_seg == req->total_segs) {
				req->state = TID_REQUEST_COMPLETE;
				priv->s_flags &= ~HFI1_R_TID_WAIT_INTERLCK;
			}
		}
		if (++priv->r_tid_ack > last)
			priv->r_tid_ack = 0;
	}
}

/*
 * The PSN of the last packet that has come, for the answer to a RESYNC, whose
 * PSN is @resync_psn. When none has come since the RESYNC before, it is the PSN
 * that was told then.
 *
 * The peer counts as received what is not later. So when the last packet came in
 * a flow with other generations, tell a PSN from before this one's: nothing has
 * come in it. That is only so with a flow that stock code took: ours takes later
 * generations.
 */
static u32 tid_write_last_psn(struct hfi1_qp_priv *priv, u32 resync_psn)
{
	u32 last = mask_psn(priv->r_next_psn_kdeth - 1);

	if ((last & HFI1_KDETH_BTH_SEQ_MASK) != HFI1_KDETH_BTH_SEQ_MASK)
		priv->r_next_psn_kdeth_save = last;
	priv->r_next_psn_kdeth = mask_psn(resync_psn + 1);
	if (cmp_psn(priv->r_next_psn_kdeth_save, resync_psn) >= 0)
		priv->r_next_psn_kdeth_save =
			mask_psn(resync_psn - (2 << HFI1_KDETH_BTH_SEQ_SHIFT));
	return priv->r_next_psn_kdeth_save;
}

/**
 * hfi1_build_tid_rdma_write_ack - write the header of an answer to WRITE data
 * @qp: the QP that receives
 * @e: the request that is answered
 * @ohdr: the header
 * @iflow: the segment of @e
 * @bth1: destination QP and context, for the caller to put into the header
 * @bth2: PSN, for the caller to put into the header
 *
 * The answer is an ACK of the last whole segment, a NAK, or the ACK of a RESYNC.
 * The latter names the segment whose data is awaited, if there is one. The one
 * before, which in-tree code names unless it knows that something of the next
 * has come (headers are suppressed, so it does not know), has been acknowledged:
 * hfi1_rc_rcv_tid_rdma_ack() takes the ACK for an old one then, and the WRITE
 * ends in retries for want of its last packet.
 *
 * Context: s_lock of @qp held.
 * Return: length of the header behind the BTH, in 32-bit words.
 */
u32 hfi1_build_tid_rdma_write_ack(struct rvt_qp *qp, struct rvt_ack_entry *e,
				  struct ib_other_headers *ohdr, u16 iflow,
				  u32 *bth1, u32 *bth2)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_flow *flow = &ack_to_tid_req(e)->flows[iflow];
	struct tid_rdma_ack *ack = &ohdr->u.tid_rdma.ack;
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_flow *awaited;
	struct tid_rdma_params *remote;

	lockdep_assert_held(&qp->s_lock);
	rcu_read_lock();
	remote = rcu_dereference(priv->tid_rdma.remote);
	ack->kdeth1 = cpu_to_le32(remote->jkey & KDETH_JKEY_MASK);
	*bth1 = remote->qp;
	rcu_read_unlock();
	ack->kdeth0 = cpu_to_le32(1 << KDETH_KVER_SHIFT);
	ack->verbs_qp = cpu_to_be32(qp->remote_qpn);
	ack->tid_flow_psn = 0;

	if (priv->resync) {
		tid_write_catch_up(qp);
		awaited = tid_write_awaited(qp);
		if (awaited)
			flow = awaited;
		*bth2 = mask_psn((priv->flow_state.generation <<
				  HFI1_KDETH_BTH_SEQ_SHIFT) - 1);
		ack->aeth = rvt_compute_aeth(qp);
		ack->tid_flow_psn = cpu_to_be32(tid_write_last_psn(priv, *bth2));
		priv->resync = false;
	} else if (priv->s_nak_state) {
		*bth2 = mask_psn(priv->s_nak_psn);
		ack->aeth = cpu_to_be32((qp->r_msn & IB_MSN_MASK) |
					priv->s_nak_state << IB_AETH_CREDIT_SHIFT);
	} else {
		*bth2 = full_flow_psn(flow, flow->flow_state.lpsn);
		ack->aeth = rvt_compute_aeth(qp);
	}
	ack->verbs_psn = cpu_to_be32(flow->flow_state.resp_ib_psn);
	ack->tid_flow_qp = cpu_to_be32(priv->tid_rdma.local.qp |
				       (flow->idx & TID_RDMA_DESTQP_FLOW_MASK) <<
				       TID_RDMA_DESTQP_FLOW_SHIFT |
				       priv->rcd->ctxt);
	return sizeof(*ack) / sizeof(u32);
}
