/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tidload: verbs traffic between the two HFIs of one guest.
 */
#ifndef TIDLOAD_H
#define TIDLOAD_H

#include <infiniband/verbs.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum {
	EXIT_OK,
	EXIT_WRONG,
	EXIT_USAGE,
	EXIT_SETUP,
};

/* Bytes before and behind a transfer that must stay as they were. */
#define GUARD_BYTES	8192u
/* Shorter READs and WRITEs never use TID RDMA (hfi1_setup_tid_rdma_wqe) */
#define MIN_TID_BYTES	(256u << 10)
#define MAX_DEPTH	64u
#define MAX_QPS		4096u

enum op { OP_READ, OP_WRITE, OP_BOTH };

/**
 * struct options - what the command line asks for
 * @op: READ, WRITE, or both in turn
 * @qps: connections, each with one QP on either HFI
 * @depth: operations in flight on each QP
 * @sizes: bytes of an operation, @n_sizes of them; load uses the first
 * @n_sizes: how many sizes were given
 * @offset: bytes by which both ends of a transfer leave page alignment
 * @scattered: no two neighbouring pages of a buffer are physically adjacent;
 *	otherwise each 2 MiB of it are one piece
 * @requester: 0 or 1, the HFI that posts; the other one answers
 * @operations: stop after so many operations in all, 0 for no such limit
 * @seconds: stop after so long, 0 for no such limit
 * @check: hold every byte and the guards around it against what must be there
 * @tid: wait for TID RDMA to be agreed on before the first operation
 * @timeout: ACK timeout of the QPs, 4.096 us << @timeout
 * @deadline: seconds without a completion after which operations count as stuck
 * @json: print load's result as one line of JSON
 * @seed: what churn's decisions come from
 * @qps_total: pairs of QPs that churn makes
 * @kill: processes that churn kills and starts anew, 0 for none
 * @both_ways: the QPs of a pair both post
 * @outages: the link may be gone for longer than a QP asks again
 */
struct options {
	enum op op;
	unsigned int qps;
	unsigned int depth;
	size_t sizes[32];
	unsigned int n_sizes;
	size_t offset;
	bool scattered;
	unsigned int requester;
	__u64 operations;
	double seconds;
	bool check;
	bool tid;
	unsigned int timeout;
	double deadline;
	bool json;
	__u64 seed;
	unsigned int qps_total;
	unsigned int kill;
	bool outages;
	bool both_ways;
};

/**
 * struct hfi - one opened HFI
 * @name: its verbs device name
 * @stats: path of hfi1's opcode_stats in debugfs
 * @ctx: verbs context
 * @pd: protection domain of everything on it
 * @channel: wakes up the program when @cq gets a completion
 * @cq: completion queue of all its QPs
 * @lid: LID of port 1
 */
struct hfi {
	char name[64];
	char stats[256];
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	__u16 lid;
};

/**
 * struct buffer - memory that one end of a connection reads or writes
 * @map: start of the mapping, 2 MiB aligned
 * @length: bytes mapped and registered
 * @mr: its registration, NULL once given back
 */
struct buffer {
	__u8 *map;
	size_t length;
	struct ibv_mr *mr;
};

/**
 * struct slot - one operation that a connection may have in flight
 * @busy: posted and not completed
 * @checked: its bytes and guards were laid out, and are looked at when it ends
 * @sealed: nothing may land where it wrote to, see slot_seal()
 * @op: OP_READ or OP_WRITE
 * @from: 0 or 1, the HFI that posts it
 * @offset: bytes from a page boundary to its first byte
 * @length: bytes of the transfer
 * @seed: what the pattern of this operation starts from
 * @posted: when it was posted, seconds of the monotonic clock
 */
struct slot {
	bool busy;
	bool checked;
	bool sealed;
	enum op op;
	unsigned int from;
	size_t offset;
	size_t length;
	__u64 seed;
	double posted;
};

/**
 * struct conn - a pair of connected RC QPs, one on each HFI
 * @id: its number, 0 for the first
 * @serial: of its QPs, by HFI: another one after a reset or a destroy, so that a
 *	completion of what is gone is told apart
 * @connects: how often its QPs were connected
 * @timeout: ACK timeout of its QPs, 4.096 us << @timeout
 * @qp: the QPs, by HFI
 * @buf: the buffers, by HFI
 * @stride: bytes from one slot to the next in a buffer
 * @slots: operations in flight
 * @posted: operations posted so far
 * @done: operations completed well
 * @failed: operations completed with an error
 * @wrong: operations that moved a wrong byte or touched a guard
 * @last_status: of the last completion
 */
struct conn {
	unsigned int id;
	__u16 serial[2];
	__u32 connects;
	unsigned int timeout;
	struct ibv_qp *qp[2];
	struct buffer buf[2];
	size_t stride;
	struct slot slots[MAX_DEPTH];
	__u64 posted;
	__u64 done;
	__u64 failed;
	__u64 wrong;
	enum ibv_wc_status last_status;
};

/**
 * struct fabric - the two HFIs and every connection between them
 * @opt: the command line
 * @hfi: the devices, in the order of their PCI addresses
 * @conns: connections, @n_conns of them
 * @n_conns: how many there are
 * @longest: longest time from post to completion, seconds
 * @strays: completions of what was not in flight
 * @completed: told of each completion, if it is there
 */
struct fabric {
	const struct options *opt;
	struct hfi hfi[2];
	struct conn *conns;
	unsigned int n_conns;
	double longest;
	__u64 strays;
	void (*completed)(struct conn *c, unsigned int slot,
			  enum ibv_wc_status status);
};

double clock_now(void);
int fabric_open(struct fabric *f, const struct options *opt);
int fabric_tid_packets(const struct hfi *h, __u64 *packets);
int buffer_make(struct buffer *b, struct hfi *h, size_t length, bool scattered);
int buffer_register(struct buffer *b, struct hfi *h);
int buffer_deregister(struct buffer *b);
void buffer_free(struct buffer *b);

__u64 mix(__u64 x);
__u8 *slot_data(const struct conn *c, unsigned int hfi, unsigned int slot);
unsigned int slot_target(const struct slot *s);
void slot_prepare(struct conn *c, unsigned int slot);
bool slot_right(struct conn *c, unsigned int slot);
void slot_seal(struct conn *c, unsigned int slot);
bool slot_unseal(struct conn *c, unsigned int slot);

int conn_make_buffers(struct fabric *f, struct conn *c, unsigned int id,
		      size_t max_length, bool scattered);
int conn_make(struct fabric *f, struct conn *c, unsigned int id,
	      size_t max_length, bool scattered);
int conn_make_qps(struct fabric *f, struct conn *c);
void conn_destroy_qp(struct fabric *f, struct conn *c, unsigned int hfi);
int conn_connect(struct fabric *f, struct conn *c);
int conn_set_state(struct fabric *f, struct conn *c, unsigned int hfi,
		   enum ibv_qp_state state);
void conn_free(struct fabric *f, struct conn *c);
int conn_agree_on_tid(struct fabric *f, struct conn *c);
int conn_post(struct fabric *f, struct conn *c, unsigned int slot);
int fabric_poll(struct fabric *f, double wait);

int parse_size(const char *text, size_t *size);
int run_verify(struct fabric *f);
int run_load(struct fabric *f);
int run_step(struct fabric *f);
int run_churn(struct fabric *f);

#endif
