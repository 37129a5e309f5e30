// SPDX-License-Identifier: GPL-2.0
// Each field of hfi1 that the module writes is written only by the files that own
// it: the queues by tid_wait.c, flows by tid_flow.c, segments and their TIDs by
// tid_rdma.c, where an engine goes on by tid_read.c and tid_retry.c, what a peer has
// told by tid_params.c. The README's "What is where"
// states who does what, this table which fields that means:
//
//	tid_wait.c	tid_wait, tid_enqueue, enqueue, dequeue, queue_head,
//			n_tidwait, HFI1_S_WAIT_TID_SPACE in s_flags
//	tid_flow.c	flow_mask, flows[].generation, struct tid_flow_state;
//			tid_rdma.c moves its psn on
//	tid_rdma.c	npagesets, pagesets, tnode, tnode_cnt, tid_entry, tidcnt,
//			npkts, setup_head, clear_tail, isge, flows, flow_state of a
//			segment, mapped, map and used of a group
//	tid_read.c	where a READ goes on: s_state, s_num_rd_atomic,
//			pending_tid_r_segs, ack_pending, s_next_psn, cur_seg, flow_idx,
//			isge; the IB PSNs in flow_state of a segment
//	tid_params.c	local, remote, pkts_ps, timeout_shift, tid_timer_timeout_jiffies;
//			what a request begins with, and its ring
//	tid_fail.c	n_flows
//	tid_retry.c	s_psn, s_state, s_num_rd_atomic, r_flags, psn and lpsn of a
//			wqe, pending_tid_r_segs, ack_pending, s_next_psn, cur_seg,
//			flow_idx, r_tid_ack, ack_seg, acked_tail, resync,
//			r_next_psn_kdeth, r_next_psn_kdeth_save; tid_reset.c gives
//			those of hfi1_qp_priv their first values; clear_tail of a
//			READ of the peer's
//	include/hfi1_rcvarray.h
//			tid_group_list, tid_used_list, tid_full_list, and only
//			tid_rdma.c moves groups between them

@wait_field depends on !(file in "tid_wait.c")@
identifier fld = { tid_enqueue, enqueue, dequeue, n_tidwait };
expression E, F;
assignment operator aop;
@@
(
* \(E->fld\|E.fld\)
  aop F
|
* \(E->fld\|E.fld\)++
|
* \(E->fld\|E.fld\)--
)

@wait_list depends on !(file in "tid_wait.c")@
identifier fn =~ "^\(__\)?list_\(add\|del\|move\|replace\|splice\|cut\|swap\|rotate\)\|^INIT_LIST_HEAD$";
identifier fld = { tid_wait, queue_head };
expression E;
@@
* fn
  (..., \(&E->fld\|&E.fld\), ...)

@wait_flag depends on !(file in "tid_wait.c")@
expression E;
assignment operator aop;
@@
* \(E->s_flags\|E.s_flags\)
  aop <+... HFI1_S_WAIT_TID_SPACE ...+>

@flow_field depends on !(file in "tid_flow.c")@
expression E, F;
assignment operator aop;
@@
(
* \(E->flow_mask\|E.flow_mask\)
  aop F
|
* \(E->flow_mask\|E.flow_mask\)++
|
* \(E->flow_mask\|E.flow_mask\)--
)

@flow_generation depends on !(file in "tid_flow.c")@
expression E, F, I;
assignment operator aop;
@@
(
* \(E->flows[I].generation\|E.flows[I].generation\)
  aop F
|
* \(E->flows[I].generation\|E.flows[I].generation\)++
|
* \(E->flows[I].generation\|E.flows[I].generation\)--
)

@flow_state_field depends on !(file in "tid_flow.c")@
struct tid_flow_state *fs;
identifier fld != psn;
expression F;
assignment operator aop;
@@
(
* fs->fld
  aop F
|
* fs->fld++
|
* fs->fld--
)

@flow_state_psn depends on !(file in "tid_flow.c") && !(file in "tid_rdma.c")@
struct tid_flow_state *fs;
expression F;
assignment operator aop;
@@
(
* fs->psn
  aop F
|
* fs->psn++
|
* fs->psn--
)

@flow_state_of_any depends on !(file in "tid_flow.c") && !(file in "tid_rdma.c")@
identifier fld != { ib_spsn, ib_lpsn };
expression E, F;
assignment operator aop;
@@
(
* \(E->flow_state.fld\|E.flow_state.fld\)
  aop F
|
* \(E->flow_state.fld\|E.flow_state.fld\)++
|
* \(E->flow_state.fld\|E.flow_state.fld\)--
)

@segment_field depends on !(file in "tid_rdma.c") && !(file in "tid_params.c")@
identifier fld = { npagesets, tnode_cnt, tidcnt, npkts, setup_head, flows,
		   mapped };
expression E, F;
assignment operator aop;
@@
(
* \(E->fld\|E.fld\)
  aop F
|
* \(E->fld\|E.fld\)++
|
* \(E->fld\|E.fld\)--
)

@segment_place depends on !(file in "tid_rdma.c") && !(file in "tid_read.c")@
expression E, F;
assignment operator aop;
@@
(
* \(E->isge\|E.isge\)
  aop F
|
* \(E->flow_state.ib_spsn\|E->flow_state.ib_lpsn\)
  aop F
)

@segment_tail depends on !(file in "tid_rdma.c") && !(file in "tid_retry.c") && !(file in "tid_params.c")@
expression E, F;
assignment operator aop;
@@
(
* \(E->clear_tail\|E.clear_tail\)
  aop F
|
* \(E->clear_tail\|E.clear_tail\)++
)

@segment_array depends on !(file in "tid_rdma.c") && !(file in "tid_params.c")@
identifier fld = { pagesets, tnode, tid_entry }, sub;
expression E, F, I;
assignment operator aop;
@@
(
* \(E->fld\|E.fld\)[I]
  aop F
|
* \(E->fld\|E.fld\)[I].sub
  aop F
)

@segment_whole depends on !(file in "tid_rdma.c")@
identifier fld = { flow_state, pagesets, tnode, tid_entry };
identifier fn =~ "^mem\(set\|cpy\|move\)$";
expression E;
@@
* fn
  (\(&E->fld\|E->fld\|E->fld[...]\|&E->fld[...]\), ...)

@read_field depends on !(file in "tid_retry.c") && !(file in "tid_reset.c") && !(file in "tid_read.c") && !(file in "tid_params.c")@
identifier fld = { s_state, s_num_rd_atomic, pending_tid_r_segs, ack_pending,
		   s_next_psn, cur_seg, flow_idx };
expression E, F;
assignment operator aop;
@@
(
* E->fld
  aop F
|
* E->fld++
|
* E->fld--
)

@params_field depends on !(file in "tid_params.c")@
identifier fld = { pkts_ps, timeout_shift, tid_timer_timeout_jiffies, max_len,
		   max_read, max_write };
expression E, F;
assignment operator aop;
@@
* \(E->fld\|E.fld\)
  aop F

@params_remote depends on !(file in "tid_params.c")@
identifier fn =~ "^rcu_assign_pointer$\|^RCU_INIT_POINTER$";
expression E;
@@
* fn
  (E->tid_rdma.remote, ...)

@refused_field depends on !(file in "tid_fail.c") && !(file in "tid_params.c")@
expression E, F;
assignment operator aop;
@@
* E->n_flows
  aop F

@retry_field depends on !(file in "tid_retry.c") && !(file in "tid_reset.c") && !(file in "tid_params.c")@
identifier fld = { s_psn, r_flags, lpsn, r_tid_ack, ack_seg, acked_tail, resync, r_next_psn_kdeth,
		   r_next_psn_kdeth_save };
expression E, F;
assignment operator aop;
@@
(
* E->fld
  aop F
|
* E->fld++
|
* E->fld--
|
* ++E->fld
|
* cmpxchg(&E->fld, ...)
)

@group_field depends on !(file in "tid_rdma.c")@
struct tid_group *grp;
identifier fld = { map, used };
expression F;
assignment operator aop;
@@
(
* grp->fld
  aop F
|
* grp->fld++
|
* grp->fld--
)

@group_set depends on !(file in "include/hfi1_rcvarray.h")@
identifier fld = { tid_group_list, tid_used_list, tid_full_list };
expression E, F;
assignment operator aop;
@@
(
* \(E->fld.count\|E.fld.count\)
  aop F
|
* \(E->fld.count\|E.fld.count\)++
|
* \(E->fld.count\|E.fld.count\)--
)

@group_list depends on !(file in "include/hfi1_rcvarray.h")@
identifier fn =~ "^\(__\)?list_\(add\|del\|move\|replace\|splice\|cut\|swap\|rotate\)\|^INIT_LIST_HEAD$";
identifier fld = { tid_group_list, tid_used_list, tid_full_list };
struct tid_group *grp;
expression E;
@@
* fn
  (..., \(&E->fld.list\|&grp->list\), ...)

@group_move depends on !(file in "include/hfi1_rcvarray.h") && !(file in "tid_rdma.c")@
identifier fn = { tid_group_add_tail, tid_group_remove, tid_group_move };
@@
* fn
  (...)
