// SPDX-License-Identifier: GPL-2.0
/* Fake QPs: what a test can do with one, with the locks that hfi1 holds. */

#include <linux/slab.h>

#include "fixture.h"

static void fx_engine(struct work_struct *work)
{
	struct fx_qp *q = container_of(work, struct fx_qp, engine);

	if (q->fx->run)
		q->fx->run(q);
}

static void fx_tid_leg(struct work_struct *work)
{
	struct iowait_work *leg = container_of(work, struct iowait_work,
					       iowork);
	struct hfi1_qp_priv *priv = container_of(leg->iow, struct hfi1_qp_priv,
						 s_iowait);

	atomic_inc(&fx_of(priv->owner)->tid_leg);
}

static struct tid_rdma_flow *fx_alloc_flows(struct tid_rdma_request *req)
{
	struct tid_rdma_flow *flows;
	u32 i;

	/* Not zeroed: hfi1 sets only these four, the rest is garbage. */
	flows = kmalloc_array(FX_RING, sizeof(*flows), GFP_KERNEL);
	if (!flows)
		return NULL;
	memset(flows, 0xa5, FX_RING * sizeof(*flows));
	for (i = 0; i < FX_RING; i++) {
		flows[i].req = req;
		flows[i].npagesets = 0;
		flows[i].pagesets[0].mapped = 0;
		flows[i].resync_npkts = 0;
	}
	return flows;
}

static struct rvt_mregion *fx_alloc_mr(void)
{
	u32 i, maps = DIV_ROUND_UP(FX_MAX_PAGES, RVT_SEGSZ);
	struct rvt_mregion *mr;

	mr = kzalloc(struct_size(mr, map, maps), GFP_KERNEL);
	if (!mr)
		return NULL;
	mr->mapsz = maps;
	mr->lkey = 0x100;
	for (i = 0; i < maps; i++) {
		mr->map[i] = kzalloc_obj(*mr->map[i]);
		if (!mr->map[i])
			goto fail;
	}
	return mr;

fail:
	while (i--)
		kfree(mr->map[i]);
	kfree(mr);
	return NULL;
}

static void fx_init_iowait(struct iowait *wait)
{
	u32 i;

	INIT_LIST_HEAD(&wait->list);
	for (i = 0; i < ARRAY_SIZE(wait->wait); i++) {
		INIT_LIST_HEAD(&wait->wait[i].tx_head);
		INIT_WORK(&wait->wait[i].iowork, fx_tid_leg);
		wait->wait[i].iow = wait;
	}
}

/**
 * fx_slot - a slot of the send queue
 * @q: the QP
 * @slot: its number, less than FX_SLOTS
 *
 * Context: any.
 * Return: the slot.
 */
struct rvt_swqe *fx_slot(struct fx_qp *q, u32 slot)
{
	return rvt_get_swqe_ptr(q->qp, slot);
}

/* What rdmavt and hfi1 have of a queue of one request, which is sent. */
static void fx_init_send_queue(struct fx_qp *q)
{
	struct rvt_qp *qp = q->qp;
	u32 i;

	spin_lock_init(&qp->s_hlock);
	qp->s_wq = q->wqe;
	qp->s_size = FX_SLOTS;
	qp->s_max_sge = 1;
	qp->s_head = 1;
	qp->s_tail = 1;
	qp->s_cur = 1;
	qp->s_psn = FX_NEXT_PSN;
	qp->s_next_psn = FX_NEXT_PSN;
	qp->s_retry = 7;
	for (i = 0; i < FX_SLOTS; i++) {
		struct tid_rdma_request *req = &q->swqe[i].tid_req;

		fx_slot(q, i)->priv = &q->swqe[i];
		req->qp = qp;
		req->rcd = q->fx->rcd;
		req->e.swqe = fx_slot(q, i);
		req->n_flows = 6;
	}
	q->wqe->wr.opcode = IB_WR_TID_RDMA_READ;
	q->wqe->lpsn = FX_NEXT_PSN - 1;
}

static void fx_init_qp(struct fx_qp *q)
{
	struct hfi1_qp_priv *priv = q->priv;
	struct rvt_qp *qp = q->qp;

	qp->priv = priv;
	qp->ibqp.device = &q->fx->dd->verbs_dev.rdi.ibdev;
	qp->ibqp.qp_context = q;
	qp->ibqp.qp_num = 16 + q->fx->nqps;
	qp->ibqp.qp_type = IB_QPT_RC;
	qp->port_num = 1;
	qp->pmtu = 4096;
	qp->log_pmtu = 12;
	qp->state = IB_QPS_RTS;
	atomic_set(&qp->refcount, 1);
	init_waitqueue_head(&qp->wait);
	spin_lock_init(&qp->r_lock);
	spin_lock_init(&qp->s_lock);
	spin_lock_init(&priv->opfn.lock);
	INIT_LIST_HEAD(&qp->rspwait);
	fx_init_send_queue(q);

	priv->owner = qp;
	priv->rcd = q->fx->rcd;
	INIT_LIST_HEAD(&priv->tid_wait);
	INIT_WORK(&priv->tid_rdma.trigger_work, tid_rdma_trigger_resume);
	priv->flow_state.index = FX_NO_FLOW;
	priv->flow_state.last_index = FX_NO_FLOW;
	priv->flow_state.generation = FAKE_GEN_RESERVED;
	RCU_INIT_POINTER(priv->tid_rdma.remote, &q->remote);
	fx_init_iowait(&priv->s_iowait);

	q->req = &q->swqe->tid_req;
	INIT_WORK(&q->engine, fx_engine);
}

/**
 * fx_qp_destroy - free a QP that has left
 * @q: the QP
 *
 * Context: process; sleeps.
 */
void fx_qp_destroy(struct fx_qp *q)
{
	u32 i;

	cancel_work_sync(&q->engine);
	if (q->priv)
		for (i = 0; i < ARRAY_SIZE(q->priv->s_iowait.wait); i++)
			cancel_work_sync(&q->priv->s_iowait.wait[i].iowork);
	for (i = 0; q->mr && i < q->mr->mapsz; i++)
		kfree(q->mr->map[i]);
	kfree(q->mr);
	if (q->swqe)
		kfree(q->swqe->tid_req.flows);
	kfree(q->swqe);
	kfree(q->wqe);
	if (q->priv)
		kfree(q->priv->pages);
	kfree(q->priv);
	kfree(q->peer);
	kfree(q->qp);
	kfree(q);
}

/**
 * fx_qp_create - make a connected QP
 * @fx: the fixture, which keeps the QP until fx_exit()
 *
 * Context: process; sleeps.
 * Return: the QP; a lack of memory ends in an oops, as good as any report.
 */
struct fx_qp *fx_qp_create(struct fx *fx)
{
	struct fx_qp *q = kzalloc_obj(*q);

	q->fx = fx;
	q->qp = kzalloc_obj(*q->qp);
	q->priv = kzalloc_obj(*q->priv);
	q->wqe = kcalloc(FX_SLOTS, sizeof(*q->wqe) + sizeof(struct rvt_sge),
			 GFP_KERNEL);
	q->swqe = kcalloc(FX_SLOTS, sizeof(*q->swqe), GFP_KERNEL);
	q->mr = fx_alloc_mr();
	q->priv->pages = kcalloc(FX_SEG_PAGES, sizeof(*q->priv->pages),
				 GFP_KERNEL);
	fx_init_qp(q);
	q->req->flows = fx_alloc_flows(q->req);
	fx->qps[fx->nqps++] = q;
	return q;
}

/**
 * fx_keep_requests() - give a QP room for requests of its peer
 * @q: the QP
 * @entries: how many: of all QPs of the device
 */
void fx_keep_requests(struct fx_qp *q, u32 entries)
{
	struct rvt_driver_params *params = &q->fx->dd->verbs_dev.rdi.dparms;
	u32 i, j;

	/* rvt_size_atomic() is one less than there are. */
	params->max_rdma_atomic = 1;
	params->extra_rdma_atomic = entries - 2;
	q->peer = kzalloc_obj(*q->peer);
	for (i = 0; i <= entries; i++) {
		struct tid_rdma_request *req = &q->peer->privs[i].tid_req;

		q->peer->entries[i].priv = &q->peer->privs[i];
		req->qp = q->qp;
		req->rcd = q->fx->rcd;
		req->e.ack = &q->peer->entries[i];
		req->flows = q->peer->flows[i];
		req->n_flows = 6;
		for (j = 0; j < FX_RING; j++)
			req->flows[j].req = req;
	}
	q->qp->s_ack_queue = q->peer->entries;
}

/**
 * fx_take_flow - hfi1_kern_setup_hw_flow() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 * Return: what the function returned.
 */
int fx_take_flow(struct fx_qp *q)
{
	int ret;

	spin_lock_irq(&q->qp->s_lock);
	ret = hfi1_kern_setup_hw_flow(q->priv->rcd, q->qp);
	spin_unlock_irq(&q->qp->s_lock);
	return ret;
}

/**
 * fx_give_flow - hfi1_kern_clear_hw_flow() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 */
void fx_give_flow(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	hfi1_kern_clear_hw_flow(q->priv->rcd, q->qp);
	spin_unlock_irq(&q->qp->s_lock);
}

/**
 * fx_setup - hfi1_kern_exp_rcv_setup() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 * Return: what the function returned.
 */
int fx_setup(struct fx_qp *q)
{
	bool last;
	int ret;

	spin_lock_irq(&q->qp->s_lock);
	ret = hfi1_kern_exp_rcv_setup(q->req, &q->ss, &last);
	if (!ret)
		q->done++;
	spin_unlock_irq(&q->qp->s_lock);
	return ret;
}

/**
 * fx_clear - hfi1_kern_exp_rcv_clear() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 * Return: what the function returned.
 */
int fx_clear(struct fx_qp *q)
{
	int ret;

	spin_lock_irq(&q->qp->s_lock);
	ret = hfi1_kern_exp_rcv_clear(q->req);
	spin_unlock_irq(&q->qp->s_lock);
	return ret;
}

/**
 * fx_clear_all - hfi1_kern_exp_rcv_clear_all() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 */
void fx_clear_all(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	hfi1_kern_exp_rcv_clear_all(q->req);
	spin_unlock_irq(&q->qp->s_lock);
}

/**
 * fx_flush - hfi1_tid_rdma_flush_wait() as hfi1 calls it
 * @q: the QP
 *
 * Context: process.
 */
void fx_flush(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	hfi1_tid_rdma_flush_wait(q->qp);
	spin_unlock_irq(&q->qp->s_lock);
}

/**
 * fx_stop_kmem_wait - what hfi1's flush_iowait() does
 * @q: the QP, which may wait for memory
 *
 * Context: process.
 */
void fx_stop_kmem_wait(struct fx_qp *q)
{
	struct hfi1_ibdev *dev = &q->fx->dd->verbs_dev;
	bool waits;

	write_seqlock_irq(&dev->iowait_lock);
	waits = !list_empty(&q->priv->s_iowait.list);
	list_del_init(&q->priv->s_iowait.list);
	write_sequnlock_irq(&dev->iowait_lock);
	spin_lock_irq(&q->qp->s_lock);
	q->qp->s_flags &= ~RVT_S_WAIT_KMEM;
	spin_unlock_irq(&q->qp->s_lock);
	if (waits)
		rvt_put_qp(q->qp);
}

/**
 * fx_qp_leave - what happens to a QP on RESET and on destroy
 * @q: the QP, which is in the RESET state afterwards
 *
 * In rdmavt's and hfi1's order: leave the queues, cancel the wakeup, give
 * back the flow, then the segments.
 *
 * Context: process; sleeps.
 */
void fx_qp_leave(struct fx_qp *q)
{
	spin_lock_irq(&q->qp->s_lock);
	q->qp->state = IB_QPS_RESET;
	hfi1_tid_rdma_flush_wait(q->qp);
	spin_unlock_irq(&q->qp->s_lock);
	fx_stop_kmem_wait(q);
	cancel_work_sync(&q->engine);
	if (cancel_work_sync(&q->priv->tid_rdma.trigger_work))
		rvt_put_qp(q->qp);

	spin_lock_irq(&q->qp->s_lock);
	tid_flow_forget(q->qp);
	if (q->req->flows)
		hfi1_kern_exp_rcv_clear_all(q->req);
	spin_unlock_irq(&q->qp->s_lock);
	atomic_set(&q->scheduled, 0);
	atomic_set(&q->ran, 0);
	q->want = 0;
}

/**
 * fx_qp_reset - RESET, then connected again
 * @q: the QP, which may post requests again
 *
 * Context: process; sleeps.
 */
void fx_qp_reset(struct fx_qp *q)
{
	fx_qp_leave(q);
	if (!q->req->flows)
		q->req->flows = fx_alloc_flows(q->req);
	q->wqe->wr.opcode = IB_WR_TID_RDMA_READ;
	q->qp->s_flags = 0;
	q->qp->state = IB_QPS_RTS;
}

/**
 * fx_woken - whether a wakeup of the QP is under way
 * @q: the QP
 *
 * Context: any.
 * Return: true if its work item is pending or its send engine was asked for.
 */
bool fx_woken(struct fx_qp *q)
{
	return work_pending(&q->priv->tid_rdma.trigger_work) ||
	       atomic_read(&q->scheduled);
}

/**
 * fx_forget_wakeups - as if the QP had been woken in vain
 * @q: the QP
 *
 * Context: process; sleeps.
 */
void fx_forget_wakeups(struct fx_qp *q)
{
	if (cancel_work_sync(&q->priv->tid_rdma.trigger_work))
		rvt_put_qp(q->qp);
	atomic_set(&q->scheduled, 0);
	atomic_set(&q->ran, 0);
}

/**
 * fx_run_wakeup - run the wakeup work of a QP here and now
 * @q: the QP
 *
 * Context: process; sleeps.
 * Return: whether there was one.
 */
bool fx_run_wakeup(struct fx_qp *q)
{
	struct work_struct *work = &q->priv->tid_rdma.trigger_work;

	if (!cancel_work_sync(work))
		return false;
	tid_rdma_trigger_resume(work);
	return true;
}

/**
 * fx_run_wait_list - what hfi1 does at the end of a receive interrupt
 * @fx: the fixture
 *
 * Context: process.
 * Return: how many QPs waited for it to send.
 */
u32 fx_run_wait_list(struct fx *fx)
{
	struct rvt_qp *qp, *next;
	u32 n = 0;

	list_for_each_entry_safe(qp, next, &fx->rcd->qp_wait_list, rspwait) {
		list_del_init(&qp->rspwait);
		qp->r_flags &= ~RVT_R_RSP_SEND;
		rvt_put_qp(qp);
		n++;
	}
	return n;
}
