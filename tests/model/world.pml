/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The world around the wait queues of one receive context: QPs and their lives,
 * flows and TIDs, references, work items, the send engine. What hfi1 or this
 * module does with the two queues is in in_tree.pml and ours.pml; the steps there
 * have the names of the functions in the C.
 *
 * What a process is
 *	One for each QP: whatever happens to a QP happens under its s_lock, one
 *	thing at a time, so its process is the s_lock. What others do to a QP
 *	without its s_lock (link it under exp_lock, queue its work item, take a
 *	reference) they do to the global variables below.
 *
 * What a step is
 *	What is done under exp_lock is one step (exp_lock), and so is what follows
 *	it until exp_lock is taken again: queue_work() and put. Taking a lock moves
 *	into the step behind it, dropping one into the step before. With one CPU
 *	nothing comes in between while an s_lock is held, since interrupts are off;
 *	with two CPUs, steps of two QPs alternate.
 *
 * What is asked
 *	A lost wakeup is a bad state, not a bad infinite run: the context is quiet
 *	(no work pending or running, no engine scheduled, no reset half-way), and
 *	the first QP of a queue that is still alive needs no more than is free.
 *	Nothing in a quiet state will wake it but an unrelated event, and that need
 *	never come. Conversely, if a QP is forgotten for ever, let no event happen
 *	from then on: what is pending comes to its end (the search for cycles shows
 *	that there is none without an event), and that is such a state. The only
 *	fairness in this is that pending work runs some time.
 *
 *	In a quiet state, too: references are those of the queues, positions are
 *	true, nothing is granted twice or lost. At a grant: nobody is ahead in the
 *	queue. Everywhere: no QP is touched when it is freed, no count goes below 0.
 *
 * What is not here
 *	I/O waits and RVT_S_BUSY: an engine that is busy asks again before it stops,
 *	so it is one that is scheduled again.
 */

#ifndef NQP
#define NQP 4
#endif
#ifndef CPUS
#define CPUS 1
#endif
#ifndef FLOWS
#define FLOWS 2
#endif
#ifndef TIDS
#define TIDS 2
#endif
/*
 * Switches: IN_TREE or OURS, or neither: ours comes in (and goes, with UNLOAD) under
 * way. RESETS, ERRORS, ROLES, MAP_FAILURES, DESTROY: what may happen. ONE_RESETS,
 * FEW_EVENTS, TIDS_ONLY: not to all QPs, or not everything. POSITIONS: the counters
 * too. CYCLES: look for cycles.
 */
#if !defined(IN_TREE) && !defined(OURS)
#define LIVEPATCH
#endif

/* QPs are called A, B, ... A and B send READs, C and D receive WRITEs; a segment
 * of A and C needs two TIDs, one of B and D one. */
#define me _pid
#define NAME(qp) ('A' + qp)		/* the one behind the last is livepatch */
#define sends_reads(qp) (qp % 4 < 2)
#define need(qp) (2 - qp % 2)

#define NONE 7

/* struct tid_queue. Only the difference of the counters matters to anybody: when
 * exp_lock is dropped, dequeue is subtracted from all of them. */
#define FLOW_QUEUE 0
#define RARR_QUEUE 1
#define NO_QUEUE 2
typedef tid_queue {
	byte list[NQP];
	unsigned length : 3;
	unsigned enqueue : 3;
	unsigned dequeue : 3
};
tid_queue queue[2];
unsigned flows_free : 2 = FLOWS;
unsigned tids_free : 2 = TIDS;
unsigned leaked : 2;		/* TIDs that nobody will ever give back */

/* struct rvt_qp and struct hfi1_qp_priv */
#define RTS 0		/* at work */
#define ERR 1		/* in error */
#define FLUSHED 2	/* rvt_reset_qp(): flush_qp_waiters() is done */
#define RESET 3		/* ... stop_send_queue() and notify_qp_reset() too */
#define GONE 4		/* freed */
typedef rvt_qp {
	unsigned life : 3;
	unsigned refs : 3;		/* beyond the one that destroy gives up */
	bool tid_space;			/* HFI1_S_WAIT_TID_SPACE in s_flags */
	unsigned on : 2 = NO_QUEUE;	/* where the list node tid_wait is linked in */
	bool pending;			/* trigger_work is queued */
	unsigned running : 2;		/* trigger_work runs: 1 + side; s_lock is free */
	bool send;			/* the send engine is scheduled */
	bool want;			/* there are segments to set up */
	bool has_flow;
	unsigned segments : 2;		/* set up: need() TIDs each */
	unsigned tid_enqueue : 3
};
rvt_qp qps[NQP];

/* Which code runs */
#define STOCK_SIDE 0
#define OUR_SIDE 1
mtype = { STOCK, COMING, PATCHED, GOING, UNPATCHED };
#ifdef LIVEPATCH
mtype patch = STOCK;
bool settled;
byte tasks[2];			/* that are in the code of a side */
#else
#define patch PATCHED
#define settled true
#endif
unsigned cpus : 2 = CPUS;	/* idle ones */

/* Used within a step, and 0 between steps. */
unsigned i : 3, k : 3;
bool ok, was_head, quiet, lost_wakeup;

#define dead(qp) (qps[qp].life != RTS)
#define at_work(qp) (qps[qp].life == RTS)
/* Nothing changes when a QP leaves that has nothing. */
#ifdef DESTROY
#define is_busy(qp) true
#else
#define is_busy(qp) (qps[qp].want || qps[qp].segments > 0 || qps[qp].pending || qps[qp].running)
#endif
#ifdef ONE_RESETS
#define may_reset(qp) (qp == 0)
#else
#define may_reset(qp) true
#endif
#define list_empty(qp) (qps[qp].on == NO_QUEUE)
#define is_first(qp, q) (queue[q].length > 0 && queue[q].list[0] == qp)
#define may_leave (patch != UNPATCHED)
#ifdef POSITIONS
#define counted settled
#else
#define counted false
#endif

inline rvt_get_qp(qp)
{
	assert(qps[qp].life != GONE);
	qps[qp].refs++
}

inline rvt_put_qp(qp)
{
	assert(qps[qp].refs > 0);
	qps[qp].refs--
}

/* ok: true if it was not pending already. */
inline queue_work(qp)
{
	assert(qps[qp].life != GONE);
	ok = !qps[qp].pending;
	qps[qp].pending = true
}

inline list_add_tail(qp, q)
{
	queue[q].list[queue[q].length] = qp;
	queue[q].length++;
	qps[qp].on = q
}

inline list_del_init(qp, q)
{
	i = 0;
	do
	:: queue[q].list[i] == qp -> break
	:: else -> i++
	od;
	do
	:: i + 1 < queue[q].length ->
		queue[q].list[i] = queue[q].list[i + 1];
		i++
	:: else -> break
	od;
	queue[q].list[i] = 0;
	queue[q].length--;
	qps[qp].on = NO_QUEUE
}

/* Before exp_lock is dropped. */
inline normalise()
{
	for (i : 0 .. NQP - 1) {
		if
		:: counted && qps[i].on != NO_QUEUE ->
			qps[i].tid_enqueue = qps[i].tid_enqueue - queue[qps[i].on].dequeue
		:: else -> qps[i].tid_enqueue = 0
		fi
	}
	for (k : 0 .. 1) {
		if
		:: counted -> queue[k].enqueue = queue[k].enqueue - queue[k].dequeue
		:: else -> queue[k].enqueue = 0
		fi;
		queue[k].dequeue = 0
	}
	i = 0;
	k = 0;
	was_head = false
}

inline take_flow(qp)
{
	assert(queue[FLOW_QUEUE].length == 0 || queue[FLOW_QUEUE].list[0] == qp);
	flows_free--;
	qps[qp].has_flow = true
}

inline take_tids(qp)
{
	assert(queue[RARR_QUEUE].length == 0 || queue[RARR_QUEUE].list[0] == qp);
	tids_free = tids_free - need(qp);
	qps[qp].segments++
}

inline give_back_flow(qp)
{
	flows_free++;
	qps[qp].has_flow = false
}

inline give_back_tids(qp)
{
	tids_free = tids_free + need(qp);
	qps[qp].segments--
}

#if CPUS == 1
#define exp_lock
#define step
#else
#define exp_lock d_step
#define step d_step
#endif

#ifndef OURS
#include "in_tree.pml"
#endif
#ifndef IN_TREE
#include "ours.pml"
#endif

#if defined(IN_TREE)
#define call(function) in_tree_ ## function
#elif defined(OURS)
#define call(function) our_ ## function
#else
#define call(function) \
	if \
	:: side == OUR_SIDE -> our_ ## function \
	:: else -> in_tree_ ## function \
	fi
#endif

/* What must be true when nothing is under way */

inline check_quiet()
{
	quiet = settled && cpus == CPUS;
	for (i : 0 .. NQP - 1) {
		if
		:: qps[i].pending || qps[i].running || qps[i].send || qps[i].life == FLUSHED ->
			quiet = false
		:: else -> skip
		fi
	}
	if
	:: quiet ->
		check_flow_waiter();
		check_tid_waiter();
		check_counts()
	:: else -> skip
	fi;
	i = 0;
	k = 0;
	quiet = false
}

#define first_alive(q) \
	i = 0; \
	do \
	:: i < queue[q].length && dead(queue[q].list[i]) -> i++ \
	:: else -> break \
	od

inline check_flow_waiter()
{
	first_alive(FLOW_QUEUE);
	lost_wakeup = i < queue[FLOW_QUEUE].length && flows_free > 0;
	if
	:: lost_wakeup ->
		printf("LOST WAKEUP: %c waits for a flow, free are %d, and nothing is under way that wakes it\n",
		       NAME(queue[FLOW_QUEUE].list[i]), flows_free)
	:: else -> skip
	fi;
	assert(!lost_wakeup)
}

inline check_tid_waiter()
{
	first_alive(RARR_QUEUE);
	lost_wakeup = i < queue[RARR_QUEUE].length && need(queue[RARR_QUEUE].list[i]) <= tids_free;
	if
	:: lost_wakeup ->
		printf("LOST WAKEUP: %c needs %d TIDs, free are %d, and nothing is under way that wakes it\n",
		       NAME(queue[RARR_QUEUE].list[i]), need(queue[RARR_QUEUE].list[i]), tids_free)
	:: else -> skip
	fi;
	assert(!lost_wakeup)
}

inline check_counts()
{
	k = 0;		/* flows that are granted */
	for (i : 0 .. NQP - 1) {
		k = k + qps[i].has_flow;
		/* I3: a QP that could not be destroyed would have one too many. */
		assert(qps[i].refs == (qps[i].on != NO_QUEUE));
		assert(qps[i].tid_space == (qps[i].on != NO_QUEUE))
	}
	assert(k + flows_free == FLOWS);
	k = 0;		/* TIDs that are granted */
	for (i : 0 .. NQP - 1) {
		k = k + qps[i].segments * need(i)
	}
	assert(k + tids_free == TIDS - leaked);
	for (k : 0 .. 1) {
		assert(!counted || queue[k].enqueue == queue[k].length);
		for (i : 0 .. NQP - 1) {
			assert(!counted || i >= queue[k].length || qps[queue[k].list[i]].tid_enqueue == i + 1)
		}
	}
}

/*
 * What happens to a QP. A section is what is done under its s_lock in one go: it
 * can begin if "can", "first" belongs to its first step. An event is a section
 * that comes from outside, or need not come.
 */

#ifdef LIVEPATCH
/*
 * A transition is per task: while it lasts, any task may be on either side, but
 * one that is in the middle of a work item stays where it is. as: 0 for a new
 * task, else what qps[].running says.
 */
#define may_enter(as, to) \
	(as == 1 + to || as == 0 && (patch == COMING || patch == GOING || (patch == PATCHED) == to))
#define enter(as, to) side = to; tasks[to] = tasks[to] + (as == 0)
#define leave() tasks[side] = tasks[side] - !stays; stays = false; side = STOCK_SIDE
#define section(can, as, first, body) \
	one_section((can) && may_enter(as, STOCK_SIDE), enter(as, STOCK_SIDE), first, body) \
	:: one_section((can) && may_enter(as, OUR_SIDE), enter(as, OUR_SIDE), first, body)
#else
#define leave() skip
#define section(can, as, first, body) one_section(can, skip, first, body)
#endif

#if CPUS == 1
#define one_section(can, start, first, body) \
	d_step { (can) -> start; first; body; engine_stops(); leave(); check_quiet() }
#else
#define one_section(can, start, first, body) \
	d_step { (can) && cpus > 0 -> cpus--; start; first }; \
	body; \
	d_step { cpus++; engine_stops(); leave(); check_quiet() }
#endif
#ifdef CYCLES
#define event(name, can, first, body) section(can, 0, first, body); progress_ ## name: skip
#else
#define event(name, can, first, body) section(can, 0, first, body)
#endif

/* The engine builds the next packet: it takes one more segment, or flushes. */
inline hfi1_do_send()
{
	if
	:: qps[me].life == RTS && qps[me].want -> ask()
	:: qps[me].life == ERR && sends_reads(me) && (qps[me].want || qps[me].segments > 0) ->
		printf("%c: hfi1_make_rc_req: in error, flushes its request\n", NAME(me));
		call(__trdma_clean_swqe());
		qps[me].want = false
	:: else -> skip
	fi
}

/*
 * hfi1_build_tid_rdma_read_req(), hfi1_tid_write_alloc_resources(). The first of
 * the two calls says so if the QP has a flow, the second does nothing without one.
 */
inline ask()
{
#ifdef TIDS_ONLY
	granted = true;
#else
	call(hfi1_kern_setup_hw_flow());
#endif
	call(hfi1_kern_exp_rcv_setup())
}

/* The end of a section: an engine that got something goes on. */
inline engine_stops()
{
	qps[me].send = qps[me].send || granted;
	granted = false;
	asks = false
}

/* tid_rdma_trigger_resume() is between its two sections, or at its end. */
inline resume_stays()
{
#ifdef LIVEPATCH
	stays = qps[me].running > 0
#else
	skip
#endif
}

inline resume_ends()
{
	step {
		qps[me].running = 0;
		rvt_put_qp(me)
	}
}

/* What it set up was the end of its request. */
inline last_segment()
{
	qps[me].want = false;
	qps[me].send = false
}

inline post_send()
{
	printf("%c: has a request\n", NAME(me));
	qps[me].want = true
}

/* READ: hfi1_rc_rcv_tid_rdma_read_resp(), WRITE: ..._write_data() */
inline segment_is_done()
{
	printf("%c: all data of a segment is there\n", NAME(me));
	call(hfi1_kern_exp_rcv_clear());
	if
	:: qps[me].segments == 0 && !qps[me].want && qps[me].has_flow ->
		call(hfi1_kern_clear_hw_flow())
	:: else -> skip
	fi;
	qps[me].send = qps[me].send || qps[me].want
}

/* The QP has a request of the other kind too, and that one ends. */
inline other_role_ends()
{
	printf("%c: an inbound WRITE ends\n", NAME(me));
	call(hfi1_kern_clear_hw_flow())
}

/* rvt_error_qp() */
inline goes_to_error()
{
	printf("%c: goes to ERR\n", NAME(me));
	qps[me].life = ERR;
	/* There is something to flush. */
	qps[me].send = qps[me].send ||
		       (sends_reads(me) && (qps[me].want || qps[me].segments > 0))
}

/* rvt_reset_qp(), and flush_qp_waiters() is next */
inline goes_to_reset()
{
	printf("%c: goes to RESET\n", NAME(me));
	qps[me].life = FLUSHED
}

/* cancel_work_sync() twice: waits for a work item that runs. */
inline stop_send_queue()
{
	qps[me].send = false;
	if
	:: qps[me].pending ->
		printf("%c: stop_send_queue: its wakeup is cancelled\n", NAME(me));
		qps[me].pending = false;
		rvt_put_qp(me)
	:: else -> skip
	fi
}

inline notify_qp_reset()
{
	printf("%c: notify_qp_reset: gives back what it has\n", NAME(me));
	if
	:: qps[me].has_flow -> call(hfi1_kern_clear_hw_flow())
	:: else -> skip
	fi;
	do
	:: qps[me].segments > 0 -> call(hfi1_kern_exp_rcv_clear())
	:: else -> break
	od;
	qps[me].want = false;
#ifdef DESTROY
	qps[me].life = RESET
#else
	qps[me].life = RTS	/* connected again, with nothing to do */
#endif
}

/* The variables of a task. With one CPU they are not live between sections, so
 * that all share one set. */
#define locals \
	byte next = NONE;	/* a QP with a reference, in this task's hands */ \
	byte head = NONE;	/* the same */ \
	byte from = NO_QUEUE;	/* the queue that this QP has left */ \
	bool asks;		/* for TIDs */ \
	bool granted;		/* what it asked for last */ \
	bool map_fails

#if CPUS == 1
locals
#endif

active [NQP] proctype qp()
{
#if CPUS > 1
	locals;
#endif
#ifdef LIVEPATCH
	bool side = STOCK_SIDE;	/* this task is on that side of a transition */
	bool stays;		/* and has not left the patched functions */
#endif

end:
	do
	/* what is under way */
	:: section(qps[me].send, 0, qps[me].send = false, hfi1_do_send())
	:: section(qps[me].pending && !qps[me].running, 0, qps[me].pending = false,
		   call(tid_rdma_trigger_resume()); resume_stays())
	:: section(qps[me].running, qps[me].running, skip, hfi1_do_send(); resume_ends())
	:: section(qps[me].life == FLUSHED && !qps[me].running, 0, stop_send_queue(),
		   notify_qp_reset())

	/* what need not happen */
	:: event(post, at_work(me) && !qps[me].want && qps[me].segments == 0, post_send(),
		 hfi1_do_send())
	:: event(last, at_work(me) && qps[me].want && qps[me].send && qps[me].segments > 0 &&
		 list_empty(me), last_segment(), skip)
	:: event(done, at_work(me) && qps[me].segments > 0, skip, segment_is_done())
#ifndef FEW_EVENTS
	:: event(again, at_work(me) && !list_empty(me), skip, hfi1_do_send())
#endif
#ifdef MAP_FAILURES
	:: event(fail, qps[me].send, qps[me].send = false; map_fails = true,
		 hfi1_do_send(); map_fails = false)
#endif
#ifdef ROLES
	:: event(role, at_work(me) && qps[me].has_flow && qps[me].segments == 0 && qps[me].want &&
		 may_leave, skip, other_role_ends())
#endif
#ifdef ERRORS
	:: event(error, at_work(me) && is_busy(me) && may_leave, goes_to_error(),
		 call(notify_error_qp()))
#endif
#ifdef RESETS
	:: event(flush, (at_work(me) && is_busy(me) || qps[me].life == ERR) && may_leave && may_reset(me),
		 goes_to_reset(), call(hfi1_tid_rdma_flush_wait()))
#endif
#ifdef DESTROY
	:: event(connect, qps[me].life == RESET || qps[me].life == GONE, qps[me].life = RTS, skip)
	:: event(destroy, qps[me].life == RESET && qps[me].refs == 0, qps[me].life = GONE, skip)
#endif
	od
}

#ifdef LIVEPATCH
active proctype livepatch()
{
	byte flow_head = NONE;
	byte rarr_head = NONE;

	d_step {
		printf("livepatch: on its way in\n");
		patch = COMING
	}
	d_step {
		tasks[STOCK_SIDE] == 0 ->
		printf("livepatch: in, tid_post_patch\n");
		patch = PATCHED
	}
	tid_wait_settle()
#ifdef UNLOAD
	;
	d_step {
		printf("livepatch: on its way out\n");
		settled = false;
		patch = GOING
	}
	d_step {
		tasks[OUR_SIDE] == 0 ->
		printf("livepatch: out, tid_post_unpatch\n");
		patch = UNPATCHED
	}
	tid_wait_settle()
#endif
}
#endif
