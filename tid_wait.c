// SPDX-License-Identifier: GPL-2.0
/*
 * The wait queues of a receive context. The rules are in tid_wait.h.
 */
#include <linux/ktime.h>
#include <linux/livepatch.h>

#include "tid_wait.h"

#define CREATE_TRACE_POINTS
#include "tid_trace.h"

/*
 * What hfi1's structs have no room for hangs on their addresses as shadow
 * variables. All of it may be missing: it is made when it is first needed,
 * and a failed allocation costs a figure, never a wakeup.
 */
enum tid_wait_shadow {
	TID_WAIT_SHADOW_STATS = 0x74696477,	/* on a context */
	TID_WAIT_SHADOW_SINCE,			/* on a QP: u64, ktime in ns */
};

static struct tid_wait_stats *tid_wait_stats(struct hfi1_ctxtdata *rcd)
{
	return klp_shadow_get_or_alloc(rcd, TID_WAIT_SHADOW_STATS,
				       sizeof(struct tid_wait_stats),
				       GFP_ATOMIC, NULL, NULL);
}

static void tid_wait_count(struct hfi1_ctxtdata *rcd,
			   enum tid_wait_counter counter)
{
	struct tid_wait_stats *stats = tid_wait_stats(rcd);

	if (stats)
		atomic64_inc(&stats->count[counter]);
}

/* hfi1's own counter is one for all contexts, which have a lock each. */
static void tid_wait_count_sleep(struct hfi1_devdata *dd)
{
	BUILD_BUG_ON(sizeof(dd->verbs_dev.n_tidwait) != sizeof(atomic64_t));
	atomic64_inc((atomic64_t *)&dd->verbs_dev.n_tidwait);
}

static void tid_wait_start_clock(struct rvt_qp *qp)
{
	u64 *since = klp_shadow_get_or_alloc(qp, TID_WAIT_SHADOW_SINCE,
					     sizeof(*since), GFP_ATOMIC,
					     NULL, NULL);

	if (since)
		*since = ktime_get_ns();
}

/* How long a QP has waited, in ns: 0 if stock code put it to sleep. */
static u64 tid_wait_stop_clock(struct rvt_qp *qp)
{
	u64 *since = klp_shadow_get(qp, TID_WAIT_SHADOW_SINCE);
	u64 waited;

	if (!since || !*since)
		return 0;
	waited = ktime_get_ns() - *since;
	*since = 0;
	return waited;
}

static void tid_wait_count_grant(struct hfi1_ctxtdata *rcd, u64 waited)
{
	struct tid_wait_stats *stats = tid_wait_stats(rcd);

	if (!stats)
		return;
	atomic64_inc(&stats->count[TID_GRANTS]);
	if (waited > atomic64_read(&stats->longest_wait))
		atomic64_set(&stats->longest_wait, waited);
}

/**
 * qp_to_rcd - the receive context that serves a QP
 * @rdi: rdmavt's part of the device that @qp was made on
 * @qp: the QP
 *
 * QP 0 lives on context 0; all others are spread by the device's QP map, as
 * the chip does it for arriving packets.
 *
 * Context: any.
 * Return: the context; NULL if that context is not there.
 */
struct hfi1_ctxtdata *qp_to_rcd(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct hfi1_devdata *dd = container_of(rdi, struct hfi1_devdata,
					       verbs_dev.rdi);
	u32 qpn = qp->ibqp.qp_num;

	return dd->rcd[qpn ? hfi1_get_qp_map(dd, qpn >> dd->qos_shift) : 0];
}

/*
 * Which queue a QP is on is not written anywhere in it: both queues share its
 * one list node. Look for the list's head from the node backwards. A QP that
 * is granted or woken is the first, so that this takes one step for it.
 */
static struct tid_queue *tid_wait_queue_of(struct hfi1_ctxtdata *rcd,
					   struct hfi1_qp_priv *priv)
	__must_hold(&rcd->exp_lock)
{
	struct list_head *pos;

	lockdep_assert_held(&rcd->exp_lock);
	if (list_empty(&priv->tid_wait))
		return NULL;
	for (pos = priv->tid_wait.prev; ; pos = pos->prev) {
		if (pos == &rcd->flow_queue.queue_head)
			return &rcd->flow_queue;
		if (pos == &rcd->rarr_queue.queue_head)
			return &rcd->rarr_queue;
	}
}

static enum tid_trace_queue tid_wait_name(struct hfi1_ctxtdata *rcd,
					  struct tid_queue *queue)
{
	if (!queue)
		return TID_TRACE_NONE;
	return queue == &rcd->flow_queue ? TID_TRACE_FLOW : TID_TRACE_TID;
}

static u32 tid_wait_depth(struct tid_queue *queue)
{
	return queue ? queue->enqueue - queue->dequeue : 0;
}

/**
 * first_qp - the head of a wait queue, held in memory
 * @rcd: the context
 * @queue: one of its two queues
 *
 * The reference lets the caller drop exp_lock before it acts on the QP.
 *
 * Context: exp_lock held.
 * Return: the QP at the head, with a reference that the caller hands on or
 *	drops; NULL if nobody waits.
 */
struct rvt_qp *first_qp(struct hfi1_ctxtdata *rcd, struct tid_queue *queue)
	__must_hold(&rcd->exp_lock)
{
	struct hfi1_qp_priv *priv;

	lockdep_assert_held(&rcd->exp_lock);
	priv = list_first_entry_or_null(&queue->queue_head,
					struct hfi1_qp_priv, tid_wait);
	if (!priv)
		return NULL;
	rvt_get_qp(priv->owner);
	return priv->owner;
}

/*
 * Unlink a waiter and keep the counters telling true positions: hfi1 takes
 * tid_enqueue - dequeue for a QP's place (tid_rdma.c position_in_queue()), so
 * those that stay ahead move with dequeue. Return true if it was the head.
 */
static bool tid_wait_unlink(struct hfi1_ctxtdata *rcd, struct tid_queue *queue,
			    struct hfi1_qp_priv *priv)
	__must_hold(&rcd->exp_lock)
{
	bool was_head = list_is_first(&priv->tid_wait, &queue->queue_head);
	struct hfi1_qp_priv *ahead = priv;

	lockdep_assert_held(&rcd->exp_lock);
	list_for_each_entry_continue_reverse(ahead, &queue->queue_head,
					     tid_wait)
		ahead->tid_enqueue++;
	list_del_init(&priv->tid_wait);
	queue->dequeue++;
	return was_head;
}

/* A QP in error or reset flushes its requests: it asks for nothing any more. */
static bool tid_wait_is_dead(struct rvt_qp *qp)
{
	return !(ib_rvt_state_ops[qp->state] &
		 (RVT_PROCESS_SEND_OK | RVT_PROCESS_RECV_OK));
}

/**
 * kernel_tid_waiters - must a QP wait its turn?
 * @rcd: the context
 * @queue: the queue of what the QP is about to ask for
 * @qp: the QP
 *
 * Context: s_lock of @qp and exp_lock held.
 * Return: true if QPs wait on @queue and @qp is not its flagged head.
 */
bool kernel_tid_waiters(struct hfi1_ctxtdata *rcd, struct tid_queue *queue,
			struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *head;

	lockdep_assert_held(&qp->s_lock);
	lockdep_assert_held(&rcd->exp_lock);
	head = list_first_entry_or_null(&queue->queue_head,
					struct hfi1_qp_priv, tid_wait);
	if (!head)
		return false;
	return head->owner != qp || !(qp->s_flags & HFI1_S_WAIT_TID_SPACE);
}

/**
 * queue_qp_for_tid_wait - put a QP to sleep until something comes free
 * @rcd: the context
 * @queue: the queue of what the QP was refused
 * @qp: the QP
 *
 * The QP goes to the tail of @queue, HFI1_S_WAIT_TID_SPACE is set in its
 * s_flags and the queue takes a reference. A QP that is on @queue already
 * keeps its place; one on the other queue moves, since what it waits for now
 * is what it was refused last. One in error or reset is not queued.
 *
 * Context: s_lock of @qp and exp_lock held.
 * Return: NULL, or the QP that became head of the other queue because @qp left
 *	it: pass it to tid_rdma_schedule_tid_wakeup() once exp_lock is dropped.
 */
struct rvt_qp *queue_qp_for_tid_wait(struct hfi1_ctxtdata *rcd,
				     struct tid_queue *queue, struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct tid_queue *on = tid_wait_queue_of(rcd, priv);
	struct rvt_qp *next = NULL;

	lockdep_assert_held(&qp->s_lock);
	lockdep_assert_held(&rcd->exp_lock);
	/* Its queues have been flushed, or will not be asked for again. */
	if (!on && tid_wait_is_dead(qp))
		return NULL;
	qp->s_flags |= HFI1_S_WAIT_TID_SPACE;
	if (on == queue) {
		if (list_is_first(&priv->tid_wait, &queue->queue_head))
			tid_wait_count(rcd, TID_FUTILE);
		return NULL;
	}
	if (!on)
		rvt_get_qp(qp);
	else if (tid_wait_unlink(rcd, on, priv))
		next = first_qp(rcd, on);
	list_add_tail(&priv->tid_wait, &queue->queue_head);
	priv->tid_enqueue = ++queue->enqueue;
	tid_wait_count_sleep(rcd->dd);
	tid_wait_count(rcd, TID_WAITS);
	tid_wait_start_clock(qp);
	trace_wait(qp, tid_wait_name(rcd, queue), tid_wait_depth(queue), 0);
	return next;
}

/**
 * dequeue_tid_waiter - a waiter has got what it waited for
 * @rcd: the context
 * @queue: the queue of what was granted
 * @qp: the QP
 *
 * Does nothing for a QP that does not wait on @queue: one that waits for TIDs
 * keeps its place there when it is granted a flow.
 *
 * Context: s_lock of @qp and exp_lock held.
 * Return: true if @qp left @queue: the caller drops the queue's reference once
 *	exp_lock is dropped, and sees to the next head.
 */
bool dequeue_tid_waiter(struct hfi1_ctxtdata *rcd, struct tid_queue *queue,
			struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	u64 waited;

	lockdep_assert_held(&qp->s_lock);
	lockdep_assert_held(&rcd->exp_lock);
	if (tid_wait_queue_of(rcd, priv) != queue)
		return false;
	tid_wait_unlink(rcd, queue, priv);
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	waited = tid_wait_stop_clock(qp);
	tid_wait_count_grant(rcd, waited);
	trace_grant(qp, tid_wait_name(rcd, queue), tid_wait_depth(queue), waited);
	return true;
}

/**
 * tid_wait_leave - give up a place in a queue without a grant
 * @qp: the QP
 *
 * Whatever queue @qp waits on, it is unlinked, its flag cleared, the queue's
 * reference dropped, and if it was the head the next one is woken: the wakeup
 * that @qp may have had is not lost.
 *
 * Context: s_lock of @qp held, exp_lock not held.
 * Return: true if @qp was on a queue.
 */
bool tid_wait_leave(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;
	struct hfi1_ctxtdata *rcd = priv->rcd;
	struct rvt_qp *next = NULL;
	struct tid_queue *on;
	unsigned long flags;

	lockdep_assert_held(&qp->s_lock);
	spin_lock_irqsave(&rcd->exp_lock, flags);
	qp->s_flags &= ~HFI1_S_WAIT_TID_SPACE;
	on = tid_wait_queue_of(rcd, priv);
	if (on && tid_wait_unlink(rcd, on, priv))
		next = first_qp(rcd, on);
	if (on)
		trace_leave(qp, tid_wait_name(rcd, on), tid_wait_depth(on),
			    tid_wait_stop_clock(qp));
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	if (!on)
		return false;
	rvt_put_qp(qp);
	if (next)
		tid_wait_count(rcd, TID_PASSED_ON);
	tid_rdma_schedule_tid_wakeup(next);
	return true;
}

/**
 * __trigger_tid_waiter - wake a waiter whose s_lock the caller holds
 * @qp: the QP
 *
 * A QP that can no longer use the wakeup leaves its queue at once, and the
 * wakeup goes to the next. Else the work item does the rest, as for any other
 * QP: @qp may still die before its send engine runs.
 *
 * Context: s_lock of @qp held, exp_lock not held.
 */
void __trigger_tid_waiter(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	lockdep_assert_held(&qp->s_lock);
	if (tid_wait_is_dead(qp)) {
		tid_wait_leave(qp);
	} else if (qp->s_flags & HFI1_S_WAIT_TID_SPACE) {
		rvt_get_qp(qp);
		tid_rdma_schedule_tid_wakeup(qp);
	}
}

/**
 * tid_rdma_schedule_tid_wakeup - wake a waiter whose s_lock nobody holds
 * @qp: the QP with the reference that first_qp() took, or NULL
 *
 * hfi1's own work item does it, so that its s_lock is taken in a task of its
 * own. The reference goes with the work item; it is dropped here if the work
 * was pending already, and by hfi1 (qp.c stop_send_queue()) if it cancels it.
 *
 * Context: any that may queue work; exp_lock not held.
 */
void tid_rdma_schedule_tid_wakeup(struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv;

	if (!qp)
		return;
	priv = qp->priv;
	/* Counted first: the QP may be gone once its work has run. */
	tid_wait_count(priv->rcd, TID_WAKEUPS);
	trace_wake(qp, TID_TRACE_NONE, 0, 0);
	if (!queue_work_on(hfi1_qp_cpu(qp), hfi1_qp_wq(qp),
			   &priv->tid_rdma.trigger_work))
		rvt_put_qp(qp);
}

/**
 * tid_wait_wake - wake the head of a queue on which something came free
 * @head: the QP that first_qp() returned, or NULL
 * @self: the QP that gave something back
 *
 * Context: s_lock of @self held, exp_lock not held.
 */
void tid_wait_wake(struct rvt_qp *head, struct rvt_qp *self)
	__must_hold(&self->s_lock)
{
	lockdep_assert_held(&self->s_lock);
	if (head == self) {
		__trigger_tid_waiter(self);
		rvt_put_qp(self);
	} else {
		tid_rdma_schedule_tid_wakeup(head);
	}
}

/**
 * tid_rdma_trigger_resume - the work item of a wakeup
 * @work: trigger_work in the QP's hfi1_qp_priv
 *
 * Runs the send engine of a QP that still waits, in this task. If the QP
 * cannot use the wakeup it leaves the queue and the next one is woken.
 *
 * Context: process context; drops the reference that came with the work item.
 */
void tid_rdma_trigger_resume(struct work_struct *work)
{
	struct hfi1_qp_priv *priv = container_of(work, struct hfi1_qp_priv,
						 tid_rdma.trigger_work);
	struct rvt_qp *qp = priv->owner;
	bool waits;

	spin_lock_irq(&qp->s_lock);
	waits = qp->s_flags & HFI1_S_WAIT_TID_SPACE;
	if (!waits || tid_wait_is_dead(qp))
		tid_wait_leave(qp);
	spin_unlock_irq(&qp->s_lock);

	if (waits)
		hfi1_do_send_from_rvt(qp);
	rvt_put_qp(qp);
}

/**
 * hfi1_tid_rdma_flush_wait - a QP is reset or destroyed
 * @qp: the QP
 *
 * Context: s_lock of @qp held, exp_lock not held.
 */
void hfi1_tid_rdma_flush_wait(struct rvt_qp *qp)
	__must_hold(&qp->s_lock)
{
	struct hfi1_qp_priv *priv = qp->priv;

	lockdep_assert_held(&qp->s_lock);
	if (tid_wait_leave(qp))
		tid_wait_count(priv->rcd, TID_FLUSHED);
	klp_shadow_free(qp, TID_WAIT_SHADOW_SINCE, NULL);
}

/**
 * tid_wait_settle - make the queues of a context right, whoever filled them
 * @rcd: the context
 *
 * Stock code charges a departure to the wrong queue and loses wakeups. When
 * the module comes in, and when it hands the queues back, positions are
 * counted anew and both heads are woken.
 *
 * Context: any that may queue work; takes exp_lock.
 */
void tid_wait_settle(struct hfi1_ctxtdata *rcd)
{
	struct tid_queue *queues[] = { &rcd->flow_queue, &rcd->rarr_queue };
	struct rvt_qp *heads[ARRAY_SIZE(queues)];
	struct hfi1_qp_priv *priv;
	unsigned long flags;
	int i;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		queues[i]->enqueue = queues[i]->dequeue;
		list_for_each_entry(priv, &queues[i]->queue_head, tid_wait)
			priv->tid_enqueue = ++queues[i]->enqueue;
		heads[i] = first_qp(rcd, queues[i]);
	}
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		tid_rdma_schedule_tid_wakeup(heads[i]);
}

/**
 * tid_wait_settle_qp - make a QP right, whoever it was served by
 * @qp: the QP
 *
 * One in error leaves the queue that stock code leaves it on, and that it cannot
 * serve. Any other tries again, since what it waits for may be known to nobody:
 * stock code lets a QP wait without a queue, and ours lets a READ and a WRITE on the
 * same QP wait for each other.
 *
 * Context: process context; takes s_lock.
 */
void tid_wait_settle_qp(struct rvt_qp *qp)
{
	struct hfi1_qp_priv *priv = qp->priv;

	/* The others never wait here: the pages are those of a segment. */
	if (!priv->pages)
		return;
	spin_lock_irq(&qp->s_lock);
	if (tid_wait_is_dead(qp))
		tid_wait_leave(qp);
	else
		hfi1_schedule_send(qp);
	spin_unlock_irq(&qp->s_lock);
}

/**
 * tid_wait_read_stats - copy the figures of a context
 * @rcd: the context
 * @to: where to
 *
 * Context: any.
 * Return: true if there are any; false, and @to all zero, if nobody ever had
 *	to wait on @rcd.
 */
bool tid_wait_read_stats(struct hfi1_ctxtdata *rcd, struct tid_wait_stats *to)
{
	struct tid_wait_stats *stats;

	memset(to, 0, sizeof(*to));
	rcu_read_lock();
	stats = klp_shadow_get(rcd, TID_WAIT_SHADOW_STATS);
	if (stats)
		*to = *stats;
	rcu_read_unlock();
	return stats;
}

/**
 * tid_wait_forget_context - drop the figures of a context
 * @rcd: the context, new at an address that an older one may have had
 *
 * Context: any; nobody waits on @rcd yet.
 */
void tid_wait_forget_context(struct hfi1_ctxtdata *rcd)
{
	klp_shadow_free(rcd, TID_WAIT_SHADOW_STATS, NULL);
}

/**
 * tid_wait_forget_all - drop all that hangs on hfi1's objects
 *
 * Context: process context; no function of this file runs or can be reached
 *	from hfi1 any more.
 */
void tid_wait_forget_all(void)
{
	klp_shadow_free_all(TID_WAIT_SHADOW_STATS, NULL);
	klp_shadow_free_all(TID_WAIT_SHADOW_SINCE, NULL);
}
