// SPDX-License-Identifier: GPL-2.0
/*
 * End requests that can never be served.
 *
 * A QP that has agreed with its peer on segments larger than its context can
 * receive, before this module came in, finds out when it asks for TIDs. The caller
 * has no way to say so (it takes any refusal for a wait) and holds the wrong locks
 * to end a request, so a work item does it.
 */
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "tid_fail.h"
#include "tid_rdma.h"

/**
 * struct tid_failure - a QP with a request that cannot be served
 * @work: looks for it and ends it
 * @qp: the QP, with a reference
 */
struct tid_failure {
	struct work_struct work;
	struct rvt_qp *qp;
};

static struct workqueue_struct *tid_fail_wq;

/* No segment of it may be set up: tid_fail_request() has said so. */
static bool tid_is_refused(struct tid_rdma_request *req)
{
	return !req->n_flows;
}

/*
 * Complete the READ that the send engine stands at. Those before it come first:
 * the answer to the last of them lets the engine try again, and then this. When
 * they have been answered, but are not completed yet, hfi1 does it as it flushes the
 * queue, and this one with them.
 */
static bool tid_fail_read(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct rvt_swqe *wqe;

	lockdep_assert_held(&qp->s_lock);
	if (qp->s_cur == READ_ONCE(qp->s_head))
		return false;
	wqe = rvt_get_swqe_ptr(qp, qp->s_cur);
	if (wqe->wr.opcode != IB_WR_TID_RDMA_READ ||
	    !tid_is_refused(wqe_to_tid_req(wqe)))
		return false;
	if (qp->s_cur != qp->s_acked) {
		qp->s_flags |= RVT_S_WAIT_ACK;
		return false;
	}
	if (qp->s_acked == qp->s_last) {
		__trdma_clean_swqe(qp, wqe);
		rvt_send_complete(qp, wqe, IB_WC_LOC_QP_OP_ERR);
	}
	return true;
}

/* Does the WRITE of the peer that comes next find no TIDs, ever? */
static bool tid_refuses_write(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct rvt_ack_entry *e;

	lockdep_assert_held(&qp->s_lock);
	if (priv->r_tid_alloc == priv->r_tid_head)
		return false;
	e = &qp->s_ack_queue[priv->r_tid_alloc];
	return e->opcode == TID_OP(WRITE_REQ) &&
	       tid_is_refused(ack_to_tid_req(e));
}

static void tid_fail_work(struct work_struct *work)
{
	struct tid_failure *failure = container_of(work, struct tid_failure,
						   work);
	struct rvt_qp *qp = failure->qp;
	bool failed = false;

	spin_lock_irq(&qp->r_lock);
	spin_lock(&qp->s_lock);
	if (ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK)
		failed = tid_fail_read(qp) || tid_refuses_write(qp);
	spin_unlock(&qp->s_lock);
	if (failed)
		rvt_rc_error(qp, IB_WC_WR_FLUSH_ERR);
	spin_unlock_irq(&qp->r_lock);
	rvt_put_qp(qp);
	kfree(failure);
}

/**
 * tid_fail_request - a request can never be served: end it
 * @req: a READ of the QP, or a WRITE of its peer
 *
 * A READ completes with IB_WC_LOC_QP_OP_ERR when those before it have completed;
 * then, or for a WRITE at once, the QP goes to the error state.
 *
 * Context: s_lock of the QP held, interrupts off.
 */
void tid_fail_request(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	struct tid_failure *failure = kzalloc_obj(*failure, GFP_ATOMIC);

	lockdep_assert_held(&req->qp->s_lock);
	/* hfi1 sets it anew for the next request here. */
	req->n_flows = 0;
	if (!failure) {
		/* The send engine comes here again. */
		hfi1_wait_kmem(req->qp);
		return;
	}
	failure->qp = req->qp;
	rvt_get_qp(failure->qp);
	INIT_WORK(&failure->work, tid_fail_work);
	queue_work(tid_fail_wq, &failure->work);
}

/**
 * tid_fail_init - be ready to end requests
 *
 * Context: process context.
 * Return: 0; -ENOMEM.
 */
int tid_fail_init(void)
{
	tid_fail_wq = alloc_workqueue("hfi1_tid_wait", WQ_UNBOUND, 0);
	return tid_fail_wq ? 0 : -ENOMEM;
}

/**
 * tid_fail_exit - wait until all that was to be ended has ended
 *
 * Context: process context; nothing of this module is called any more.
 */
void tid_fail_exit(void)
{
	destroy_workqueue(tid_fail_wq);
}
