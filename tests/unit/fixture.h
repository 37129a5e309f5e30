/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_FIXTURE_H
#define TID_UNIT_FIXTURE_H

#include <linux/completion.h>
#include <linux/prandom.h>
#include <linux/workqueue.h>

#include "../../include/hfi1.h"
#include "../../tid_wait.h"
#include "../../tid_flow.h"
#include "../../tid_rdma.h"
#include "../../tid_retry.h"
#include "fake_hw.h"
#include "ktap.h"

#define FX_MAX_QPS	64
#define FX_CTXT		2	/* the context under test */
#define FX_MAX_GROUPS	64
#define FX_TID_BASE	136	/* its first RcvArray entry */
#define FX_SEG_PAGES	64	/* the largest segment, 256 KiB */
#define FX_MAX_PAGES	(6 * FX_SEG_PAGES)
#define FX_RING		8	/* flows of a request's ring */
#define FX_NO_FLOW	32	/* "has no flow", also "no preferred flow" */
#define FX_SLOTS	4	/* slots of a send queue */
#define FX_ENTRIES	5	/* most requests of its peer that a QP keeps */
#define FX_NEXT_PSN	0x1000	/* all before it is sent */

struct fx;

/**
 * struct fx_peer - the requests of a QP's peer
 * @entries: as rdmavt has them, and one more that nobody may look at
 * @privs: hfi1's part of each
 * @flows: their rings
 */
struct fx_peer {
	struct rvt_ack_entry entries[FX_ENTRIES + 1];
	struct hfi1_ack_priv privs[FX_ENTRIES + 1];
	struct tid_rdma_flow flows[FX_ENTRIES + 1][FX_RING];
};

/**
 * struct fx_qp - a fake QP with one request and a buffer to receive into
 * @fx: the device
 * @qp: rdmavt's part
 * @priv: hfi1's part
 * @wqe: the send queue; the request is in slot 0, posted and sent
 * @swqe: hfi1's part of it, FX_SLOTS of them
 * @req: the request
 * @remote: what the peer told of itself
 * @peer: its requests, of a QP that keeps any
 * @ss: where in the buffer the next segment begins
 * @mr: memory region over the buffer
 * @pages: the buffer: indices in the arena
 * @npages: pages in it
 * @seg_pages: pages in a segment
 * @done: segments set up since the request was posted
 * @scheduled: times the send engine was asked for through schedule_send
 * @ran: times it was run directly, from the wakeup's work item
 * @tid_leg: times the TID leg of the send engine ran
 * @restarts: times hfi1 was told to send again
 * @restart_psn: from where, the last time
 * @restart_wait: whether to wait after one packet, the last time
 * @failed: times a request was to be ended since it cannot be served
 * @engine: a send engine on the work queue, for tests that want one
 * @want: what a test's own send engine still has to do
 */
struct fx_qp {
	struct fx *fx;
	struct rvt_qp *qp;
	struct hfi1_qp_priv *priv;
	struct rvt_swqe *wqe;
	struct hfi1_swqe_priv *swqe;
	struct tid_rdma_request *req;
	struct tid_rdma_params remote;
	struct fx_peer *peer;
	struct rvt_sge_state ss;
	struct rvt_mregion *mr;
	u16 pages[FX_MAX_PAGES];
	u32 npages;
	u32 seg_pages;
	u32 done;
	atomic_t scheduled;
	atomic_t ran;
	atomic_t tid_leg;
	u32 restarts;
	u32 restart_psn;
	int restart_wait;
	u32 failed;
	struct work_struct engine;
	u32 want;
};

/**
 * struct fx - a fake device with contexts and QPs
 * @test: the case that uses it
 * @hw: its chip
 * @pdev: its PCI device
 * @dma_mask: of @pdev
 * @dd: hfi1's device
 * @ppd: its port
 * @rcd: the context under test
 * @rcds: all of them, by number
 * @ngroups: TID groups of @rcd
 * @qps: the QPs
 * @nqps: how many
 * @run: what a send engine does when it runs; default: nothing
 * @rnd: random numbers
 * @gate: work that keeps the work queue busy while the gate is shut
 * @gate_shut: the work queue is held
 * @gate_open: let it go
 * @shut: whether the gate is shut
 * @lock_errors: calls into hfi1 with the wrong locks held
 * @check_locks: look for them; only right while one thread is at work
 */
struct fx {
	struct ktap_test *test;
	struct fake_hw *hw;
	struct pci_dev *pdev;
	u64 dma_mask;
	struct hfi1_devdata *dd;
	struct hfi1_pportdata *ppd;
	struct hfi1_ctxtdata *rcd;
	struct hfi1_ctxtdata *rcds[FAKE_CTXTS];
	u32 ngroups;
	struct fx_qp *qps[FX_MAX_QPS];
	u32 nqps;
	void (*run)(struct fx_qp *q);
	struct rnd_state rnd;
	struct work_struct gate;
	struct completion gate_shut;
	struct completion gate_open;
	bool shut;
	atomic_t lock_errors;
	bool check_locks;
};

int fx_init(struct ktap_test *test);
void fx_exit(struct ktap_test *test);
void fx_set_groups(struct fx *fx, u32 ngroups);
u32 fx_random(struct fx *fx, u32 ceiling);

void fx_shut_gate(struct fx *fx);
void fx_open_gate(struct fx *fx);
void fx_settle(struct fx *fx);

struct fx_qp *fx_qp_create(struct fx *fx);
void fx_keep_requests(struct fx_qp *q, u32 entries);
struct rvt_swqe *fx_slot(struct fx_qp *q, u32 slot);
void fx_qp_destroy(struct fx_qp *q);
void fx_stop_kmem_wait(struct fx_qp *q);
void fx_qp_leave(struct fx_qp *q);
void fx_qp_reset(struct fx_qp *q);
bool fx_woken(struct fx_qp *q);
void fx_forget_wakeups(struct fx_qp *q);
bool fx_run_wakeup(struct fx_qp *q);
u32 fx_run_wait_list(struct fx *fx);

void fx_post_pages(struct fx_qp *q, u32 seg_pages);
void fx_post_contiguous(struct fx_qp *q, u32 nsegs, u32 seg_pages);
void fx_post_scattered(struct fx_qp *q, u32 nsegs, u32 seg_pages);
struct fx_qp *fx_scattered(struct fx *fx, u32 nsegs, u32 seg_pages);
void fx_post_random(struct fx_qp *q, u32 nsegs, u32 seg_pages);

int fx_take_flow(struct fx_qp *q);
void fx_give_flow(struct fx_qp *q);
int fx_setup(struct fx_qp *q);
int fx_clear(struct fx_qp *q);
void fx_clear_all(struct fx_qp *q);
void fx_flush(struct fx_qp *q);
struct fx_qp *fx_taker(struct fx *fx);
struct fx_qp *fx_waiters(struct fx *fx, struct fx_qp **q, u32 n, u32 pages);
void fx_take_all_flows(struct fx *fx, struct fx_qp **takers);

struct fx_qp *fx_of(struct rvt_qp *qp);
struct tid_queue *fx_queue_of(struct fx_qp *q);
u32 fx_queue_length(struct tid_queue *queue);
u32 fx_free_tids(struct fx *fx);
u32 fx_free_flows(struct fx *fx);
u32 fx_live_segments(struct fx_qp *q);
struct tid_rdma_flow *fx_segment(struct fx_qp *q, u32 nth);

#endif /* TID_UNIT_FIXTURE_H */
