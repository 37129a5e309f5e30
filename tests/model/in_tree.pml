/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait queues as hfi1 has them in Linux 7.3 (6.1 and 6.12 are the same):
 * tid_rdma.c, "Flow and tid waiter functions" and those that call them.
 */

inline in_tree_first_qp(q, to)
{
	if
	:: queue[q].length > 0 ->
		to = queue[q].list[0];
		rvt_get_qp(to)
	:: else -> to = NONE
	fi
}

#define in_tree_kernel_tid_waiters(q, qp) \
	(queue[q].length > 0 && (queue[q].list[0] != qp || !qps[qp].tid_space))

inline in_tree_dequeue_tid_waiter(q, qp)
{
	if
	:: list_empty(qp) -> skip
	:: else ->
		list_del_init(qp, qps[qp].on);
		qps[qp].tid_space = false;
		queue[q].dequeue++;
		rvt_put_qp(qp)
	fi
}

inline in_tree_queue_qp_for_tid_wait(q, qp)
{
	if
	:: list_empty(qp) ->
		qps[qp].tid_space = true;
		list_add_tail(qp, q);
		queue[q].enqueue++;
		qps[qp].tid_enqueue = queue[q].enqueue;
		rvt_get_qp(qp)
	:: else -> skip
	fi
}

inline in_tree___trigger_tid_waiter()
{
	if
	:: qps[me].tid_space ->
		printf("%c: __trigger_tid_waiter: schedules its own engine\n", NAME(me));
		qps[me].send = true
	:: else -> skip
	fi
}

inline in_tree_tid_rdma_schedule_tid_wakeup(qp)
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

/* The second half, if it waits, is a section of its own: its s_lock is free. */
inline in_tree_tid_rdma_trigger_resume()
{
	if
	:: qps[me].tid_space ->
		printf("%c: tid_rdma_trigger_resume\n", NAME(me));
		qps[me].running = 1 + STOCK_SIDE
	:: else -> rvt_put_qp(me)
	fi
}

inline in_tree__tid_rdma_flush_wait(q)
{
	exp_lock {
		qps[me].tid_space = false;
		if
		:: !list_empty(me) ->
			printf("%c: _tid_rdma_flush_wait: leaves its queue\n", NAME(me));
			list_del_init(me, qps[me].on);
			queue[q].dequeue++;
			rvt_put_qp(me)
		:: else -> skip
		fi;
		normalise()
	}
}

inline in_tree_hfi1_tid_rdma_flush_wait()
{
	in_tree__tid_rdma_flush_wait(FLOW_QUEUE);
	in_tree__tid_rdma_flush_wait(RARR_QUEUE)
}

/* After a grant: the next one is tried. */
inline in_tree_wake_next()
{
	step {
		in_tree_tid_rdma_schedule_tid_wakeup(next);
		next = NONE
	}
}

/* After something came free. */
inline in_tree_wake_head()
{
	step {
		if
		:: head == me ->
			in_tree___trigger_tid_waiter();
			rvt_put_qp(me)
		:: else -> in_tree_tid_rdma_schedule_tid_wakeup(head)
		fi;
		head = NONE
	}
}

inline in_tree_hfi1_kern_setup_hw_flow()
{
	exp_lock {
		granted = qps[me].has_flow || !in_tree_kernel_tid_waiters(FLOW_QUEUE, me) && flows_free > 0;
		if
		:: qps[me].has_flow -> skip
		:: !qps[me].has_flow && granted ->
			printf("%c: hfi1_kern_setup_hw_flow: takes a flow\n", NAME(me));
			take_flow(me);
			in_tree_dequeue_tid_waiter(FLOW_QUEUE, me);
			in_tree_first_qp(FLOW_QUEUE, next)
		:: else ->
			printf("%c: hfi1_kern_setup_hw_flow: no flow, queued\n", NAME(me));
			in_tree_queue_qp_for_tid_wait(FLOW_QUEUE, me)
		fi;
		normalise()
	}
	in_tree_wake_next()
}

inline in_tree_hfi1_kern_clear_hw_flow()
{
	exp_lock {
		printf("%c: hfi1_kern_clear_hw_flow: gives its flow back\n", NAME(me));
		give_back_flow(me);
		in_tree_first_qp(FLOW_QUEUE, head)
	}
	in_tree_wake_head()
}

inline in_tree_hfi1_kern_exp_rcv_setup()
{
	exp_lock {
		asks = granted;
		granted = asks && !in_tree_kernel_tid_waiters(RARR_QUEUE, me) && need(me) <= tids_free;
		if
		:: !asks -> skip
		:: granted ->
			printf("%c: hfi1_kern_exp_rcv_setup: takes %d TIDs\n", NAME(me), need(me));
			take_tids(me);
			in_tree_dequeue_tid_waiter(RARR_QUEUE, me);
			in_tree_first_qp(RARR_QUEUE, next)
		:: asks && !granted ->
			printf("%c: hfi1_kern_exp_rcv_setup: no TIDs, queued\n", NAME(me));
			in_tree_queue_qp_for_tid_wait(RARR_QUEUE, me)
		fi;
		normalise()
	}
	in_tree_wake_next()
}

inline in_tree_hfi1_kern_exp_rcv_clear()
{
	exp_lock {
		give_back_tids(me);
		in_tree_first_qp(RARR_QUEUE, head)
	}
	in_tree_wake_head()
}

/* kfree(req->flows): the TIDs are lost. */
inline in_tree___trdma_clean_swqe()
{
	leaked = leaked + qps[me].segments * need(me);
	qps[me].segments = 0
}

/* It sees to the waits for I/O only. */
inline in_tree_notify_error_qp()
{
	skip
}
