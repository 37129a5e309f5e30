/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LOOP_H
#define HFISIM_LOOP_H

#include "types.h"

/*
 * hfisim has one thread. Everything, from the registers to the control
 * clients, runs from this loop, so that nothing needs a lock: a callback
 * must never block and never keep a pointer into another unit's queues
 * while it calls that unit.
 */

struct loop;

/**
 * struct loop_source - a file descriptor the loop watches
 * @fd: the descriptor; owned by the caller
 * @ready: called with the epoll(7) events that are pending. It may remove
 *	and free this source, and no other.
 */
struct loop_source {
	int fd;
	void (*ready)(struct loop_source *source, u32 events);
};

/**
 * struct loop_timer - something to do later
 * @expired: called once when the time has come; may arm the timer again
 * @deadline: in nanoseconds of CLOCK_MONOTONIC; 0 when not armed
 * @next: next armed timer of the loop
 */
struct loop_timer {
	void (*expired)(struct loop_timer *timer);
	u64 deadline;
	struct loop_timer *next;
};

/**
 * loop_new() - make a loop
 * Return: the loop, NULL when the system refused memory or a descriptor.
 */
struct loop *loop_new(void);

/**
 * loop_free() - free a loop; its sources and timers stay the caller's
 * @loop: the loop, or NULL
 */
void loop_free(struct loop *loop);

/**
 * loop_add() - watch a descriptor
 * @loop: the loop
 * @source: filled in by the caller; must stay alive until loop_del()
 * @events: EPOLLIN, EPOLLOUT (level triggered)
 *
 * Return: 0, or a negative errno of epoll_ctl(2).
 */
int loop_add(struct loop *loop, struct loop_source *source, u32 events);

/**
 * loop_mod() - change the events of a watched descriptor
 * @loop: the loop
 * @source: a source that was added
 * @events: as for loop_add()
 *
 * Return: 0, or a negative errno of epoll_ctl(2).
 */
int loop_mod(struct loop *loop, struct loop_source *source, u32 events);

/**
 * loop_del() - stop watching a descriptor; call before closing it
 * @loop: the loop
 * @source: a source that was added
 */
void loop_del(struct loop *loop, struct loop_source *source);

/**
 * loop_timer_set() - arm a timer, again if it is armed already
 * @loop: the loop
 * @timer: with @expired filled in and zero elsewhere the first time
 * @delay: in microseconds; 0 means as soon as the loop runs
 */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, u64 delay);

/**
 * loop_timer_cancel() - disarm a timer
 * @loop: the loop
 * @timer: armed or not
 */
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer);

/**
 * loop_once() - run what is due and what is ready, waiting for it if need be
 * @loop: the loop
 * @wait: longest time to wait in milliseconds, -1 for ever
 *
 * Return: 0, or a negative errno of epoll_wait(2) other than EINTR.
 */
int loop_once(struct loop *loop, int wait);

/**
 * loop_now() - the clock of the loop
 * Return: nanoseconds of CLOCK_MONOTONIC.
 */
u64 loop_now(void);

#endif
