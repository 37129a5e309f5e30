// SPDX-License-Identifier: GPL-2.0
/*
 * What a QP and its peer tell each other before they use TID RDMA, in a 64-bit
 * word that OPFN carries. A segment that is larger than this side can receive is
 * neither asked for nor accepted: no QP ever waits for more TIDs than there are.
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
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct hfi1_ctxtdata *rcd = priv->rcd;

	lockdep_assert_held(&priv->opfn.lock);
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

/*
 * The arrays of a segment have an entry for each page of 256 KiB, a READ takes
 * TIDs for a segment of the peer's size, and hfi1 divides by the packets of one
 * (rc.c hfi1_make_rc_req(), do_rc_ack()).
 */
static bool tid_params_usable(struct rvt_qp *qp, struct tid_rdma_params *p)
{
	struct hfi1_qp_priv *priv = qp->priv;

	return p->max_len <= tid_params_largest(priv->rcd) &&
	       p->max_len % qp->pmtu == 0 && p->max_read && p->max_write;
}

/* After that long without data a WRITE of the peer's is given up; 0 is for ever. */
static unsigned long tid_params_patience(u8 timeout)
{
	u64 us = (4096ULL << timeout) / 1000 * 8 * 7;

	return usecs_to_jiffies(timeout ? min_t(u64, us, UINT_MAX) : UINT_MAX);
}

/* What the peer has told, or NULL. */
static struct tid_rdma_params *tid_params_agreed(struct hfi1_qp_priv *priv)
{
	return rcu_dereference_protected(priv->tid_rdma.remote,
					 lockdep_is_held(&priv->opfn.lock));
}

/**
 * tid_rdma_conn_reply - a QP's peer has told its parameters
 * @qp: the QP
 * @data: the word; 0 if the peer does not want TID RDMA
 *
 * With parameters that make no sense, or that the context cannot serve, the QP
 * uses plain RDMA. In-tree code believes them: it overruns arrays, divides by zero,
 * or waits for what it can never get. What was agreed on stays until the QP is
 * reset, since requests under way are counted in segments of that size.
 *
 * Context: the QP's opfn.lock held.
 * Return: true if that is settled; false if TID RDMA is refused or there is no
 *	memory: then the peer, if it asked first, is told that there is none.
 */
bool tid_rdma_conn_reply(struct rvt_qp *qp, u64 data)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *remote;

	lockdep_assert_held(&priv->opfn.lock);
	data &= ~TID_OPFN_CODE_MASK;
	if (tid_params_agreed(priv) || !data)
		return true;
	/* hfi1 says nothing of itself when TID RDMA is off, or the MTU too small. */
	if (!priv->tid_rdma.local.max_len)
		return false;
	remote = kzalloc_obj(*remote, GFP_ATOMIC);
	if (!remote)
		return false;
	tid_params_decode(remote, data);
	if (!tid_params_usable(qp, remote)) {
		kfree(remote);
		return false;
	}
	priv->tid_timer_timeout_jiffies = tid_params_patience(remote->timeout);
	priv->pkts_ps = remote->max_len / qp->pmtu;
	priv->timeout_shift = order_base_2(priv->pkts_ps);
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
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_rdma_params *old = tid_params_agreed(priv);

	lockdep_assert_held(&priv->opfn.lock);
	if (!old || ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK)
		return;
	RCU_INIT_POINTER(priv->tid_rdma.remote, NULL);
	priv->timeout_shift = 0;
	kfree_rcu(old, rcu_head);
}
