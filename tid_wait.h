/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait queues of a receive context: who waits, who is next, who is woken.
 *
 * A context has two queues, one for its 32 flows and one for its RcvArray
 * entries. A QP is on at most one of them, in order of arrival, and holds one
 * reference for being there. This file knows nothing of flows or page sets:
 * its callers say which queue a QP needs and when something came free.
 *
 * Rules of waking
 * - Whoever gives something back fetches the head with first_qp() under
 *   exp_lock, drops the lock and hands the head to tid_wait_wake().
 * - Whoever leaves the head of a queue, with or without a grant, does the same
 *   for the new head.
 * - Nothing is scheduled and no reference is dropped under exp_lock: a
 *   function that unlinks a QP says so, and its caller drops the reference
 *   after the unlock.
 */
#ifndef TID_WAIT_H
#define TID_WAIT_H

#include "include/hfi1.h"

/**
 * enum tid_wait_counter - what is counted on the wait queues of a context
 * @TID_WAITS: QPs put to sleep
 * @TID_GRANTS: sleeping QPs that got what they waited for
 * @TID_WAKEUPS: wakeups scheduled
 * @TID_FUTILE: tries of a queue's head that were refused again
 * @TID_PASSED_ON: wakeups handed on by a QP that could not use its own
 * @TID_FLUSHED: QPs that left a queue by reset or destroy
 * @TID_COUNTERS: how many there are
 */
enum tid_wait_counter {
	TID_WAITS,
	TID_GRANTS,
	TID_WAKEUPS,
	TID_FUTILE,
	TID_PASSED_ON,
	TID_FLUSHED,
	TID_COUNTERS
};

/**
 * enum tid_trace_queue - a queue, as events name it
 * @TID_TRACE_NONE: the QP is on none
 * @TID_TRACE_FLOW: the one for flows
 * @TID_TRACE_TID: the one for TIDs
 */
enum tid_trace_queue {
	TID_TRACE_NONE,
	TID_TRACE_FLOW,
	TID_TRACE_TID
};

/**
 * struct tid_wait_stats - the figures of one context
 * @count: by enum tid_wait_counter
 * @longest_wait: longest time from sleep to grant, in nanoseconds
 *
 * Counted from the time the module came in, and only while QPs have to wait:
 * a grant without a wait touches none of it.
 */
struct tid_wait_stats {
	atomic64_t count[TID_COUNTERS];
	atomic64_t longest_wait;
};

struct hfi1_ctxtdata *qp_to_rcd(struct rvt_dev_info *rdi, struct rvt_qp *qp);

struct rvt_qp *first_qp(struct hfi1_ctxtdata *rcd, struct tid_queue *queue)
	__must_hold(&rcd->exp_lock);
bool kernel_tid_waiters(struct hfi1_ctxtdata *rcd, struct tid_queue *queue,
			struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock);
struct rvt_qp *queue_qp_for_tid_wait(struct hfi1_ctxtdata *rcd,
				     struct tid_queue *queue, struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock);
bool dequeue_tid_waiter(struct hfi1_ctxtdata *rcd, struct tid_queue *queue,
			struct rvt_qp *qp)
	__must_hold(&rcd->exp_lock) __must_hold(&qp->s_lock);

bool tid_wait_leave(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void __trigger_tid_waiter(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);
void tid_rdma_schedule_tid_wakeup(struct rvt_qp *qp);
void tid_wait_wake(struct rvt_qp *head, struct rvt_qp *self)
	__must_hold(&self->s_lock);
void tid_rdma_trigger_resume(struct work_struct *work);
void hfi1_tid_rdma_flush_wait(struct rvt_qp *qp)
	__must_hold(&qp->s_lock);

void tid_wait_settle(struct hfi1_ctxtdata *rcd);
void tid_wait_settle_qp(struct rvt_qp *qp);
bool tid_wait_read_stats(struct hfi1_ctxtdata *rcd, struct tid_wait_stats *to);
void tid_wait_forget_context(struct hfi1_ctxtdata *rcd);
void tid_wait_forget_all(void);

#endif /* TID_WAIT_H */
