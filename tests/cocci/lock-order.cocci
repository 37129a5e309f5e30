// SPDX-License-Identifier: GPL-2.0
// Locks are taken in the order s_lock, exp_lock: under the exp_lock of a context
// neither the s_lock of a QP nor any exp_lock is taken. The Context: lines of
// tid_wait.c, tid_flow.c and tid_rdma.c state who holds and who takes which.

// Functions that take either lock, those that call one of them, and those that
// call one of those.
@takes exists@
identifier f;
identifier lock =~ "^spin_\(try\)?lock";
expression E;
@@
  f(...)
  {
  ... when any
  lock(\(&E->s_lock\|&E->exp_lock\), ...)
  ... when any
  }

@calls exists@
identifier takes.f, g;
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
identifier lock =~ "^spin_\(try\)?lock";
expression E, Q;
@@
  start(&E->exp_lock, ...)
  ... when any
      when != end(&E->exp_lock, ...)
* lock
  (\(&Q->s_lock\|&Q->exp_lock\), ...)

@through exists@
identifier start =~ "^spin_lock\|^lockdep_assert_held$";
identifier end =~ "^spin_unlock";
identifier takes.f;
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
