// SPDX-License-Identifier: GPL-2.0
/*
 * Ask for the segments of a READ, one at a time: each needs a flow with enough
 * PSNs left and TIDs for its pages.
 */
#include "tid_fail.h"
#include "tid_flow.h"
#include "tid_rdma.h"
#include "tid_read.h"

/*
 * Has the flow so many PSNs left? If not, a new generation is needed, and for that
 * nothing may be under way in the old one: no segment of a READ, nor one of a WRITE
 * that the QP receives, which has the same flow. In-tree code forgets the latter.
 * Either keeps the flow. hfi1_kern_exp_rcv_clear() lets the send engine come here
 * again.
 */
static bool tid_read_has_psns(struct tid_rdma_request *req, u32 npkts)
	__must_hold(&req->qp->s_lock)
{
	struct hfi1_qp_priv *priv = req->qp->priv;
	struct tid_flow_state *fs = &priv->flow_state;

	lockdep_assert_held(&req->qp->s_lock);
	if (fs->psn + npkts > TID_FLOW_PSNS) {
		req->state = TID_REQUEST_SYNC;
		hfi1_kern_clear_hw_flow(req->rcd, req->qp);
		if (fs->index != RXE_NUM_TID_FLOWS)
			return false;
		priv->s_flags &= ~HFI1_R_TID_SW_PSN;
	}
	req->state = TID_REQUEST_ACTIVE;
	return true;
}

/* Get what the next segment needs, or leave the QP waiting for it. */
static bool tid_read_set_up(struct rvt_qp *qp, struct rvt_swqe *wqe, u32 npkts)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);
	bool more;

	lockdep_assert_held(&qp->s_lock);
	if (req->state == TID_REQUEST_RESEND) {
		/* Older ones were sent again: where does this one begin? */
		rvt_restart_sge(&qp->s_sge, wqe,
				mask_psn(req->s_next_psn - wqe->psn) * qp->pmtu);
		req->isge = 0;
	}
	if (!tid_read_has_psns(req, npkts) ||
	    hfi1_kern_setup_hw_flow(req->rcd, qp))
		return false;
	if (hfi1_kern_exp_rcv_setup(req, &qp->s_sge, &more)) {
		req->state = TID_REQUEST_QUEUED;
		return false;
	}
	return true;
}

static void tid_read_fill_header(struct rvt_swqe *wqe,
				 struct tid_rdma_params *remote,
				 struct tid_rdma_read_req *hdr, u32 len)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);
	struct tid_rdma_flow *flow = &req->flows[req->flow_idx];
	struct hfi1_qp_priv *priv = req->qp->priv;
	u64 from = wqe->rdma_wr.remote_addr + (u64)req->cur_seg * req->seg_len;

	*hdr = (struct tid_rdma_read_req) {
		.kdeth0 = cpu_to_le32(1 << KDETH_KVER_SHIFT),
		.kdeth1 = cpu_to_le32(remote->jkey & KDETH_JKEY_MASK),
		.reth.vaddr = cpu_to_be64(from),
		.reth.rkey = cpu_to_be32(wqe->rdma_wr.rkey),
		.reth.length = cpu_to_be32(len),
		.tid_flow_psn =
			cpu_to_be32(full_flow_psn(flow, flow->flow_state.spsn)),
		.tid_flow_qp =
			cpu_to_be32(priv->tid_rdma.local.qp |
				    (flow->idx & TID_RDMA_DESTQP_FLOW_MASK) <<
				    TID_RDMA_DESTQP_FLOW_SHIFT |
				    priv->rcd->ctxt),
		.verbs_qp = cpu_to_be32(req->qp->remote_qpn),
	};
}

/* The packet's data is the segment's TID entries, all of them. */
static u32 tid_read_payload(struct rvt_swqe *wqe, struct tid_rdma_flow *flow)
{
	struct hfi1_swqe_priv *priv = wqe->priv;
	u32 bytes = flow->tidcnt * sizeof(*flow->tid_entry);

	priv->ss = (struct rvt_sge_state) {
		.sge.vaddr = flow->tid_entry,
		.sge.length = bytes,
		.sge.sge_length = bytes,
		.total_len = bytes,
		.num_sge = 1,
	};
	return bytes;
}

/**
 * hfi1_build_tid_rdma_read_req - write the request for a segment of a READ
 * @qp: the QP
 * @wqe: the READ; its segment cur_seg is asked for
 * @ohdr: the header
 * @bth1: destination QP, to which the peer's is added
 * @bth2: PSN, for the caller to put into the header
 * @len: bytes of the segment; set to the bytes of the packet's data
 *
 * A segment that is asked for again keeps its TIDs and PSNs.
 *
 * Context: s_lock of @qp held.
 * Return: length of the header behind the BTH, in 32-bit words; 0 if the QP waits
 *	for a flow, for TIDs, for memory or for segments that are under way, or if
 *	the READ cannot be served and is being ended.
 */
u32 hfi1_build_tid_rdma_read_req(struct rvt_qp *qp, struct rvt_swqe *wqe,
				 struct ib_other_headers *ohdr, u32 *bth1,
				 u32 *bth2, u32 *len)
	__must_hold(&qp->s_lock)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *remote;
	struct tid_rdma_flow *flow;
	bool again = req->flow_idx != req->setup_head;

	lockdep_assert_held(&qp->s_lock);
	if (!again && !tid_read_set_up(qp, wqe, DIV_ROUND_UP(*len, qp->pmtu)))
		return 0;

	rcu_read_lock();
	remote = rcu_dereference(priv->tid_rdma.remote);
	if (!remote) {
		/* Stock code let it go before this module came in. */
		rcu_read_unlock();
		tid_fail_request(req);
		return 0;
	}
	flow = &req->flows[req->flow_idx];
	flow->pkt = 0;
	flow->tid_idx = 0;
	flow->sent = *len;
	if (!again) {
		flow->flow_state.ib_spsn = req->s_next_psn;
		flow->flow_state.ib_lpsn = req->s_next_psn + flow->npkts - 1;
	}
	tid_read_fill_header(wqe, remote, &ohdr->u.tid_rdma.r_req, *len);
	*bth1 = (*bth1 & ~RVT_QPN_MASK) | remote->qp;
	rcu_read_unlock();

	*bth2 = mask_psn(flow->flow_state.ib_spsn) | IB_BTH_REQ_ACK;
	*len = tid_read_payload(wqe, flow);
	qp->s_state = TID_OP(READ_REQ);
	qp->s_num_rd_atomic++;
	priv->pending_tid_r_segs++;
	req->s_next_psn += flow->npkts;
	req->flow_idx = CIRC_NEXT(req->flow_idx, MAX_FLOWS);
	req->ack_pending++;
	req->cur_seg++;
	return sizeof(ohdr->u.tid_rdma.r_req) / sizeof(u32);
}
