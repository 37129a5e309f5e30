// SPDX-License-Identifier: GPL-2.0
/*
 * Connections and operations on them.
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

static void complete(struct fabric *f, unsigned int hfi, const struct ibv_wc *wc)
{
	unsigned int id = wc->wr_id >> 32, slot = wc->wr_id & 0xffff;
	struct conn *c = &f->conns[id];
	struct slot *s = &c->slots[slot];
	double took;

	if (c->serial[hfi] != (__u16)(wc->wr_id >> 16) || !s->busy ||
	    s->from != hfi) {
		fprintf(stderr,
			"tidload: a completion that nobody waits for: QP %u (number %u), %s\n",
			id, wc->qp_num, ibv_wc_status_str(wc->status));
		f->strays++;
		return;
	}
	s->busy = false;
	c->last_status = wc->status;
	if (wc->status == IBV_WC_SUCCESS) {
		c->done++;
		took = clock_now() - s->posted;
		if (took > f->longest)
			f->longest = took;
		if (s->checked && !slot_right(c, slot))
			c->wrong++;
	} else {
		c->failed++;
	}
	if (f->completed)
		f->completed(c, slot, wc->status);
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
				complete(f, i, &wc[k]);
			total += n;
		} while (n == 32);
	}
	return total;
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

	for (i = 0; i < 2; i++) {
		attr.send_cq = f->hfi[i].cq;
		attr.recv_cq = f->hfi[i].cq;
		c->serial[i]++;
		c->qp[i] = ibv_create_qp(f->hfi[i].pd, &attr);
		if (!c->qp[i]) {
			fprintf(stderr, "tidload: cannot make QP %u on %s: %s\n",
				c->id, f->hfi[i].name, strerror(errno));
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * The operations that a QP had in flight are gone without a completion. What had
 * completed before is taken first, so that whatever comes later is one too many.
 */
static void forget(struct fabric *f, struct conn *c, unsigned int hfi)
{
	struct slot *s;

	drain_queues(f);
	c->serial[hfi]++;
	for (s = c->slots; s < c->slots + MAX_DEPTH; s++)
		if (s->from == hfi)
			s->busy = false;
}

/**
 * conn_destroy_qp() - destroy one QP of a connection
 * @f: the fabric
 * @c: the connection
 * @hfi: 0 or 1; nothing is done when that QP is gone already
 *
 * Its operations in flight are forgotten.
 */
void conn_destroy_qp(struct fabric *f, struct conn *c, unsigned int hfi)
{
	if (!c->qp[hfi])
		return;
	ibv_destroy_qp(c->qp[hfi]);
	c->qp[hfi] = NULL;
	forget(f, c, hfi);
}

/**
 * conn_set_state() - move one QP to RESET or ERR
 * @f: the fabric
 * @c: the connection
 * @hfi: 0 or 1
 * @state: IBV_QPS_RESET or IBV_QPS_ERR
 *
 * RESET throws operations away without a completion, so they are forgotten.
 *
 * Return: 0, -ENOENT when there is no such QP, or what verbs answered.
 */
int conn_set_state(struct fabric *f, struct conn *c, unsigned int hfi,
		   enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int ret;

	if (!c->qp[hfi])
		return -ENOENT;
	ret = ibv_modify_qp(c->qp[hfi], &attr, IBV_QP_STATE);
	if (!ret && state == IBV_QPS_RESET)
		forget(f, c, hfi);
	return -ret;
}

/* Another one each time, so that packets of a past life are not taken */
static __u32 first_psn(const struct conn *c)
{
	return mix((__u64)c->id << 32 | c->connects) & 0xffffff;
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

static int to_rts(struct conn *c, unsigned int i)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = c->timeout,
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

	c->connects++;
	for (i = 0; i < 2 && !ret; i++)
		ret = to_rtr(f, c, i);
	for (i = 0; i < 2 && !ret; i++)
		ret = to_rts(c, i);
	if (ret)
		fprintf(stderr, "tidload: cannot connect QP %u: %s\n", c->id,
			strerror(-ret));
	return ret;
}

/**
 * conn_make_buffers() - begin a connection: its memory, but no QPs yet
 * @f: the fabric
 * @c: filled in
 * @id: its number
 * @max_length: the longest transfer it will be asked for, bytes
 * @scattered: what its buffers are like, see buffer_make()
 *
 * Return: 0, or the -errno of what failed.
 */
int conn_make_buffers(struct fabric *f, struct conn *c, unsigned int id,
		      size_t max_length, bool scattered)
{
	unsigned int i;
	size_t body;
	int ret;

	if (max_length < MIN_TID_BYTES)
		max_length = MIN_TID_BYTES;
	body = max_length + f->opt->offset + PAGE_BYTES - 1;
	c->id = id;
	c->timeout = f->opt->timeout;
	c->stride = body / PAGE_BYTES * PAGE_BYTES + 2 * GUARD_BYTES;
	for (i = 0; i < 2; i++) {
		ret = buffer_make(&c->buf[i], &f->hfi[i],
				  c->stride * f->opt->depth, scattered);
		if (ret)
			return ret;
	}
	return 0;
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
	int ret;

	ret = conn_make_buffers(f, c, id, max_length, scattered);
	if (!ret)
		ret = conn_make_qps(f, c);
	return ret ? ret : conn_connect(f, c);
}

/**
 * conn_free() - give back all that a connection holds
 * @f: the fabric
 * @c: the connection, possibly made only in part
 */
void conn_free(struct fabric *f, struct conn *c)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		conn_destroy_qp(f, c, i);
		buffer_free(&c->buf[i]);
	}
}

static int post_slot(struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];
	unsigned int from = s->from;
	struct ibv_sge sge = {
		.addr = (uintptr_t)slot_data(c, from, slot),
		.length = s->length,
		.lkey = c->buf[from].mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = (__u64)c->id << 32 | (__u64)c->serial[from] << 16 |
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
 * @slot: a slot that is not busy; its op, from, offset and length say what to do
 *
 * Return: 0, -ENOENT when the QP is gone, or what verbs answered.
 */
int conn_post(struct fabric *f, struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];

	if (!c->qp[s->from])
		return -ENOENT;
	s->checked = f->opt->check;
	if (s->checked)
		slot_prepare(c, slot);
	return post_slot(c, slot);
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
	c->slots[0] = (struct slot){
		.op = OP_READ, .from = from, .length = MIN_TID_BYTES,
	};
	ret = post_slot(c, 0);
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
