// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a pair of QPs: made, connected, used, ended in the middle of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tidload_churn.h"

#define MAX_BYTES	0x100000u
#define PAGE_BYTES	4096u
/* TID RDMA is agreed on in the course of the first READs. */
#define FIRST_READS	3u
/* So many complete before the moment of the end is thrown. */
#define MOST_DONE	12u
/* Longest times, seconds */
#define USE_TIME	0.5
#define GAP_TIME	0.3
#define REST_TIME	0.2

static void enter(struct life *l, enum phase to, double longest)
{
	double u = chance_unit(&l->chance);

	l->phase = to;
	l->since = clock_now();
	l->due = l->since + u * u * longest;
}

static const char *op_name(enum op op)
{
	return op == OP_READ ? "READ" : "WRITE";
}

static unsigned int in_flight(const struct conn *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < MAX_DEPTH; i++)
		n += c->slots[i].busy;
	return n;
}

static const char *state_name(struct conn *c, unsigned int hfi)
{
	static const char *const names[] = {
		"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
	};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!c->qp[hfi])
		return "destroyed";
	if (ibv_query_qp(c->qp[hfi], &attr, IBV_QP_STATE, &init) ||
	    attr.qp_state >= ARRAY_SIZE(names))
		return "unknown";
	return names[attr.qp_state];
}

static void describe(struct life *l, const char *what)
{
	struct conn *c = l->c;
	unsigned int i;

	fprintf(stderr, "tidload: %s: life %llu.%u, connection %u, phase %u",
		what, l->number, l->again, c->id, l->phase);
	for (i = 0; i < 2; i++)
		fprintf(stderr, ", HFI %u QP %x %s", i,
			c->qp[i] ? c->qp[i]->qp_num : 0, state_name(c, i));
	fprintf(stderr, "; ways %u %u, first %u; op %u, from %u%s, depth %u\n",
		l->way[0], l->way[1], l->first, l->op, l->from,
		l->both_ways ? " and the other" : "", l->depth);
}

/* What hfi1 knows of a QP, for whoever reads of a stuck one */
static void show_stats(const struct conn *c, unsigned int hfi)
{
	char path[64], line[1024], name[32];
	FILE *file;

	if (!c->qp[hfi])
		return;
	snprintf(path, sizeof(path),
		 "/sys/kernel/debug/hfi1/hfi1_%u/qp_stats", hfi);
	snprintf(name, sizeof(name), " QP %x R ", c->qp[hfi]->qp_num);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, name))
			fprintf(stderr, "tidload: HFI %u: %s", hfi, line);
	if (file)
		fclose(file);
}

/* Operations that are overdue; a wait for TIDs ends, too. */
static int check_stuck(struct fabric *f, struct life *l, double now)
{
	struct conn *c = l->c;
	unsigned int i, n = 0;
	struct slot *s;
	double since;

	for (i = 0; i < l->depth; i++) {
		s = &c->slots[i];
		since = s->posted > l->since ? s->posted : l->since;
		if (!s->busy || now - since < f->opt->deadline)
			continue;
		fprintf(stderr,
			"tidload: stuck: %s of %zu bytes from HFI %u, posted %.1f s ago\n",
			op_name(s->op), s->length,
			s->from, now - s->posted);
		n++;
	}
	if (!n)
		return 0;
	describe(l, "stuck");
	show_stats(c, 0);
	show_stats(c, 1);
	churn_add(&l->fig->stuck, n);
	return -ETIMEDOUT;
}

static enum way draw_way(struct life *l)
{
	static const enum way ways[] = {
		WAY_RESET, WAY_RESET, WAY_ERR, WAY_ERR, WAY_DESTROY,
		WAY_DESTROY, WAY_DESTROY, WAY_DEREG,
	};

	return ways[chance_of(&l->chance, ARRAY_SIZE(ways))];
}

/*
 * What is added to the ACK timeout of the command line. A peer may have to wait for
 * TIDs for 5 s before it answers a WRITE, and plain READs stand behind others that
 * wait: who asks again in vain meets a fault of hfi1's that is not about TIDs
 * (do_rc_completion() leaves s_state as it is when the last request completes while it
 * is asked for again). But what was lost has to be noticed before the deadline, and
 * hfi1 waits 64 times as long for the data of a TID RDMA READ (tid_rdma_conn_reply()).
 */
static unsigned int patience(const struct life *l, bool outages)
{
	if (l->op == OP_READ)
		return l->alone || outages ? 0 : 3;
	return outages ? 4 : 6;
}

static void draw(struct fabric *f, struct life *l)
{
	__u64 *chance = &l->chance;

	l->op = chance_of(chance, 3);
	l->both_ways = f->opt->both_ways && chance_of(chance, 2);
	l->depth = 1 + chance_of(chance, f->opt->depth);
	l->from = chance_of(chance, 2);
	l->first = chance_of(chance, 2);
	l->way[0] = draw_way(l);
	l->way[1] = draw_way(l);
	l->alone = !chance_of(chance, 16) && l->op != OP_BOTH;
	if (!chance_of(chance, 4)) {
		l->way[0] = WAY_DONE;
		l->way[1] = WAY_DONE;
		l->alone = false;
	}
	l->goal = chance_of(chance, MOST_DONE);
	l->ripe = false;
	l->ending = false;
	l->c->timeout = f->opt->timeout + patience(l, f->opt->outages);
	l->c->done = 0;
	l->c->failed = 0;
}

static int post(struct fabric *f, struct life *l, unsigned int slot)
{
	__u64 *chance = &l->chance;
	struct slot s = { 0 };
	int ret;

	s.op = l->op == OP_BOTH ? chance_of(chance, 2) : l->op;
	s.from = l->both_ways ? chance_of(chance, 2) : l->from;
	/* Three of four can be TID RDMA: whole pages, and enough of them. */
	if (chance_of(chance, 4))
		s.length = MIN_TID_BYTES + PAGE_BYTES *
			   chance_of(chance, (MAX_BYTES - MIN_TID_BYTES) /
				     PAGE_BYTES + 1);
	else
		s.length = 1 + chance_of(chance, MAX_BYTES);
	if (l->c->done < FIRST_READS) {
		s.op = OP_READ;
		s.length = PAGE_BYTES;
	}
	l->c->slots[slot] = s;
	ret = conn_post(f, l->c, slot);
	if (!ret)
		churn_add(&l->fig->posted, 1);
	return ret;
}

static int top_up(struct fabric *f, struct life *l)
{
	unsigned int i, depth = l->c->done < FIRST_READS ? 1 : l->depth;
	int ret = 0;

	for (i = 0; i < depth && !ret; i++)
		if (!l->c->slots[i].busy)
			ret = post(f, l, i);
	return ret;
}

/* Both QPs are there and in RESET. */
static int use(struct fabric *f, struct life *l)
{
	struct conn *c = l->c;
	unsigned int i;
	int ret = 0;

	draw(f, l);
	memset(c->slots, 0, sizeof(c->slots));
	for (i = 0; i < 2 && !ret; i++)
		if (!c->buf[i].mr)
			ret = buffer_register(&c->buf[i], &f->hfi[i]);
	if (!ret)
		ret = conn_connect(f, c);
	if (!ret)
		ret = top_up(f, l);
	enter(l, PHASE_USED, USE_TIME);
	return ret;
}

static int begin(struct fabric *f, struct life *l)
{
	int ret;

	if (l->fig->stop)
		return 0;
	l->number = churn_add(&l->fig->taken, 1);
	if (l->number >= f->opt->qps_total)
		return 0;
	l->chance = mix(f->opt->seed ^ mix(l->number + 1));
	if (!l->c->buf[0].map) {
		ret = conn_make_buffers(f, l->c, l->c->id, MAX_BYTES,
					l->c->id & 1);
		if (ret)
			return ret;
	}
	ret = conn_make_qps(f, l->c);
	if (ret)
		return ret;
	l->again = 0;
	churn_add(&l->fig->pairs, 1);
	return use(f, l);
}

/* Nothing may land in an HFI's memory any more: of WRITEs, of READs, or both. */
static void seal(struct life *l, unsigned int hfi, bool reads, bool writes)
{
	unsigned int i;
	struct slot *s;

	for (i = 0; i < MAX_DEPTH; i++) {
		s = &l->c->slots[i];
		if (!s->length || s->sealed || slot_target(s) != hfi)
			continue;
		if (s->op == OP_READ ? reads : writes)
			slot_seal(l->c, i);
	}
}

/* End one of the QPs. One that is in ERR still flushes its own READs. */
static int end(struct fabric *f, struct life *l, unsigned int hfi)
{
	struct conn *c = l->c;
	int ret = 0;

	l->ending = true;
	churn_add(&l->fig->ways[l->way[hfi]], 1);
	switch (l->way[hfi]) {
	case WAY_RESET:
		ret = conn_set_state(f, c, hfi, IBV_QPS_RESET);
		break;
	case WAY_DESTROY:
		conn_destroy_qp(f, c, hfi);
		break;
	case WAY_DEREG:
		ret = buffer_deregister(&c->buf[hfi]);
		if (!ret)
			ret = conn_set_state(f, c, hfi, IBV_QPS_ERR);
		break;
	default:
		ret = conn_set_state(f, c, hfi, IBV_QPS_ERR);
	}
	if (ret) {
		fprintf(stderr, "tidload: way %u of HFI %u: %s\n", l->way[hfi],
			hfi, strerror(-ret));
		describe(l, "cannot be ended");
		churn_add(&l->fig->stuck, 1);
		return ret;
	}
	seal(l, hfi, l->way[hfi] != WAY_ERR, true);
	return 0;
}

static int end_first(struct fabric *f, struct life *l)
{
	int ret;

	if (l->way[l->first] == WAY_DONE) {
		churn_add(&l->fig->ways[WAY_DONE], 2);
		enter(l, PHASE_DRAIN, 0);
		return 0;
	}
	ret = end(f, l, l->first);
	enter(l, l->alone ? PHASE_DRAIN : PHASE_HALF, GAP_TIME);
	return ret;
}

static int end_second(struct fabric *f, struct life *l)
{
	l->alone = false;
	enter(l, PHASE_DRAIN, 0);
	return end(f, l, !l->first);
}

static void rest(struct life *l)
{
	seal(l, 0, true, true);
	seal(l, 1, true, true);
	enter(l, PHASE_REST, REST_TIME);
}

/* A pair that still has both QPs may be connected anew. */
static int next(struct fabric *f, struct life *l)
{
	struct conn *c = l->c;
	unsigned int i;
	int ret;

	for (i = 0; i < MAX_DEPTH; i++)
		if (c->slots[i].length && !slot_unseal(c, i)) {
			churn_add(&l->fig->wrong, 1);
			describe(l, "landed after the end");
		}
	if (c->qp[0] && c->qp[1] && chance_of(&l->chance, 2)) {
		l->again++;
		churn_add(&l->fig->again, 1);
		ret = conn_set_state(f, c, 0, IBV_QPS_RESET);
		if (!ret)
			ret = conn_set_state(f, c, 1, IBV_QPS_RESET);
		return ret ? ret : use(f, l);
	}
	conn_destroy_qp(f, c, 0);
	conn_destroy_qp(f, c, 1);
	l->phase = PHASE_NONE;
	return 0;
}

/* The moment of the end comes some time after a number of completions. */
static int used(struct fabric *f, struct life *l, double now)
{
	if (!l->ripe && (l->ending || l->c->done >= l->goal)) {
		l->ripe = true;
		enter(l, PHASE_USED, USE_TIME);
	}
	if (l->ripe && now >= l->due)
		return end_first(f, l);
	return l->ending ? 0 : top_up(f, l);
}

/**
 * life_completed() - an operation of a life has completed
 * @f: the fabric
 * @l: the life
 * @slot: the operation
 * @status: of the completion
 */
void life_completed(struct fabric *f, struct life *l, unsigned int slot,
		    enum ibv_wc_status status)
{
	const struct slot *s = &l->c->slots[slot];
	struct churn *fig = l->fig;

	if (l->c->wrong) {
		describe(l, "wrong");
		churn_add(&fig->wrong, l->c->wrong);
		l->c->wrong = 0;
	}
	if (status == IBV_WC_SUCCESS) {
		churn_add(&fig->done, 1);
		return;
	}
	/* Of a READ nothing lands behind its completion. */
	if (s->op == OP_READ)
		slot_seal(l->c, slot);
	if (status == IBV_WC_RETRY_EXC_ERR && (l->ending || f->opt->outages)) {
		churn_add(&fig->expired, 1);
	} else if (!l->ending) {
		churn_add(&fig->failed, 1);
		fprintf(stderr,
			"tidload: failed: %s of %zu bytes from HFI %u after %.1f s: %s\n",
			op_name(s->op), s->length, s->from,
			clock_now() - s->posted, ibv_wc_status_str(status));
		describe(l, "failed");
		show_stats(l->c, 0);
		show_stats(l->c, 1);
	} else if (status == IBV_WC_WR_FLUSH_ERR) {
		churn_add(&fig->flushed, 1);
	} else {
		churn_add(&fig->refused, 1);
	}
	/* Its QP is in ERR by itself: what comes next is no surprise. */
	if (!l->ending && l->way[0] == WAY_DONE) {
		l->way[0] = WAY_ERR;
		l->way[1] = WAY_ERR;
	}
	l->ending = true;
}

/**
 * life_step() - do what is due
 * @f: the fabric
 * @l: the life
 * @now: the time
 *
 * Return: 0, -ETIMEDOUT when an operation is stuck, or what verbs answered.
 */
int life_step(struct fabric *f, struct life *l, double now)
{
	if (l->phase != PHASE_NONE && check_stuck(f, l, now))
		return -ETIMEDOUT;

	switch (l->phase) {
	case PHASE_NONE:
		return begin(f, l);
	case PHASE_USED:
		return used(f, l, now);
	case PHASE_HALF:
		return now >= l->due ? end_second(f, l) : 0;
	case PHASE_DRAIN:
		if (in_flight(l->c))
			return 0;
		if (l->alone)
			return end_second(f, l);
		rest(l);
		return 0;
	case PHASE_REST:
		return now >= l->due ? next(f, l) : 0;
	}
	return 0;
}
