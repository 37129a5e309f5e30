// SPDX-License-Identifier: GPL-2.0
// The reference that first_qp() takes is dropped, handed on or returned on every
// path on which there is a QP. Stated at first_qp() and in tid_wait.h, rules of
// waking. The line found is the one that takes the reference.

// Those that return it: first_qp(), and functions that have it from there.
@take@
identifier fn = { first_qp, queue_qp_for_tid_wait, tid_flow_whom_to_wake,
		  tid_whom_to_wake };
@@
  fn(...)

// Kept in a variable, or handed on or returned as it is; else it is lost at once.
@variable@
identifier take.fn;
expression x;
position p;
@@
  x = fn@p(...)

@handed_on@
identifier take.fn;
position p;
@@
  \(tid_rdma_schedule_tid_wakeup\|tid_wait_wake\)(fn@p(...), ...)

@returned@
identifier take.fn;
position p;
@@
  return fn@p(...);

@lost@
identifier take.fn;
position p != { variable.p, handed_on.p, returned.p };
@@
* fn@p
  (...)

// A path on which it does not end. One on which there is no queue is none: its
// head was read. A loop over an array of QPs is taken to reach them all.
@path exists@
identifier f;
identifier other = { queue_qp_for_tid_wait, tid_flow_whom_to_wake,
		     tid_whom_to_wake };
expression x, queue;
@@
  f(...)
  {
  ... when any
(
  x =
* first_qp
  (..., queue)
|
  x =
* other
  (queue, ...)
)
  ... when != rvt_put_qp(x)
      when != tid_rdma_schedule_tid_wakeup(x)
      when != tid_wait_wake(x, ...)
      when != for (...; ...; ...) tid_rdma_schedule_tid_wakeup(x);
      when != return x;
      when != false x
      when != true !x
      when != false queue
      when != true !queue
  }

// The variable gets another value before it ends.
@overwritten exists@
identifier take.fn, x;
expression e;
@@
  x =
* fn
  (...)
  ... when != rvt_put_qp(x)
      when != tid_rdma_schedule_tid_wakeup(x)
      when != tid_wait_wake(x, ...)
      when != return x;
      when != false x
      when != true !x
  x = e

// Whoever returns it has to be on the list above, for the sake of its callers.
@unlisted exists@
identifier take.fn;
identifier f != { first_qp, queue_qp_for_tid_wait, tid_flow_whom_to_wake,
		  tid_whom_to_wake };
@@
  f(...)
  {
  ... when any
  return
* fn
  (...);
  ... when any
  }

@unlisted_variable exists@
identifier take.fn, x;
identifier f != { first_qp, queue_qp_for_tid_wait, tid_flow_whom_to_wake,
		  tid_whom_to_wake };
@@
  f(...)
  {
  ... when any
  x =
* fn
  (...)
  ... when any
      when != x = ...
  return x;
  }
