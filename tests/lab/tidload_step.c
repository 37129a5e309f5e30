// SPDX-License-Identifier: GPL-2.0
/*
 * The step command: QPs are made, used and destroyed one line at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tidload.h"

#define MAX_WORDS	8

/**
 * struct range - some connections
 * @first: the first of them
 * @last: the last of them
 */
struct range {
	unsigned int first;
	unsigned int last;
};

/**
 * struct step - one command of the step protocol
 * @name: its first word
 * @usage: its arguments
 * @words: how many words it takes at least, its name and the range included
 * @run: does it, and prints the answer unless it returns an error
 */
struct step {
	const char *name;
	const char *usage;
	int words;
	int (*run)(struct fabric *f, struct range r, char **words);
};

static void answer(const char *text)
{
	printf("%s\n", text);
}

static int step_make(struct fabric *f, struct range r, char **words)
{
	bool scattered = f->opt->scattered;
	struct conn *c;
	unsigned int i;
	size_t size;
	int ret;

	if (parse_size(words[2], &size))
		return -EINVAL;
	if (words[3]) {
		scattered = !strcmp(words[3], "scattered");
		if (!scattered && strcmp(words[3], "contiguous"))
			return -EINVAL;
	}
	for (i = r.first; i <= r.last; i++) {
		c = &f->conns[i];
		if (c->buf[0].map)
			return -EEXIST;
		ret = conn_make(f, c, i, size, scattered);
		if (!ret && f->opt->tid)
			ret = conn_agree_on_tid(f, c);
		if (ret)
			return ret;
	}
	answer("ok");
	return 0;
}

static int free_slot(const struct fabric *f, const struct conn *c)
{
	unsigned int i;

	for (i = 0; i < f->opt->depth; i++)
		if (!c->slots[i].busy)
			return i;
	return -EBUSY;
}

static int which_hfi(const char *word)
{
	if (!strcmp(word, "0") || !strcmp(word, "1"))
		return word[0] - '0';
	return -EINVAL;
}

static int step_post(struct fabric *f, struct range r, char **words)
{
	enum op op = strcmp(words[2], "read") ? OP_WRITE : OP_READ;
	int slot, ret, from = f->opt->requester;
	struct conn *c;
	unsigned int i;
	size_t size;

	if (op == OP_WRITE && strcmp(words[2], "write"))
		return -EINVAL;
	if (parse_size(words[3], &size))
		return -EINVAL;
	if (words[4])
		from = which_hfi(words[4]);
	if (from < 0)
		return from;
	for (i = r.first; i <= r.last; i++) {
		c = &f->conns[i];
		if (size + f->opt->offset + 2 * GUARD_BYTES > c->stride)
			return -EMSGSIZE;
		slot = free_slot(f, c);
		if (slot < 0)
			return slot;
		c->slots[slot] = (struct slot){
			.op = op, .from = from,
			.offset = f->opt->offset, .length = size,
		};
		ret = conn_post(f, c, slot);
		if (ret)
			return ret;
	}
	answer("ok");
	return 0;
}

static unsigned int pending(const struct fabric *f, struct range r)
{
	unsigned int i, k, n = 0;

	for (i = r.first; i <= r.last; i++)
		for (k = 0; k < f->opt->depth; k++)
			n += f->conns[i].slots[k].busy;
	return n;
}

static int step_wait(struct fabric *f, struct range r, char **words)
{
	double end = clock_now() + strtod(words[2], NULL);
	__u64 done = 0, failed = 0, wrong = 0;
	unsigned int i;
	int ret;

	do {
		ret = fabric_poll(f, pending(f, r) ? 0.1 : 0);
		if (ret < 0)
			return ret;
	} while (pending(f, r) && clock_now() < end);

	for (i = r.first; i <= r.last; i++) {
		done += f->conns[i].done;
		failed += f->conns[i].failed;
		wrong += f->conns[i].wrong;
	}
	printf("ok done %llu failed %llu wrong %llu pending %u\n", done,
	       failed, wrong, pending(f, r));
	return 0;
}

static int step_state(struct fabric *f, struct range r, char **words)
{
	int hfi = which_hfi(words[2]), ret;
	enum ibv_qp_state state;
	unsigned int i;

	if (!strcmp(words[3], "err"))
		state = IBV_QPS_ERR;
	else if (!strcmp(words[3], "reset"))
		state = IBV_QPS_RESET;
	else
		return -EINVAL;
	if (hfi < 0)
		return hfi;
	for (i = r.first; i <= r.last; i++) {
		ret = conn_set_state(f, &f->conns[i], hfi, state);
		if (ret)
			return ret;
	}
	answer("ok");
	return 0;
}

static int step_connect(struct fabric *f, struct range r, char **words)
{
	struct conn *c;
	unsigned int i;
	int ret = 0;

	(void)words;
	for (i = r.first; i <= r.last; i++) {
		c = &f->conns[i];
		if (!c->buf[0].map)
			return -ENOENT;
		if (!c->qp[0] || !c->qp[1]) {
			conn_destroy_qp(f, c, 0);
			conn_destroy_qp(f, c, 1);
			ret = conn_make_qps(f, c);
		}
		if (!ret)
			ret = conn_connect(f, c);
		if (!ret && f->opt->tid)
			ret = conn_agree_on_tid(f, c);
		if (ret)
			return ret;
	}
	answer("ok");
	return 0;
}

static int step_destroy(struct fabric *f, struct range r, char **words)
{
	int hfi = which_hfi(words[2]);
	unsigned int i;

	if (hfi < 0)
		return hfi;
	for (i = r.first; i <= r.last; i++)
		conn_destroy_qp(f, &f->conns[i], hfi);
	answer("ok");
	return 0;
}

static int step_number(struct fabric *f, struct range r, char **words)
{
	int hfi = which_hfi(words[2]);

	if (hfi < 0)
		return hfi;
	if (!f->conns[r.first].qp[hfi])
		return -ENOENT;
	printf("ok %u\n", f->conns[r.first].qp[hfi]->qp_num);
	return 0;
}

static const struct step steps[] = {
	{ "make", "QPS SIZE [scattered|contiguous]", 3, step_make },
	{ "post", "QPS read|write SIZE [HFI]", 4, step_post },
	{ "wait", "QPS SECONDS", 3, step_wait },
	{ "state", "QPS HFI err|reset", 4, step_state },
	{ "connect", "QPS", 2, step_connect },
	{ "destroy", "QPS HFI", 3, step_destroy },
	{ "number", "QP HFI", 3, step_number },
};

static int parse_range(const struct fabric *f, const char *text,
		       struct range *r)
{
	char *end;

	r->first = strtoul(text, &end, 10);
	r->last = r->first;
	if (*end == '-')
		r->last = strtoul(end + 1, &end, 10);
	if (end == text || *end || r->last < r->first ||
	    r->last >= f->n_conns)
		return -ERANGE;
	return 0;
}

static void one_step(struct fabric *f, char **words, int n)
{
	const struct step *s = NULL;
	struct range r;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(steps); i++)
		if (!strcmp(words[0], steps[i].name))
			s = &steps[i];
	if (!s) {
		printf("error no such command: %s\n", words[0]);
		return;
	}
	if (n < s->words) {
		printf("error usage: %s %s\n", s->name, s->usage);
		return;
	}
	ret = parse_range(f, words[1], &r);
	if (ret) {
		printf("error %s is no QP or FIRST-LAST below %u (see --qps)\n",
		       words[1], f->n_conns);
		return;
	}
	ret = s->run(f, r, words);
	if (ret == -EINVAL)
		printf("error usage: %s %s\n", s->name, s->usage);
	else if (ret)
		printf("error %s %s: %s\n", s->name, words[1], strerror(-ret));
}

/**
 * run_step() - the step command: read commands, answer each with one line
 * @f: an opened fabric
 *
 * The answer starts with "ok" or "error". Ends at "quit" or end of input.
 *
 * Return: EXIT_OK, or EXIT_WRONG if any byte was wrong or an operation completed
 * twice.
 */
int run_step(struct fabric *f)
{
	char *words[MAX_WORDS + 1], line[256];
	unsigned int i;
	bool wrong;
	int n;

	f->n_conns = f->opt->qps;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		n = 0;
		words[0] = strtok(line, " \t\n");
		while (words[n] && n < MAX_WORDS)
			words[++n] = strtok(NULL, " \t\n");
		if (!n)
			continue;
		if (!strcmp(words[0], "quit"))
			break;
		one_step(f, words, n);
	}
	wrong = f->strays;
	for (i = 0; i < f->n_conns; i++)
		wrong |= f->conns[i].wrong;
	return wrong ? EXIT_WRONG : EXIT_OK;
}
