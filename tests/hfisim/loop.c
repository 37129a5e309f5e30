// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"

#define NS_PER_US	1000ULL
#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

/**
 * struct loop - an event loop
 * @epoll: the epoll(7) descriptor
 * @timers: armed timers, the one that is due first in front
 */
struct loop {
	int epoll;
	struct loop_timer *timers;
};

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0) {
		free(loop);
		return NULL;
	}
	return loop;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	close(loop->epoll);
	free(loop);
}

static int loop_ctl(struct loop *loop, int op, struct loop_source *source,
		    u32 events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	return epoll_ctl(loop->epoll, op, source->fd, &event) ? -errno : 0;
}

int loop_add(struct loop *loop, struct loop_source *source, u32 events)
{
	return loop_ctl(loop, EPOLL_CTL_ADD, source, events);
}

int loop_mod(struct loop *loop, struct loop_source *source, u32 events)
{
	return loop_ctl(loop, EPOLL_CTL_MOD, source, events);
}

void loop_del(struct loop *loop, struct loop_source *source)
{
	loop_ctl(loop, EPOLL_CTL_DEL, source, 0);
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, u64 delay)
{
	struct loop_timer **at = &loop->timers;

	loop_timer_cancel(loop, timer);
	timer->deadline = loop_now() + delay * NS_PER_US;
	while (*at && (*at)->deadline <= timer->deadline)
		at = &(*at)->next;
	timer->next = *at;
	*at = timer;
}

void loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
	struct loop_timer **at = &loop->timers;

	if (!timer->deadline)
		return;
	while (*at && *at != timer)
		at = &(*at)->next;
	if (*at)
		*at = timer->next;
	timer->deadline = 0;
	timer->next = NULL;
}

static void loop_run_timers(struct loop *loop)
{
	u64 now = loop_now();

	while (loop->timers && loop->timers->deadline <= now) {
		struct loop_timer *timer = loop->timers;

		loop_timer_cancel(loop, timer);
		timer->expired(timer);
	}
}

/* the shorter of @wait and the time to the first timer, in milliseconds */
static int loop_timeout(const struct loop *loop, int wait)
{
	u64 now, left;

	if (!loop->timers)
		return wait;
	now = loop_now();
	if (loop->timers->deadline <= now)
		return 0;
	left = (loop->timers->deadline - now + NS_PER_MS - 1) / NS_PER_MS;
	if (wait >= 0 && (u64)wait < left)
		return wait;
	return left < 60000 ? (int)left : 60000;
}

int loop_once(struct loop *loop, int wait)
{
	struct loop_source *source;
	struct epoll_event event;
	int count;

	/* one event at a time: a callback may remove the source of another */
	count = epoll_wait(loop->epoll, &event, 1, loop_timeout(loop, wait));
	if (count < 0 && errno != EINTR)
		return -errno;
	if (count > 0) {
		source = event.data.ptr;
		source->ready(source, event.events);
	}
	loop_run_timers(loop);
	return 0;
}

u64 loop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NS_PER_S + (u64)now.tv_nsec;
}
