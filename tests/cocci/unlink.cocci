// SPDX-License-Identifier: GPL-2.0
// Whoever takes a QP off a wait queue counts it in dequeue, clears the flag
// HFI1_S_WAIT_TID_SPACE and drops the queue's reference, or puts the QP on the
// other queue. Stated at queue_qp_for_tid_wait(), dequeue_tid_waiter() and
// tid_wait_leave(). The line found is the one that takes the QP off.
//
// tid_wait_unlink() does the list and the counter, its callers the rest;
// dequeue_tid_waiter() leaves the reference to its callers and returns true.

@off@
identifier del =~ "^list_\(del\|move\|cut\|replace\)";
expression P;
position p;
@@
  del@p(..., &P->tid_wait, ...)

// The counter of the queue, before or after.
@counter exists@
identifier f;
identifier off.del;
position off.p;
expression P, E;
@@
  f(...)
  {
  ... when any
      when != \(E.dequeue\|E->dequeue\)++
* del@p
  (..., &P->tid_wait, ...)
  ... when != \(E.dequeue\|E->dequeue\)++
  }

// The flag, before or after.
@flag exists@
identifier f != tid_wait_unlink;
identifier off.del;
position off.p;
expression P, E;
@@
  f(...)
  {
  ... when any
      when != E->s_flags &= <+... HFI1_S_WAIT_TID_SPACE ...+>
* del@p
  (..., &P->tid_wait, ...)
  ... when != E->s_flags &= <+... HFI1_S_WAIT_TID_SPACE ...+>
      when != list_add_tail(&P->tid_wait, ...)
  }

@flag_of_caller exists@
identifier f;
expression P, Q, E;
@@
  f(...)
  {
  ... when any
      when != E->s_flags &= <+... HFI1_S_WAIT_TID_SPACE ...+>
* tid_wait_unlink
  (..., Q, P)
  ... when != E->s_flags &= <+... HFI1_S_WAIT_TID_SPACE ...+>
      when != list_add_tail(&P->tid_wait, ...)
      when != false Q
      when != true !Q
  }

// The reference, after.
@reference exists@
identifier f != { tid_wait_unlink, dequeue_tid_waiter };
identifier off.del;
position off.p;
expression P;
@@
  f(...)
  {
  ... when any
* del@p
  (..., &P->tid_wait, ...)
  ... when != rvt_put_qp(...)
      when != list_add_tail(&P->tid_wait, ...)
  }

@reference_of_caller exists@
identifier f != dequeue_tid_waiter;
expression P, Q;
@@
  f(...)
  {
  ... when any
* tid_wait_unlink
  (..., Q, P)
  ... when != rvt_put_qp(...)
      when != list_add_tail(&P->tid_wait, ...)
      when != false Q
      when != true !Q
  }

@reference_for_caller exists@
identifier yes =~ "^true$";
@@
  dequeue_tid_waiter(...)
  {
  ... when any
* tid_wait_unlink
  (...)
  ... when != return yes;
  }

// The reference that dequeue_tid_waiter() leaves.
@kept@
expression left;
position p;
@@
  left = dequeue_tid_waiter@p(...)

@not_kept@
position p != kept.p;
@@
* dequeue_tid_waiter@p
  (...)

@left exists@
identifier f;
expression left;
@@
  f(...)
  {
  ... when any
  left =
* dequeue_tid_waiter
  (...)
  ... when != rvt_put_qp(...)
      when != false left
      when != true !left
  }
