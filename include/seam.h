/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam: hfi1's functions that this module takes over. A build is refused if
 * the hfi1.ko it is for lacks one of them (scripts/build-module reads this file).
 */
#ifndef HFI1_TID_WAIT_SEAM_H
#define HFI1_TID_WAIT_SEAM_H

#define HFI1_SEAM(function)			\
	function(hfi1_kern_setup_hw_flow)	\
	function(hfi1_kern_clear_hw_flow)	\
	function(hfi1_kern_exp_rcv_setup)	\
	function(hfi1_kern_exp_rcv_clear)	\
	function(hfi1_tid_rdma_flush_wait)	\
	function(tid_rdma_trigger_resume)	\
	function(hfi1_kern_exp_rcv_clear_all)	\
	function(hfi1_schedule_tid_send)	\
	function(hfi1_kern_init_ctxt_generations) \
	function(__trdma_clean_swqe)

#endif
