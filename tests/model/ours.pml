/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait queues as this module has them: tid_wait.c, and what tid_flow.c and
 * tid_rdma.c do with them. The switches are faults that the check puts in, to
 * see that the model finds them.
 */

/* tid_wait.c */

inline our_first_qp(q, to)
{
	if
	:: queue[q].length > 0 ->
		to = queue[q].list[0];
#ifndef NO_REFERENCE
		rvt_get_qp(to)
#endif
	:: else -> to = NONE
	fi
}

inline our_tid_wait_unlink(q, qp)
{
	was_head = is_first(qp, q);
	i = 0;
	do
	:: queue[q].list[i] != qp ->
		qps[queue[q].list[i]].tid_enqueue++;
		i++
	:: else -> break
	od;
	list_del_init(qp, q);
	queue[q].dequeue++
}

#ifdef BARGING
#define our_kernel_tid_waiters(q, qp) false
#else
#define our_kernel_tid_waiters(q, qp) \
	(queue[q].length > 0 && (queue[q].list[0] != qp || !qps[qp].tid_space))
#endif

inline our_queue_qp_for_tid_wait(q, qp)
{
	next = NONE;
	if
	:: list_empty(qp) && dead(qp) -> skip
	:: else ->
		qps[qp].tid_space = true;
		if
#ifdef ONE_NODE
		:: !list_empty(qp) -> skip
#else
		:: qps[qp].on == q ->
#ifdef WAKES_REFUSED
			if
			:: is_first(qp, q) -> our_first_qp(q, next)
			:: else -> skip
			fi
#else
			skip
#endif
#endif
		:: else ->
			if
			:: list_empty(qp) -> rvt_get_qp(qp)
			:: else ->
				from = qps[qp].on;
				our_tid_wait_unlink(from, qp);
				if
				:: was_head -> our_first_qp(from, next)
				:: else -> skip
				fi;
				from = NO_QUEUE
			fi;
			list_add_tail(qp, q);
			queue[q].enqueue++;
			qps[qp].tid_enqueue = queue[q].enqueue
		fi
	fi
}

/* from: the queue that the QP has left, or NO_QUEUE. */
inline our_dequeue_tid_waiter(q, qp)
{
	if
	:: qps[qp].on == q ->
		our_tid_wait_unlink(q, qp);
		qps[qp].tid_space = false;
		from = q
	:: else -> skip
	fi
}

inline our_tid_rdma_schedule_tid_wakeup(qp)
{
	if
	:: qp != NONE ->
		printf("%c: tid_rdma_schedule_tid_wakeup: wakes %c\n", NAME(me), NAME(qp));
		queue_work(qp);
		if
		:: !ok -> rvt_put_qp(qp)
		:: else -> ok = false
		fi
	:: else -> skip
	fi
}

/* The end of all that unlinks a QP: its caller has dropped exp_lock. */
inline our_put_and_wake_next()
{
	step {
		if
		:: from != NO_QUEUE -> rvt_put_qp(me)
		:: else -> skip
		fi;
		our_tid_rdma_schedule_tid_wakeup(next);
		from = NO_QUEUE;
		next = NONE
	}
}

inline our_tid_wait_leave()
{
	exp_lock {
		qps[me].tid_space = false;
		from = qps[me].on;
		if
		:: from != NO_QUEUE ->
			printf("%c: tid_wait_leave: leaves its queue\n", NAME(me));
			our_tid_wait_unlink(from, me);
#ifndef NO_HAND_OVER
			if
			:: was_head -> our_first_qp(from, next)
			:: else -> skip
			fi
#endif
		:: else -> skip
		fi;
		normalise()
	}
	our_put_and_wake_next()
}

inline our___trigger_tid_waiter()
{
	if
	:: dead(me) -> our_tid_wait_leave()
	:: else ->
		step {
			if
			:: qps[me].tid_space ->
				rvt_get_qp(me);
				our_tid_rdma_schedule_tid_wakeup(me)
			:: else -> skip
			fi
		}
	fi
}

inline our_tid_wait_wake()
{
	if
	:: head == me ->
		our___trigger_tid_waiter();
		step {
			rvt_put_qp(me);
			head = NONE
		}
	:: else ->
		step {
			our_tid_rdma_schedule_tid_wakeup(head);
			head = NONE
		}
	fi
}

/* The second half, if it waits, is a section of its own: its s_lock is free. */
inline our_tid_rdma_trigger_resume()
{
	if
	:: qps[me].tid_space ->
		printf("%c: tid_rdma_trigger_resume\n", NAME(me));
		qps[me].running = 1 + OUR_SIDE
	:: else -> skip
	fi;
	if
#ifdef STAYS_IN_ERROR
	:: !qps[me].tid_space -> our_tid_wait_leave()
#else
	:: !qps[me].tid_space || dead(me) -> our_tid_wait_leave()
#endif
	:: else -> skip
	fi;
	if
	:: !qps[me].running -> rvt_put_qp(me)
	:: else -> skip
	fi
}

inline our_hfi1_tid_rdma_flush_wait()
{
	our_tid_wait_leave()
}

/* qp.c's own function; tid_reset.c's tid_reset_error() runs before it. */
inline our_notify_error_qp()
{
	our_tid_wait_leave()
}

/* tid_flow.c */

inline our_tid_flow_whom_to_wake()
{
	if
	:: flows_free == 0 -> next = NONE
	:: else -> our_first_qp(FLOW_QUEUE, next)
	fi
}

inline our_hfi1_kern_setup_hw_flow()
{
	exp_lock {
		granted = qps[me].has_flow || !our_kernel_tid_waiters(FLOW_QUEUE, me) && flows_free > 0;
		if
		:: qps[me].has_flow -> skip
		:: !qps[me].has_flow && granted ->
			printf("%c: hfi1_kern_setup_hw_flow: takes a flow\n", NAME(me));
			take_flow(me);
			our_dequeue_tid_waiter(FLOW_QUEUE, me);
			our_tid_flow_whom_to_wake()
		:: else ->
			printf("%c: hfi1_kern_setup_hw_flow: no flow, queued\n", NAME(me));
			our_queue_qp_for_tid_wait(FLOW_QUEUE, me)
		fi;
		normalise()
	}
	our_put_and_wake_next()
}

inline our_hfi1_kern_clear_hw_flow()
{
	exp_lock {
		printf("%c: hfi1_kern_clear_hw_flow: gives its flow back\n", NAME(me));
		give_back_flow(me);
		our_first_qp(FLOW_QUEUE, head)
	}
	our_tid_wait_wake()
}

/* tid_rdma.c */

inline our_tid_whom_to_wake()
{
	if
	:: tids_free == 0 -> next = NONE
	:: else -> our_first_qp(RARR_QUEUE, next)
	fi
}

inline our_tid_take_or_wait()
{
	exp_lock {
		asks = granted && need(me) <= TIDS;	/* else -EINVAL, for ever */
		granted = asks && !our_kernel_tid_waiters(RARR_QUEUE, me) && need(me) <= tids_free;
		if
		:: !asks -> skip
		:: granted ->
			printf("%c: hfi1_kern_exp_rcv_setup: takes %d TIDs\n", NAME(me), need(me));
			take_tids(me);
			our_dequeue_tid_waiter(RARR_QUEUE, me);
			our_tid_whom_to_wake()
		:: asks && !granted ->
			printf("%c: hfi1_kern_exp_rcv_setup: no TIDs, queued\n", NAME(me));
			our_queue_qp_for_tid_wait(RARR_QUEUE, me)
		fi;
		normalise()
	}
	our_put_and_wake_next()
}

inline our_tid_return()
{
	exp_lock {
		give_back_tids(me);
		our_first_qp(RARR_QUEUE, head)
	}
	our_tid_wait_wake()
}

inline our_hfi1_kern_exp_rcv_setup()
{
	our_tid_take_or_wait();
#ifdef MAP_FAILURES
	if
	:: granted && map_fails ->
		printf("%c: tid_map_sets: fails\n", NAME(me));
		our_tid_return();
		granted = false;
		qps[me].send = true		/* hfi1_wait_kmem() has a timer */
	:: else -> skip
	fi
#endif
}

inline our_hfi1_kern_exp_rcv_clear()
{
	our_tid_return()
}

inline our___trdma_clean_swqe()
{
	our_tid_wait_leave();		/* qp->state is IB_QPS_ERR */
	do
	:: qps[me].segments > 0 -> our_hfi1_kern_exp_rcv_clear()
	:: else -> break
	od
}

#ifdef LIVEPATCH
/* livepatch.c: tid_post_patch() and tid_post_unpatch() */
inline tid_wait_settle()
{
	d_step {
		/* positions are counted anew: normalise() does from here on */
		our_first_qp(FLOW_QUEUE, flow_head);
		our_first_qp(RARR_QUEUE, rarr_head)
	}
	d_step {
		our_tid_rdma_schedule_tid_wakeup(flow_head);
		flow_head = NONE
	}
	d_step {
		our_tid_rdma_schedule_tid_wakeup(rarr_head);
		rarr_head = NONE;
		settled = true;
		check_quiet()
	}
}
#endif
