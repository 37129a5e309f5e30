// SPDX-License-Identifier: GPL-2.0
// Nothing is scheduled and no reference to a QP is dropped under exp_lock. Stated
// in tid_wait.h, rules of waking.

// Functions that schedule, run or restart a send engine, wake a task or drop a
// reference, those that call one of them, and those that call one of those. hfi1's
// own are called through rdmavt's table of calls.
@acts exists@
identifier f;
identifier act =~ "schedule\|^rvt_put_qp$\|^queue_.*work\|^mod_delayed_work\|^wake_up\|^complete";
identifier call =~ "schedule_send\|^do_send$\|^notify_";
expression E;
@@
  f(...)
  {
  ... when any
(
  act(...)
|
  \(E.call\|E->call\)(...)
)
  ... when any
  }

@calls exists@
identifier acts.f, g;
@@
  g(...)
  {
  ... when any
  f(...)
  ... when any
  }

@calls_that exists@
identifier calls.g, h;
@@
  h(...)
  {
  ... when any
  g(...)
  ... when any
  }

@direct exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier act =~ "schedule\|^rvt_put_qp$\|^queue_.*work\|^mod_delayed_work\|^wake_up\|^complete";
expression E;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* act
  (...)

@by_table exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier call =~ "schedule_send\|^do_send$\|^notify_";
expression E, D;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* \(D.call\|D->call\)
  (...)

@through exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier acts.f;
expression E;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* f
  (...)

@further exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier calls.g;
expression E;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* g
  (...)

@still_further exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier calls_that.h;
expression E;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* h
  (...)
