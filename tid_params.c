// SPDX-License-Identifier: GPL-2.0
/*
 * What a QP and its peer tell each other before they use TID RDMA, in a 64-bit
 * word that OPFN carries, and what comes of it. A segment that is larger than this
 * side can receive is neither asked for nor announced: no QP ever waits for more
 * TIDs than there are.
 */
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "tid_params.h"

/* The lowest bits of the word tell which feature it is about: not ours. */
#define TID_OPFN_CODE_MASK	0xfULL

/* The largest segment that a context can receive, in bytes, wherever it lies. */
static u32 tid_params_largest(struct hfi1_ctxtdata *rcd)
{
	u32 pages = clamp(round_down(rcd->expected_count, 2), 2U,
			  (u32)TID_RDMA_MAX_PAGES);

	return pages << PAGE_SHIFT;
}

/* Does the chip raise no urgent interrupts for the context? */
static bool tid_params_urgent_masked(struct hfi1_ctxtdata *rcd)
{
	u32 source = IS_RCVURGENT_START + rcd->ctxt;

	return !(read_csr(rcd->dd, CCE_INT_MASK + source / 64 * 8) &
		 BIT_ULL(source % 64));
}

/**
 * tid_rdma_opfn_init - what a QP is going to tell its peer
 * @qp: the QP
 * @p: where it is kept
 *
 * In-tree code always announces segments of 256 KiB. A context that has fewer TIDs
 * than such a segment may need announces what it can receive.
 *
 * Context: the QP's opfn.lock held.
 */
void tid_rdma_opfn_init(struct rvt_qp *qp, struct tid_rdma_params *p)
	__must_hold(tid_opfn_lock(qp))
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct hfi1_ctxtdata *rcd = priv->rcd;

	lockdep_assert_held(tid_opfn_lock(qp));
	p->qp = RVT_KDETH_QP_PREFIX << 16 | rcd->ctxt;
	p->max_len = tid_params_largest(rcd);
	p->jkey = rcd->jkey;
	p->max_read = TID_RDMA_MAX_READ_SEGS_PER_REQ;
	p->max_write = TID_RDMA_MAX_WRITE_SEGS_PER_REQ;
	p->timeout = qp->timeout;
	p->urg = tid_params_urgent_masked(rcd);
}

static void tid_params_decode(struct tid_rdma_params *p, u64 word)
{
	p->qp = TID_OPFN_GET(word, QP_KDETH) << 16 |
		TID_OPFN_GET(word, QP_CTXT);
	p->max_len = (TID_OPFN_GET(word, MAX_LEN) + 1) << PAGE_SHIFT;
	p->jkey = TID_OPFN_GET(word, JKEY);
	p->max_read = TID_OPFN_GET(word, MAX_READ);
	p->max_write = TID_OPFN_GET(word, MAX_WRITE);
	p->timeout = TID_OPFN_GET(word, TIMEOUT);
	p->urg = TID_OPFN_GET(word, URG);
}

/* After that long without data a WRITE of the peer's is given up; 0 is for ever. */
static unsigned long tid_params_patience(u8 timeout)
{
	u64 us = (4096ULL << timeout) / 1000 * 8 * 7;

	return usecs_to_jiffies(timeout ? min_t(u64, us, UINT_MAX) : UINT_MAX);
}

/* What the peer has told, or NULL. */
static struct tid_rdma_params *tid_params_agreed(struct rvt_qp *qp)
	__must_hold(tid_opfn_lock(qp))
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(tid_opfn_lock(qp));
	return rcu_dereference_protected(priv->tid_rdma.remote,
					 lockdep_is_held(tid_opfn_lock(qp)));
}

/*
 * The segments of READs, in packets: what the peer wants, but no more than the
 * context can receive. hfi1 divides by it when it sends again (rc.c). 0 for a peer
 * whose segments are no whole packets.
 */
static u32 tid_params_read_packets(struct rvt_qp *qp, u32 max_len)
{
	struct hfi1_qp_priv *priv = qp->priv;

	if (max_len % qp->pmtu)
		return 0;
	return min(max_len, tid_params_largest(priv->rcd)) / qp->pmtu;
}

/**
 * tid_rdma_conn_reply - a QP's peer has told its parameters
 * @qp: the QP
 * @data: the word; 0 if the peer does not want TID RDMA
 *
 * What is told is kept as it is: the peer may use TID RDMA then, and answers need
 * it. See setup_tid_rdma_wqe() for what is believed. It stays until the QP is reset,
 * since requests under way are counted in segments of that size.
 *
 * Context: the QP's opfn.lock held.
 * Return: true if that is settled; false if TID RDMA is off here or there is no
 *	memory: then the peer, if it asked first, is told that there is none.
 */
bool tid_rdma_conn_reply(struct rvt_qp *qp, u64 data)
	__must_hold(tid_opfn_lock(qp))
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *remote;

	lockdep_assert_held(tid_opfn_lock(qp));
	data &= ~TID_OPFN_CODE_MASK;
	if (tid_params_agreed(qp) || !data)
		return true;
	/* hfi1 says nothing of itself when TID RDMA is off, or the MTU too small. */
	if (!priv->tid_rdma.local.max_len)
		return false;
	remote = kzalloc_obj(*remote, GFP_ATOMIC);
	if (!remote)
		return false;
	tid_params_decode(remote, data);
	priv->tid_timer_timeout_jiffies = tid_params_patience(remote->timeout);
	priv->pkts_ps = tid_params_read_packets(qp, remote->max_len);
	priv->timeout_shift = priv->pkts_ps ? order_base_2(priv->pkts_ps) : 0;
	rcu_assign_pointer(priv->tid_rdma.remote, remote);
	return true;
}

/**
 * tid_rdma_conn_error - a QP is reset, or its peer asks for what was agreed on
 * @qp: the QP
 *
 * Only the former ends the agreement. Were the latter to do so, as in in-tree code,
 * a peer could let the send engine find no parameters in the middle of a request.
 *
 * Context: the QP's opfn.lock held.
 */
void tid_rdma_conn_error(struct rvt_qp *qp)
	__must_hold(tid_opfn_lock(qp))
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *old = tid_params_agreed(qp);

	lockdep_assert_held(tid_opfn_lock(qp));
	if (!old || ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK)
		return;
	RCU_INIT_POINTER(priv->tid_rdma.remote, NULL);
	priv->timeout_shift = 0;
	kfree_rcu(old, rcu_head);
}

/* TID RDMA lands whole pages. */
static bool tid_params_aligned(struct rvt_swqe *wqe)
{
	int i;

	if (wqe->wr.opcode == IB_WR_RDMA_WRITE)
		return !((wqe->rdma_wr.remote_addr | wqe->length) & ~PAGE_MASK);
	for (i = 0; i < wqe->wr.num_sge; i++)
		if (((unsigned long)wqe->sg_list[i].vaddr |
		     wqe->sg_list[i].sge_length) & ~PAGE_MASK)
			return false;
	return true;
}

/*
 * The size of a request's segments in bytes; 0 if the peer's parameters are of no
 * use for it. Those of READs are what pkts_ps says: stock code, before this module
 * came in, may have agreed on more than the context can receive. Those of WRITEs
 * are the peer's, which tells of each of their pages in an array of fixed size.
 */
static u32 tid_params_segment(struct rvt_qp *qp, struct rvt_swqe *wqe,
			      struct tid_rdma_params *remote)
{
	struct hfi1_qp_priv *priv = qp->priv;
	u32 len;

	if (wqe->wr.opcode == IB_WR_RDMA_READ) {
		len = priv->pkts_ps * qp->pmtu;
		return remote->max_read && len <= tid_params_largest(priv->rcd) ?
		       len : 0;
	}
	len = remote->max_len;
	return remote->max_write && len <= TID_RDMA_MAX_SEGMENT_SIZE &&
	       len % qp->pmtu == 0 ? len : 0;
}

/* The ring of a request; made once, and freed with the request. */
static bool tid_params_make_ring(struct tid_rdma_request *req)
{
	u32 i;

	if (req->flows)
		return true;
	req->flows = kmalloc_node(MAX_FLOWS * sizeof(*req->flows), GFP_ATOMIC,
				  req->rcd->numa_id);
	if (!req->flows)
		return false;
	for (i = 0; i < MAX_FLOWS; i++) {
		req->flows[i].req = req;
		req->flows[i].npagesets = 0;
		req->flows[i].tnode_cnt = 0;
		req->flows[i].tidcnt = 0;
		req->flows[i].pagesets[0].mapped = 0;
		req->flows[i].resync_npkts = 0;
	}
	return true;
}

/**
 * setup_tid_rdma_wqe - make a request one of TID RDMA, if it can be
 * @qp: the QP
 * @wqe: a READ or WRITE of at least 256 KiB that is being posted
 *
 * With a peer whose parameters make no sense, or that the context cannot serve, it
 * stays plain RDMA. In-tree code believes them: it overruns arrays, divides by zero,
 * or waits for what it can never get.
 *
 * Context: s_hlock of @qp held.
 */
void setup_tid_rdma_wqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
	__must_hold(&qp->s_hlock)
{
	struct tid_rdma_request *req = wqe_to_tid_req(wqe);
	struct hfi1_qp_priv *priv = qp->priv;
	struct hfi1_pportdata *ppd = priv->rcd->ppd;
	struct tid_rdma_params *remote;
	u32 len;

	lockdep_assert_held(&qp->s_hlock);
	/* Not to itself, nor with long LIDs. */
	if ((rdma_ah_get_dlid(&qp->remote_ah_attr) >> ppd->lmc) ==
	    (ppd->lid >> ppd->lmc) || priv->hdr_type != HFI1_PKT_TYPE_9B)
		return;

	rcu_read_lock();
	remote = rcu_dereference(priv->tid_rdma.remote);
	if (!remote || !tid_params_aligned(wqe))
		goto out;
	len = tid_params_segment(qp, wqe, remote);
	if (!len || !tid_params_make_ring(req))
		goto out;
	req->seg_len = min(len, wqe->length);
	req->total_segs = DIV_ROUND_UP(wqe->length, req->seg_len);
	if (wqe->wr.opcode == IB_WR_RDMA_READ) {
		wqe->wr.opcode = IB_WR_TID_RDMA_READ;
		wqe->lpsn = wqe->psn + DIV_ROUND_UP(wqe->length, qp->pmtu) - 1;
		req->n_flows = remote->max_read;
		priv->tid_r_reqs++;
	} else {
		wqe->wr.opcode = IB_WR_TID_RDMA_WRITE;
		wqe->lpsn = wqe->psn + req->total_segs - 1;
		atomic_inc(&priv->n_requests);
	}
	req->cur_seg = 0;
	req->comp_seg = 0;
	req->ack_seg = 0;
	req->state = TID_REQUEST_INACTIVE;
	/*
	 * A READ that was in this slot leaves acked_tail behind; a WRITE that was
	 * dropped while data was being sent leaves clear_tail, where the next one
	 * would look for what to send.
	 */
	req->acked_tail = req->setup_head;
	req->clear_tail = req->setup_head;
	req->flow_idx = req->setup_head;
out:
	rcu_read_unlock();
}
