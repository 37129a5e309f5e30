// SPDX-License-Identifier: GPL-2.0
/*
 * What the fuzzers have in common
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regs.h"
#include "rig.h"

#define QUEUE_ENTRY_DWORDS	32u
#define QUEUE_SIZE		0x4000u		/* a context's, 64 entries fit in half */
#define SHARE			32u		/* RcvArray entries of a context */
#define EAGER			8u		/* those for eager packets among them */
#define PAGE			4096u
#define FLOW_GENERATION_SHIFT	11

static void *or_exit(void *pointer)
{
	if (!pointer) {
		fputs("fuzz: out of memory\n", stderr);
		exit(1);
	}
	return pointer;
}

static struct rig *rig_new(void)
{
	struct rig *rig = or_exit(calloc(1, sizeof(*rig)));
	struct hfi_config config = hfi_config_default();

	config.rcv_contexts = RIG_CONTEXTS;
	config.send_contexts = RIG_CONTEXTS;
	config.sdma_engines = 2;
	config.rcv_array = RIG_CONTEXTS * SHARE;
	log_open("/dev/null");
	rig->loop = or_exit(loop_new());
	for (; config.index < 2; config.index++) {
		rig->hfi[config.index] = or_exit(hfi_new(&config, rig->loop));
		rig->memory[config.index] = or_exit(malloc(RIG_MEMORY_SIZE));
	}
	hfi_connect(rig->hfi[0], rig->hfi[1]);
	return rig;
}

static void rig_hfi_start(struct hfi *hfi, u8 *memory)
{
	fault_off(hfi);
	fault_discard(hfi);
	lie_stop(hfi);
	opfn_clear(&hfi->opfn);
	link_set_cable(hfi, true);
	interrupt_close(hfi);
	mem_remove_all(hfi);
	hfi_reset(hfi);
	pci_init(hfi);
	memset(&hfi->counters, 0, sizeof(hfi->counters));
	memset(memory, 0, RIG_MEMORY_SIZE);
	mem_add_buffer(hfi, RIG_MEMORY, memory, RIG_MEMORY_SIZE, true);
	csr_set(hfi, RCV_CTRL, RCV_CTRL_RCV_PORT_ENABLE_SMASK | RCV_CTRL_RCV_BYPASS_ENABLE_SMASK);
	csr_set(hfi, RCV_BTH_QP, (u64)RIG_KDETH_PREFIX << RCV_BTH_QP_KDETH_QP_SHIFT);
}

struct rig *rig_start(void)
{
	static struct rig *rig;
	unsigned int i;

	if (!rig)
		rig = rig_new();
	for (i = 0; i < 2; i++)
		rig_hfi_start(rig->hfi[i], rig->memory[i]);
	for (i = 0; i < 2; i++)
		csr_set(rig->hfi[i], DC_DC8051_STS_CUR_STATE, PHYSICAL_LINKUP);
	return rig;
}

static void rig_context(struct hfi *hfi, u32 context, u64 flags)
{
	u32 kernel = KERNEL_STRIDE * context;
	u32 user = USER_STRIDE * context;
	u32 i;

	csr_write(hfi, RCV_HDR_ADDR + kernel, RIG_MEMORY + context * QUEUE_SIZE);
	csr_write(hfi, RCV_HDR_CNT + kernel, 1);
	csr_write(hfi, RCV_HDR_ENT_SIZE + kernel, 4);
	csr_write(hfi, RCV_HDR_SIZE + kernel, 9);
	csr_write(hfi, RCV_EGR_CTRL + kernel, context * SHARE / 8 |
		  (u64)EAGER / 8 << RCV_EGR_CTRL_EGR_CNT_SHIFT);
	csr_write(hfi, RCV_TID_CTRL + kernel, (context * SHARE + EAGER) / 8 |
		  (u64)(SHARE - EAGER) / 8 << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	for (i = 0; i < SHARE; i++)
		csr_write(hfi, RCV_ARRAY + 8 * (context * SHARE + i),
			  RCV_ARRAY_RT_WRITE_ENABLE_SMASK |
			  (i % 7 == 6 ? 0 : 1ULL << RCV_ARRAY_RT_BUF_SIZE_SHIFT) |
			  ((RIG_MEMORY + 0x20000 + (context * SHARE + i) * PAGE) >> 12));
	for (i = 0; i < TID_FLOWS; i++)
		csr_write(hfi, RCV_TID_FLOW_TABLE + user + 8 * i,
			  (u64)i << FLOW_GENERATION_SHIFT | FLOW_VALID | FLOW_SUPPRESS |
			  FLOW_KEEP_AFTER_SEQ_ERR | FLOW_KEEP_ON_GEN_ERR);
	csr_write(hfi, RCV_EGR_INDEX_HEAD + user, EAGER - 1);
	csr_write(hfi, RCV_CTXT_CTRL + kernel, RCV_CTXT_CTRL_ENABLE_SMASK |
		  RCV_CTXT_CTRL_INTR_AVAIL_SMASK | 1ULL << RCV_CTXT_CTRL_EGR_BUF_SIZE_SHIFT |
		  flags);
}

void rig_contexts(struct rig *rig, u64 flags)
{
	u32 context;

	for (context = 0; context < RIG_CONTEXTS; context++)
		rig_context(rig->hfi[0], context, flags);
	csr_write(rig->hfi[0], RCV_QP_MAP_TABLE, 0x0302010003020100ULL);
}

void rig_drain(struct rig *rig)
{
	u32 context;

	for (context = 0; context < RIG_CONTEXTS; context++) {
		u32 user = USER_STRIDE * context;

		csr_write(rig->hfi[0], RCV_HDR_HEAD + user,
			  csr_read(rig->hfi[0], RCV_HDR_TAIL + user));
	}
}

u64 input_number(struct input *input, unsigned int bytes)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < bytes && input->left; i++, input->left--)
		value |= (u64)*input->data++ << (8 * i);
	return value;
}
