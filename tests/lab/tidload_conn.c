// SPDX-License-Identifier: GPL-2.0
/*
 * Connections, operations on them, and what every byte must be.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tidload.h"

#define PAGE_BYTES	4096u
/* hfi1 advertises 16 READs in flight on a QP (init_ibport of verbs.c) */
#define MAX_READS	16u
#define RNR_TIMER	12u
#define RETRIES		7u
#define GUARD_SEED	0x5a17b0d1e5c0ffeeull
#define WORD_STEP	0x9e3779b97f4a7c15ull

static __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Bytes that depend on a seed and on their position, at any alignment */
static void pattern_fill(__u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed;
	size_t i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(p + i, &word, sizeof(word));
		word += WORD_STEP;
	}
	memcpy(p + i, &word, length - i);
}

static size_t first_wrong(const __u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed;
	size_t i;

	for (i = 0; i < length; i++) {
		if (i && i % sizeof(word) == 0)
			word += WORD_STEP;
		if (p[i] != (__u8)(word >> i % sizeof(word) * 8))
			break;
	}
	return i;
}

/* Position of the first byte that pattern_fill() would not have written */
static size_t pattern_differs(const __u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed, found, wrong = 0;
	size_t i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(&found, p + i, sizeof(found));
		wrong |= found ^ word;
		word += WORD_STEP;
	}
	if (!wrong && !memcmp(p + i, &word, length - i))
		return length;
	return first_wrong(p, length, seed);
}

/* GUARD_BYTES before and behind the transfer are ours as well */
static __u8 *slot_data(const struct conn *c, unsigned int hfi,
		       unsigned int slot)
{
	return c->buf[hfi].map + slot * c->stride + GUARD_BYTES +
	       c->slots[slot].offset;
}

/**
 * conn_make_qps() - make both QPs of a connection
 * @f: the fabric
 * @c: the connection, its QPs absent
 *
 * Return: 0, or -ENOMEM when verbs refuse one.
 */
int conn_make_qps(struct fabric *f, struct conn *c)
{
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = f->opt->depth + 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};
	unsigned int i;

	c->serial++;
	for (i = 0; i < 2; i++) {
		attr.send_cq = f->hfi[i].cq;
		attr.recv_cq = f->hfi[i].cq;
		c->qp[i] = ibv_create_qp(f->hfi[i].pd, &attr);
		if (!c->qp[i]) {
			fprintf(stderr, "tidload: cannot make QP %u on %s: %s\n",
				c->id, f->hfi[i].name, strerror(errno));
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * conn_destroy_qp() - destroy one QP of a connection
 * @c: the connection
 * @hfi: 0 or 1; nothing is done when that QP is gone already
 *
 * Its operations in flight are forgotten, late completions are ignored.
 */
void conn_destroy_qp(struct conn *c, unsigned int hfi)
{
	unsigned int i;

	if (!c->qp[hfi])
		return;
	ibv_destroy_qp(c->qp[hfi]);
	c->qp[hfi] = NULL;
	c->serial++;
	for (i = 0; i < MAX_DEPTH; i++)
		c->slots[i].busy = false;
}

/**
 * conn_set_state() - move one QP to RESET or ERR
 * @c: the connection
 * @hfi: 0 or 1
 * @state: IBV_QPS_RESET or IBV_QPS_ERR
 *
 * RESET throws operations away without a completion, so they are forgotten.
 *
 * Return: 0, -ENOENT when there is no such QP, or what verbs answered.
 */
int conn_set_state(struct conn *c, unsigned int hfi, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	unsigned int i;

	if (!c->qp[hfi])
		return -ENOENT;
	if (state == IBV_QPS_RESET) {
		c->serial++;
		for (i = 0; i < MAX_DEPTH; i++)
			c->slots[i].busy = false;
	}
	return -ibv_modify_qp(c->qp[hfi], &attr, IBV_QP_STATE);
}

/* Another one each time, so that packets of a past life are not taken */
static __u32 first_psn(const struct conn *c)
{
	return mix((__u64)c->id << 16 | c->serial) & 0xffffff;
}

static int to_rtr(struct fabric *f, struct conn *c, unsigned int i)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_WRITE,
	};
	int ret;

	ret = ibv_modify_qp(c->qp[i], &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	if (ret)
		return -ret;

	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = c->qp[!i]->qp_num,
		.rq_psn = first_psn(c),
		.max_dest_rd_atomic = MAX_READS,
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = { .dlid = f->hfi[!i].lid, .port_num = 1 },
	};
	return -ibv_modify_qp(c->qp[i], &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			      IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct fabric *f, struct conn *c, unsigned int i)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = f->opt->timeout,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
		.sq_psn = first_psn(c),
		.max_rd_atomic = MAX_READS,
	};

	return -ibv_modify_qp(c->qp[i], &attr,
			      IBV_QP_STATE | IBV_QP_TIMEOUT |
			      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/**
 * conn_connect() - bring both QPs from RESET to RTS, connected to each other
 * @f: the fabric
 * @c: the connection
 *
 * Return: 0, or what verbs answered.
 */
int conn_connect(struct fabric *f, struct conn *c)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 2 && !ret; i++)
		ret = to_rtr(f, c, i);
	for (i = 0; i < 2 && !ret; i++)
		ret = to_rts(f, c, i);
	if (ret)
		fprintf(stderr, "tidload: cannot connect QP %u: %s\n", c->id,
			strerror(-ret));
	return ret;
}

/**
 * conn_make() - make a connection, its buffers and its QPs, and connect it
 * @f: the fabric
 * @c: filled in
 * @id: its number
 * @max_length: the longest transfer it will be asked for, bytes
 * @scattered: what its buffers are like, see buffer_make()
 *
 * Return: 0, or the -errno of what failed.
 */
int conn_make(struct fabric *f, struct conn *c, unsigned int id,
	      size_t max_length, bool scattered)
{
	unsigned int i;
	size_t body;
	int ret;

	if (max_length < MIN_TID_BYTES)
		max_length = MIN_TID_BYTES;
	body = max_length + f->opt->offset + PAGE_BYTES - 1;
	c->id = id;
	c->stride = body / PAGE_BYTES * PAGE_BYTES + 2 * GUARD_BYTES;
	for (i = 0; i < 2; i++) {
		ret = buffer_make(&c->buf[i], &f->hfi[i],
				  c->stride * f->opt->depth, scattered);
		if (ret)
			return ret;
	}
	ret = conn_make_qps(f, c);
	return ret ? ret : conn_connect(f, c);
}

/**
 * conn_free() - give back all that a connection holds
 * @c: the connection, possibly made only in part
 */
void conn_free(struct conn *c)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		conn_destroy_qp(c, i);
		buffer_free(&c->buf[i]);
	}
}

/* HFI whose memory the operation writes */
static unsigned int target(struct fabric *f, enum op op)
{
	return op == OP_READ ? f->opt->requester : !f->opt->requester;
}

static void prepare(struct fabric *f, struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];
	unsigned int to = target(f, s->op);
	__u8 *dst = slot_data(c, to, slot);

	s->seed = mix((__u64)c->id << 48 ^ (__u64)slot << 40 ^
		      c->posted);
	pattern_fill(slot_data(c, !to, slot), s->length, s->seed);
	pattern_fill(dst - GUARD_BYTES, GUARD_BYTES, GUARD_SEED);
	pattern_fill(dst + s->length, GUARD_BYTES, GUARD_SEED);
}

static int post_from(struct conn *c, unsigned int slot, unsigned int from)
{
	struct slot *s = &c->slots[slot];
	struct ibv_sge sge = {
		.addr = (uintptr_t)slot_data(c, from, slot),
		.length = s->length,
		.lkey = c->buf[from].mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = (__u64)c->id << 32 | (__u64)c->serial << 16 |
			 slot,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = s->op == OP_READ ? IBV_WR_RDMA_READ :
					     IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {
			.remote_addr =
				(uintptr_t)slot_data(c, !from, slot),
			.rkey = c->buf[!from].mr->rkey,
		},
	};
	struct ibv_send_wr *bad;
	int ret;

	s->posted = clock_now();
	s->busy = true;
	ret = ibv_post_send(c->qp[from], &wr, &bad);
	if (ret) {
		s->busy = false;
		fprintf(stderr, "tidload: cannot post on QP %u: %s\n", c->id,
			strerror(ret));
		return -ret;
	}
	c->posted++;
	return 0;
}

/**
 * conn_post() - start one READ or WRITE
 * @f: the fabric
 * @c: the connection
 * @slot: a slot that is not busy
 * @op: OP_READ or OP_WRITE
 * @length: bytes, at most what conn_make() was told
 *
 * Return: 0, -ENOENT when the QP is gone, or what verbs answered.
 */
int conn_post(struct fabric *f, struct conn *c, unsigned int slot, enum op op,
	      size_t length)
{
	struct slot *s = &c->slots[slot];

	if (!c->qp[f->opt->requester])
		return -ENOENT;
	s->op = op;
	s->offset = f->opt->offset;
	s->length = length;
	s->checked = f->opt->check;
	if (s->checked)
		prepare(f, c, slot);
	return post_from(c, slot, f->opt->requester);
}

static void complain(struct conn *c, const struct slot *s, const char *what,
		     size_t at)
{
	fprintf(stderr, "tidload: wrong: QP %u, %s of %zu bytes: %s byte %zu\n",
		c->id, s->op == OP_READ ? "READ" : "WRITE", s->length, what,
		at);
}

static bool bytes_right(struct fabric *f, struct conn *c, unsigned int slot)
{
	const struct slot *s = &c->slots[slot];
	unsigned int to = target(f, s->op);
	const __u8 *src = slot_data(c, !to, slot);
	const __u8 *dst = slot_data(c, to, slot);
	size_t at;

	at = pattern_differs(dst, s->length, s->seed);
	if (at < s->length) {
		complain(c, s, "first wrong", at);
		return false;
	}
	at = pattern_differs(src, s->length, s->seed);
	if (at < s->length) {
		complain(c, s, "source changed at", at);
		return false;
	}
	at = pattern_differs(dst - GUARD_BYTES, GUARD_BYTES, GUARD_SEED);
	if (at < GUARD_BYTES) {
		complain(c, s, "guard before it changed at", at);
		return false;
	}
	at = pattern_differs(dst + s->length, GUARD_BYTES, GUARD_SEED);
	if (at < GUARD_BYTES) {
		complain(c, s, "guard behind it changed at", at);
		return false;
	}
	return true;
}

static void complete(struct fabric *f, const struct ibv_wc *wc)
{
	unsigned int id = wc->wr_id >> 32, slot = wc->wr_id & 0xffff;
	struct conn *c = &f->conns[id];
	struct slot *s = &c->slots[slot];
	double took;

	if (c->serial != (__u16)(wc->wr_id >> 16) || !s->busy)
		return;
	s->busy = false;
	c->last_status = wc->status;
	if (wc->status != IBV_WC_SUCCESS) {
		c->failed++;
		return;
	}
	c->done++;
	took = clock_now() - s->posted;
	if (took > f->longest)
		f->longest = took;
	if (s->checked && !bytes_right(f, c, slot))
		c->wrong++;
}

static int drain_queues(struct fabric *f)
{
	struct ibv_wc wc[32];
	int i, k, n, total = 0;

	for (i = 0; i < 2; i++) {
		do {
			n = ibv_poll_cq(f->hfi[i].cq, 32, wc);
			if (n < 0) {
				fprintf(stderr, "tidload: cannot poll %s\n",
					f->hfi[i].name);
				return -EIO;
			}
			for (k = 0; k < n; k++)
				complete(f, &wc[k]);
			total += n;
		} while (n == 32);
	}
	return total;
}

/**
 * fabric_poll() - take completions of both HFIs
 * @f: the fabric
 * @wait: seconds to wait for the first one
 *
 * Return: how many were taken, 0 when none came in time, or -EIO.
 */
int fabric_poll(struct fabric *f, double wait)
{
	struct pollfd fds[2];
	struct ibv_cq *cq;
	void *context;
	int i, n;

	n = drain_queues(f);
	if (n || wait <= 0)
		return n;

	for (i = 0; i < 2; i++) {
		fds[i].fd = f->hfi[i].channel->fd;
		fds[i].events = POLLIN;
		if (ibv_req_notify_cq(f->hfi[i].cq, 0))
			return -EIO;
	}
	n = drain_queues(f);
	if (n)
		return n;
	if (poll(fds, 2, wait * 1000 + 1) <= 0)
		return 0;
	for (i = 0; i < 2; i++) {
		if (!(fds[i].revents & POLLIN) ||
		    ibv_get_cq_event(f->hfi[i].channel, &cq, &context))
			continue;
		ibv_ack_cq_events(cq, 1);
	}
	return drain_queues(f);
}

static int tid_read_once(struct fabric *f, struct conn *c, unsigned int from,
			 bool *seen)
{
	__u64 before, after;
	double end = clock_now() + f->opt->deadline;
	int ret;

	ret = fabric_tid_packets(&f->hfi[from], &before);
	if (ret)
		return ret;
	c->slots[0].op = OP_READ;
	c->slots[0].checked = false;
	c->slots[0].offset = 0;
	c->slots[0].length = MIN_TID_BYTES;
	ret = post_from(c, 0, from);
	while (!ret && c->slots[0].busy) {
		if (fabric_poll(f, 0.1) < 0 || clock_now() > end)
			ret = -ETIMEDOUT;
	}
	if (ret)
		return ret;
	if (c->last_status != IBV_WC_SUCCESS) {
		fprintf(stderr, "tidload: first READ of QP %u failed: %s\n",
			c->id, ibv_wc_status_str(c->last_status));
		return -EIO;
	}
	ret = fabric_tid_packets(&f->hfi[from], &after);
	*seen = after > before;
	return ret;
}

/**
 * conn_agree_on_tid() - post READs until hfi1 uses TID RDMA for them
 * @f: the fabric
 * @c: a connection with nothing in flight
 *
 * The two ends agree on it (opfn.c of hfi1) in the course of the first READs.
 * It is done from both sides, so that both know. Nothing else may be running.
 * The counts of the connection start anew.
 *
 * Return: 0, -ETIMEDOUT when they do not agree, or the -errno of what failed.
 */
int conn_agree_on_tid(struct fabric *f, struct conn *c)
{
	double end = clock_now() + f->opt->deadline;
	unsigned int from;
	bool seen;
	int ret = 0;

	for (from = 0; from < 2 && !ret; from++) {
		do {
			ret = tid_read_once(f, c, from, &seen);
			if (!ret && !seen && clock_now() > end)
				ret = -ETIMEDOUT;
		} while (!ret && !seen);
	}
	if (ret == -ETIMEDOUT)
		fprintf(stderr,
			"tidload: QP %u does not use TID RDMA: load hfi1 with cap_mask=0x4C09009CBBA\n",
			c->id);
	c->done = 0;
	c->failed = 0;
	c->posted = 0;
	f->longest = 0;
	return ret;
}
