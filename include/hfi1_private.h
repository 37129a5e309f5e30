/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hfi1's own headers, from a kernel source tree, in place of types from BTF.
 * Only their types are wanted: constants and functions of names that the headers
 * beside this one restate give way to ours, which are the same in both builds.
 */
#ifndef HFI1_TID_WAIT_PRIVATE_H
#define HFI1_TID_WAIT_PRIVATE_H

#include "hfi.h"
#include "qp.h"
#include "exp_rcv.h"

#include "hfi1_undef.h"

#define read_csr		tid_read_csr
#define write_csr		tid_write_csr
#define write_uctxt_csr		tid_write_uctxt_csr
#define hfi1_get_qp_map		tid_get_qp_map
#define to_idev			tid_to_idev
#define to_iport		tid_to_iport
#define dd_from_ibdev		tid_dd_from_ibdev
#define ppd_from_ibp		tid_ppd_from_ibp
#define wqe_to_tid_req		tid_wqe_to_tid_req
#define ack_to_tid_req		tid_ack_to_tid_req
#define flush_wc		tid_flush_wc
#define rcv_array_wc_fill	tid_rcv_array_wc_fill
#define hfi1_put_tid		tid_put_tid
#define tid_group_add_tail	tid_tid_group_add_tail
#define tid_group_remove	tid_tid_group_remove
#define tid_group_move		tid_tid_group_move
#define mask_psn		tid_mask_psn
#define cmp_psn			tid_cmp_psn
#define full_flow_psn		tid_full_flow_psn
#define hfi1_schedule_send	tid_schedule_send
#define hfi1_do_send_from_rvt	tid_do_send_from_rvt
#define hfi1_restart_rc		tid_restart_rc
#define iowait_tid_schedule	tid_iowait_tid_schedule
#define iowait_set_flag		tid_iowait_set_flag
#define hfi1_wait_kmem		tid_wait_kmem

#undef CIRC_ADD
#undef CIRC_NEXT
#undef EXP_TID_GET
#undef EXP_TID_SET

#endif
