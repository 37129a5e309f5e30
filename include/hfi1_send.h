/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A QP's send engines: when they may run, and how to run them. hfi1 exports
 * nothing, but it gives rdmavt a table of calls (driver_f), and the work items
 * of both engines are in the QP. Origin: qp.h, qp.c, iowait.h, iowait.c, verbs.c
 * and tid_rdma.c of hfi1.
 */
#ifndef HFI1_TID_WAIT_SEND_H
#define HFI1_TID_WAIT_SEND_H

/* hfi1's own bits of qp->s_flags; the others are rdmavt's (RVT_S_). */
#define HFI1_S_WAIT_PIO_DRAIN		0x20000000
#define HFI1_S_WAIT_TID_SPACE		0x10000000
#define HFI1_S_WAIT_HALT		0x04000000

/*
 * In the s_flags of hfi1_qp_priv: a READ's answer waits for that of a WRITE; hfi1
 * checks the sequence of packets, which the chip cannot.
 */
#define HFI1_R_TID_WAIT_INTERLCK	BIT(6)
#define HFI1_R_TID_SW_PSN		BIT(19)

/* What keeps both engines from running, and what the second one alone. */
#define HFI1_S_ANY_WAIT_IO	(RVT_S_ANY_WAIT_IO | HFI1_S_WAIT_PIO_DRAIN)
#define HFI1_S_ANY_TID_WAIT_SEND (RVT_S_WAIT_SSN_CREDIT | RVT_S_WAIT_DMA)

/* The second engine's work item in struct iowait; the first one's is at 0. */
#define IOWAIT_TID_SE			1

/* Bits of iowait.flags: an engine that has to run when its wait is over. */
#define IOWAIT_PENDING_IB		0x0
#define IOWAIT_PENDING_TID		0x1

/**
 * hfi1_qp_cpu() - on which CPU a QP's work is run
 * @qp: the QP
 *
 * Origin: the same expression in _hfi1_schedule_send() and its like.
 *
 * Context: any.
 * Return: the CPU of its SDMA engine, or the first of the HFI's node.
 */
static inline int hfi1_qp_cpu(struct rvt_qp *qp)
{
	struct hfi1_devdata *dd = dd_from_ibdev(qp->ibqp.device);
	struct hfi1_qp_priv *priv = qp->priv;

	if (priv->s_sde)
		return priv->s_sde->cpu;
	return cpumask_first(cpumask_of_node(dd->node));
}

/**
 * hfi1_qp_wq() - hfi1's workqueue for a QP
 * @qp: the QP
 *
 * Context: any.
 * Return: the workqueue of its port.
 */
static inline struct workqueue_struct *hfi1_qp_wq(struct rvt_qp *qp)
{
	return ppd_from_ibp(to_iport(qp->ibqp.device, qp->port_num))->hfi1_wq;
}

/**
 * hfi1_schedule_send() - schedule the first engine if it may run
 * @qp: the QP
 *
 * Context: s_lock.
 * Return: true if it will run, false if it waits for something else.
 */
static inline bool hfi1_schedule_send(struct rvt_qp *qp)
{
	return ib_to_rvt(qp->ibqp.device)->driver_f.schedule_send(qp);
}

/**
 * hfi1_do_send_from_rvt() - run the first engine
 * @qp: the QP
 *
 * Goes back to the workqueue when its time slice is over.
 *
 * Context: process context, s_lock not held.
 */
static inline void hfi1_do_send_from_rvt(struct rvt_qp *qp)
{
	ib_to_rvt(qp->ibqp.device)->driver_f.do_send(qp);
}

/**
 * hfi1_restart_rc() - send again what is not acknowledged
 * @qp: the QP
 * @psn: from this PSN on
 * @wait: send one packet and wait for its acknowledgment
 *
 * Ends the oldest request in an error when it was tried often enough.
 *
 * Context: r_lock and s_lock.
 */
static inline void hfi1_restart_rc(struct rvt_qp *qp, u32 psn, int wait)
{
	ib_to_rvt(qp->ibqp.device)->driver_f.notify_restart_rc(qp, psn, wait);
}

/**
 * hfi1_send_tid_ok() - may the second engine run?
 * @qp: the QP
 *
 * Context: s_lock.
 * Return: true if it is not running, waits for no I/O, and has something to send.
 */
static inline bool hfi1_send_tid_ok(struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	if (priv->s_flags & RVT_S_BUSY || qp->s_flags & HFI1_S_ANY_WAIT_IO)
		return false;
	return !list_empty(&priv->s_iowait.wait[IOWAIT_TID_SE].tx_head) ||
	       priv->s_flags & RVT_S_RESP_PENDING ||
	       !(qp->s_flags & HFI1_S_ANY_TID_WAIT_SEND);
}

/**
 * iowait_tid_schedule() - queue the second engine's work item
 * @wait: the QP's iowait
 * @wq: hfi1_qp_wq()
 * @cpu: hfi1_qp_cpu()
 *
 * Context: any.
 * Return: false if it was queued already.
 */
static inline bool iowait_tid_schedule(struct iowait *wait,
				       struct workqueue_struct *wq, int cpu)
{
	return queue_work_on(cpu, wq, &wait->wait[IOWAIT_TID_SE].iowork);
}

/**
 * iowait_set_flag() - mark an engine that has to run when its wait is over
 * @wait: the QP's iowait
 * @flag: IOWAIT_PENDING_IB or IOWAIT_PENDING_TID
 *
 * Context: s_lock.
 */
static inline void iowait_set_flag(struct iowait *wait, u32 flag)
{
	set_bit(flag, &wait->flags);
}

/**
 * hfi1_wait_kmem() - let a QP sleep until its device's memory timer wakes it
 * @qp: the QP
 *
 * Does nothing to a QP that is on a wait list. Unlike hfi1's, takes the lock of
 * that list itself.
 *
 * Context: s_lock, interrupts off.
 */
static inline void hfi1_wait_kmem(struct rvt_qp *qp)
{
	struct hfi1_ibdev *dev = to_idev(qp->ibqp.device);
	struct hfi1_qp_priv *priv = qp->priv;

	write_seqlock(&dev->iowait_lock);
	if (list_empty(&priv->s_iowait.list)) {
		if (list_empty(&dev->memwait))
			mod_timer(&dev->mem_timer, jiffies + 1);
		list_add_tail(&priv->s_iowait.list, &dev->memwait);
		priv->s_iowait.lock = &dev->iowait_lock;
		qp->s_flags |= RVT_S_WAIT_KMEM;
		rvt_get_qp(qp);
	}
	write_sequnlock(&dev->iowait_lock);
}

#endif
