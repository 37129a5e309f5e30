// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic on many connections at once, and its figures.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tidload.h"

/**
 * struct result - what a run came to
 * @seconds: from the first post to the last completion
 * @operations: completed well
 * @bytes: moved by them
 * @jain: Jain's fairness index of the operations of each QP, 1 is even
 * @qp_min: fewest operations of a QP
 * @qp_max: most operations of a QP
 * @failed: completed with an error
 * @wrong: with a wrong byte or a guard touched
 * @stuck: never completed
 * @tid_packets: TID RDMA packets received meanwhile, by HFI
 */
struct result {
	double seconds;
	__u64 operations;
	__u64 bytes;
	double jain;
	__u64 qp_min;
	__u64 qp_max;
	__u64 failed;
	__u64 wrong;
	__u64 stuck;
	__u64 tid_packets[2];
};

/* The signals that end a load are blocked, to be found pending. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool stopped(void)
{
	sigset_t set;

	return !sigpending(&set) &&
	       (sigismember(&set, SIGTERM) || sigismember(&set, SIGINT));
}

static const char *op_name(enum op op)
{
	static const char *const names[] = { "READ", "WRITE", "READ and WRITE" };

	return names[op];
}

static unsigned int busy_slots(const struct fabric *f, const struct conn *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->opt->depth; i++)
		n += c->slots[i].busy;
	return n;
}

static unsigned int all_busy(const struct fabric *f)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->n_conns; i++)
		n += busy_slots(f, &f->conns[i]);
	return n;
}

static int top_up(struct fabric *f, struct conn *c, size_t size,
		  __u64 *left)
{
	unsigned int i;
	enum op op;
	int ret;

	for (i = 0; i < f->opt->depth && *left && !c->failed; i++) {
		if (c->slots[i].busy)
			continue;
		op = f->opt->op;
		if (op == OP_BOTH)
			op = c->posted & 1 ? OP_WRITE : OP_READ;
		c->slots[i] = (struct slot){
			.op = op, .from = f->opt->requester,
			.offset = f->opt->offset, .length = size,
		};
		ret = conn_post(f, c, i);
		if (ret)
			return ret;
		--*left;
	}
	return 0;
}

/*
 * Keep every QP at its depth until @operations or @seconds are over or a
 * signal comes, then take what is still in flight. Without a completion for
 * the deadline, what is in flight counts as stuck.
 */
static int traffic(struct fabric *f, size_t size, __u64 operations,
		   double seconds)
{
	double now = clock_now(), end = now + seconds, last = now;
	__u64 left = operations ? operations : UINT64_MAX;
	unsigned int i;
	int ret;

	do {
		if (stopped() || (seconds > 0 && now >= end))
			left = 0;
		for (i = 0; i < f->n_conns; i++) {
			ret = top_up(f, &f->conns[i], size, &left);
			if (ret)
				return ret;
		}
		if (!all_busy(f))
			break;
		ret = fabric_poll(f, 0.2);
		if (ret < 0)
			return ret;
		now = clock_now();
		if (ret)
			last = now;
	} while (now - last < f->opt->deadline);
	return 0;
}

static void name_stuck(const struct fabric *f)
{
	const struct conn *c;
	unsigned int i, n;

	for (i = 0; i < f->n_conns; i++) {
		c = &f->conns[i];
		n = busy_slots(f, c);
		if (n)
			fprintf(stderr,
				"tidload: stuck: QP %u (number %u), %u operations never completed\n",
				i, c->qp[f->opt->requester]->qp_num, n);
		if (c->failed)
			fprintf(stderr,
				"tidload: failed: QP %u (number %u): %s\n",
				i, c->qp[f->opt->requester]->qp_num,
				ibv_wc_status_str(c->last_status));
	}
}

static void add_up(const struct fabric *f, struct result *r)
{
	double sum = 0, squares = 0;
	const struct conn *c;
	unsigned int i;

	r->qp_min = UINT64_MAX;
	for (i = 0; i < f->n_conns; i++) {
		c = &f->conns[i];
		sum += c->done;
		squares += (double)c->done * c->done;
		if (c->done < r->qp_min)
			r->qp_min = c->done;
		if (c->done > r->qp_max)
			r->qp_max = c->done;
		r->operations += c->done;
		r->failed += c->failed;
		r->wrong += c->wrong;
	}
	r->stuck = all_busy(f);
	r->jain = squares > 0 ? sum * sum / (f->n_conns * squares) : 0;
}

static int tid_counts(struct fabric *f, __u64 counts[2])
{
	int i, ret = 0;

	counts[0] = 0;
	counts[1] = 0;
	for (i = 0; i < 2 && !ret && f->opt->tid; i++)
		ret = fabric_tid_packets(&f->hfi[i], &counts[i]);
	return ret;
}

static int make_conns(struct fabric *f)
{
	size_t longest = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < f->opt->n_sizes; i++)
		if (f->opt->sizes[i] > longest)
			longest = f->opt->sizes[i];

	for (i = 0; i < f->opt->qps; i++) {
		f->n_conns = i + 1;
		ret = conn_make(f, &f->conns[i], i, longest, f->opt->scattered);
		if (!ret && f->opt->tid)
			ret = conn_agree_on_tid(f, &f->conns[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int all_right(const struct fabric *f, const struct result *r)
{
	return r->failed || r->wrong || r->stuck || f->strays ||
	       !r->operations ?
	       EXIT_WRONG : EXIT_OK;
}

static double rate(const struct result *r)
{
	return r->bytes / r->seconds / (1 << 20);
}

static void print_json(const struct fabric *f, const struct result *r)
{
	static const char *const ops[] = { "read", "write", "both" };
	const struct options *opt = f->opt;

	printf("{\"op\":\"%s\",\"qps\":%u,\"depth\":%u,\"size\":%zu,",
	       ops[opt->op], opt->qps, opt->depth, opt->sizes[0]);
	printf("\"scattered\":%s,\"checked\":%s,",
	       opt->scattered ? "true" : "false",
	       opt->check ? "true" : "false");
	printf("\"seconds\":%.3f,\"operations\":%llu,\"mib_per_s\":%.1f,",
	       r->seconds, r->operations, rate(r));
	printf("\"jain\":%.4f,\"qp_min\":%llu,\"qp_max\":%llu,",
	       r->jain, r->qp_min, r->qp_max);
	printf("\"longest_ms\":%.1f,\"failed\":%llu,\"wrong\":%llu,",
	       f->longest * 1000, r->failed, r->wrong);
	printf("\"stuck\":%llu,\"tid_packets\":[%llu,%llu]}\n",
	       r->stuck, r->tid_packets[0], r->tid_packets[1]);
}

static void print_text(const struct fabric *f, const struct result *r)
{
	const struct options *opt = f->opt;

	printf("load: %s of %zu bytes, %u QPs, depth %u, %s%s\n",
	       op_name(opt->op), opt->sizes[0], opt->qps, opt->depth,
	       opt->scattered ? "scattered" : "contiguous",
	       opt->check ? ", every byte checked" : "");
	printf("load: %.1f MiB/s, %llu operations in %.1f s\n", rate(r),
	       r->operations, r->seconds);
	printf("load: %llu to %llu a QP (Jain %.4f), the longest took %.1f ms\n",
	       r->qp_min, r->qp_max, r->jain, f->longest * 1000);
	printf("load: %llu failed, %llu wrong, %llu never completed\n",
	       r->failed, r->wrong, r->stuck);
	printf("load: TID RDMA packets received: %llu and %llu\n",
	       r->tid_packets[0], r->tid_packets[1]);
}

/**
 * run_load() - the load command
 * @f: an opened fabric
 *
 * Return: EXIT_OK, EXIT_WRONG when an operation failed, moved a wrong byte or
 * never completed, EXIT_SETUP when traffic could not be made.
 */
int run_load(struct fabric *f)
{
	__u64 before[2], after[2];
	struct result r = { 0 };
	double start;
	int ret;

	ret = make_conns(f);
	if (!ret)
		ret = tid_counts(f, before);
	if (ret)
		return EXIT_SETUP;

	block_signals();
	start = clock_now();
	ret = traffic(f, f->opt->sizes[0], f->opt->operations,
		      f->opt->seconds);
	r.seconds = clock_now() - start;
	if (ret || tid_counts(f, after))
		return EXIT_SETUP;

	add_up(f, &r);
	r.bytes = r.operations * f->opt->sizes[0];
	r.tid_packets[0] = after[0] - before[0];
	r.tid_packets[1] = after[1] - before[1];
	name_stuck(f);
	if (f->opt->json)
		print_json(f, &r);
	else
		print_text(f, &r);
	return all_right(f, &r);
}

/**
 * run_verify() - the verify command: each size in turn, every byte checked
 * @f: an opened fabric
 *
 * Return: EXIT_OK, EXIT_WRONG when an operation failed, moved a wrong byte or
 * never completed, EXIT_SETUP when traffic could not be made.
 */
int run_verify(struct fabric *f)
{
	__u64 before[2], after[2];
	struct result r = { 0 };
	unsigned int i;
	int ret;

	ret = make_conns(f);
	if (!ret)
		ret = tid_counts(f, before);
	if (ret)
		return EXIT_SETUP;

	for (i = 0; i < f->opt->n_sizes && !all_busy(f); i++) {
		ret = traffic(f, f->opt->sizes[i],
			      f->opt->operations * f->opt->qps, 0);
		if (ret)
			return EXIT_SETUP;
	}
	if (tid_counts(f, after))
		return EXIT_SETUP;

	add_up(f, &r);
	name_stuck(f);
	printf("verify: %s, %u sizes, %llu operations: ", op_name(f->opt->op),
	       f->opt->n_sizes, r.operations);
	printf("%llu wrong, %llu failed, %llu never completed; ", r.wrong,
	       r.failed, r.stuck);
	printf("TID RDMA packets received: %llu and %llu\n",
	       after[0] - before[0], after[1] - before[1]);
	return all_right(f, &r);
}
