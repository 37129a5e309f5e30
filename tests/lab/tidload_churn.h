/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The churn command: lives of pairs of QPs, in processes that may be killed.
 */
#ifndef TIDLOAD_CHURN_H
#define TIDLOAD_CHURN_H

#include "tidload.h"

#define MAX_PROCESSES	16u

/**
 * enum way - how the life of a QP ends
 * @WAY_DONE: all that it had in flight completes first
 * @WAY_RESET: it is reset
 * @WAY_ERR: it is moved to ERR
 * @WAY_DESTROY: it is destroyed
 * @WAY_DEREG: its memory is deregistered, which moves it to ERR
 * @WAYS: how many there are
 */
enum way {
	WAY_DONE,
	WAY_RESET,
	WAY_ERR,
	WAY_DESTROY,
	WAY_DEREG,
	WAYS,
};

/**
 * struct churn - what all processes have done; in memory that they share
 * @taken: lives that have begun, or were asked for after the last one
 * @pairs: pairs of QPs made
 * @again: pairs that were reset and connected anew
 * @ways: QPs by the way in which they ended
 * @posted: operations posted
 * @done: completed well
 * @flushed: completed with WR_FLUSH_ERR, after their QP had ended
 * @expired: completed since the peer did not answer
 * @refused: completed with another error, after the peer had ended
 * @failed: completed with an error, although neither QP had ended
 * @wrong: moved a wrong byte, or a byte landed after the end
 * @strays: completions of what was not in flight
 * @stuck: operations that never completed, and calls that never returned
 * @stop: no new lives: something is wrong already
 */
struct churn {
	__u64 taken;
	__u64 pairs;
	__u64 again;
	__u64 ways[WAYS];
	__u64 posted;
	__u64 done;
	__u64 flushed;
	__u64 expired;
	__u64 refused;
	__u64 failed;
	__u64 wrong;
	__u64 strays;
	__u64 stuck;
	bool stop;
};

/**
 * enum phase - where in its life a pair of QPs is
 * @PHASE_NONE: there is none
 * @PHASE_USED: it is used until the moment of its end has come
 * @PHASE_HALF: one of the two has ended, the other one does not know
 * @PHASE_DRAIN: operations in flight are awaited
 * @PHASE_REST: nothing may land any more
 */
enum phase {
	PHASE_NONE,
	PHASE_USED,
	PHASE_HALF,
	PHASE_DRAIN,
	PHASE_REST,
};

/**
 * struct life - a pair of QPs, from its making to its end; then the next one
 * @c: the connection
 * @fig: where everything is counted
 * @number: of this life, from 0
 * @chance: state of its random numbers, which depend on the seed and @number
 * @phase: where it is
 * @since: when it came there, seconds of the monotonic clock
 * @due: when it is to leave
 * @op: what it does: READs, WRITEs or both
 * @both_ways: both HFIs post
 * @depth: operations in flight
 * @from: the HFI that posts, unless both do
 * @first: the HFI whose QP ends first
 * @way: how the QPs end, by HFI
 * @again: how often the pair has been connected anew
 * @goal: operations that complete before the moment of the end is settled
 * @ripe: they have
 * @alone: the second QP is left to find out by itself
 * @ending: one of the QPs has ended
 */
struct life {
	struct conn *c;
	struct churn *fig;
	__u64 number;
	__u64 chance;
	enum phase phase;
	double since;
	double due;
	enum op op;
	bool both_ways;
	unsigned int depth;
	unsigned int from;
	unsigned int first;
	enum way way[2];
	unsigned int again;
	__u64 goal;
	bool ripe;
	bool alone;
	bool ending;
};

int life_step(struct fabric *f, struct life *l, double now);
void life_completed(struct fabric *f, struct life *l, unsigned int slot,
		    enum ibv_wc_status status);

static inline __u64 churn_add(__u64 *counter, __u64 n)
{
	return __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* A number between 0 and 1 */
static inline double chance_unit(__u64 *chance)
{
	*chance += 0x9e3779b97f4a7c15ull;
	return (mix(*chance) >> 11) / (double)(1ull << 53);
}

/* 0 to @n - 1 */
static inline unsigned int chance_of(__u64 *chance, unsigned int n)
{
	return chance_unit(chance) * n;
}

#endif
