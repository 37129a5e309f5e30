// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

#define PBC_BYTES	8
#define VL15		15
#define PACKET_BLOCKS	((PACKET_MAX + PBC_BYTES + PIO_BLOCK - 1) / PIO_BLOCK)

/* the 64-byte line of a group of contexts has a slot for each of 8 (sc_alloc()) */
#define CREDIT_SLOT(context)	(((context) & 7) * 8)

void pio_reset(struct hfi *hfi, unsigned int context)
{
	memset(&hfi->pio[context], 0, sizeof(hfi->pio[context]));
}

static u32 context_depth(const struct hfi *hfi, unsigned int context)
{
	return csr_kget(hfi, SEND_CTXT_CTRL, context) >>
	       SEND_CTXT_CTRL_CTXT_DEPTH_SHIFT & SEND_CTXT_CTRL_CTXT_DEPTH_MASK;
}

static u8 *block_at(struct hfi *hfi, unsigned int context, u32 block)
{
	return hfi->bar + PIO_BASE + context * PIO_CONTEXT_SIZE + block * PIO_BLOCK;
}

void pio_return_credits(struct hfi *hfi, unsigned int context, u64 why)
{
	u64 count = hfi->pio[context].freed & CREDIT_COUNT_MASK;
	u64 to = csr_kget(hfi, SEND_CTXT_CREDIT_RETURN_ADDR, context) &
		 SEND_CTXT_CREDIT_RETURN_ADDR_ADDRESS_SMASK;

	csr_kset(hfi, SEND_CTXT_CREDIT_STATUS, context, count | why | count <<
		 SEND_CTXT_CREDIT_STATUS_CURRENT_FREE_COUNTER_SHIFT);
	if (to)
		mem_write64(hfi, to + CREDIT_SLOT(context), count | why);
	if (csr_kget(hfi, SEND_CTXT_CREDIT_CTRL, context) &
	    SEND_CTXT_CREDIT_CTRL_CREDIT_INTR_SMASK)
		interrupt_raise(hfi, SOURCE_SEND_CREDIT + context);
}

/* the context is stuck from now on: the driver has to restart it */
static void context_error(struct hfi *hfi, unsigned int context, u64 error)
{
	u64 flags = csr_kget(hfi, SEND_CTXT_ERR_STATUS, context);

	csr_kset(hfi, SEND_CTXT_ERR_STATUS, context, flags | error);
	csr_kset(hfi, SEND_CTXT_STATUS, context,
		 SEND_CTXT_STATUS_CTXT_HALTED_SMASK);
	interrupt_levels(hfi);
}

/* blocks of the packet at the head that is complete; 0 if there is none */
static u32 complete_packet(struct hfi *hfi, unsigned int context, u32 depth,
			   u64 *pbc)
{
	struct pio_context *pio = &hfi->pio[context];
	u32 bytes, blocks, i;

	if (pio->filled[pio->head] < PIO_BLOCK)
		return 0;
	if (!pio->start[pio->head]) {
		hfi_complain(hfi, "send context %u: block %u should start a packet",
			     context, pio->head);
		context_error(hfi, context,
			      SEND_CTXT_ERR_STATUS_PIO_INCONSISTENT_SOP_ERR_SMASK);
		return 0;
	}
	memcpy(pbc, block_at(hfi, context, pio->head), sizeof(*pbc));
	bytes = PBC_LENGTH_DWORDS(*pbc) * 4;
	blocks = (bytes + PIO_BLOCK - 1) / PIO_BLOCK;
	if (bytes <= PBC_BYTES || blocks > depth || blocks > PACKET_BLOCKS) {
		hfi_complain(hfi, "send context %u: packet of %u bytes", context,
			     bytes);
		context_error(hfi, context,
			      SEND_CTXT_ERR_STATUS_PIO_DISALLOWED_PACKET_ERR_SMASK);
		return 0;
	}
	for (i = 1; i < blocks; i++) {
		if (pio->filled[(pio->head + i) % depth] < PIO_BLOCK)
			return 0;
	}
	return blocks;
}

static void send_blocks(struct hfi *hfi, unsigned int context, u32 depth,
			u32 blocks, u64 pbc)
{
	struct pio_context *pio = &hfi->pio[context];
	u8 buffer[PACKET_BLOCKS * PIO_BLOCK];
	struct packet packet = {
		.pbc = pbc,
		.data = buffer + PBC_BYTES,
		.length = PBC_LENGTH_DWORDS(pbc) * 4 - PBC_BYTES,
	};
	u32 i, block;

	for (i = 0; i < blocks; i++) {
		block = (pio->head + i) % depth;
		memcpy(buffer + i * PIO_BLOCK, block_at(hfi, context, block),
		       PIO_BLOCK);
		pio->filled[block] = 0;
		pio->start[block] = false;
	}
	pio->head = (pio->head + blocks) % depth;
	pio->freed += blocks;
	fabric_send(hfi, &packet);
}

static bool context_runs(const struct hfi *hfi, unsigned int context)
{
	return csr_kget(hfi, SEND_CTXT_CTRL, context) &
	       SEND_CTXT_CTRL_CTXT_ENABLE_SMASK &&
	       !(csr_kget(hfi, SEND_CTXT_STATUS, context) &
		 SEND_CTXT_STATUS_CTXT_HALTED_SMASK) && !csr_frozen(hfi);
}

void pio_run(struct hfi *hfi, unsigned int context)
{
	u32 depth = context_depth(hfi, context), blocks;
	bool sent = false;
	u64 pbc, why = CREDIT_DUE_TO_THRESHOLD;

	if (!depth || depth > PIO_BLOCKS_MAX || !context_runs(hfi, context))
		return;
	for (;;) {
		blocks = complete_packet(hfi, context, depth, &pbc);
		if (!blocks)
			break;
		if (fabric_blocked(hfi) && PBC_VL(pbc) != VL15)
			break;
		if (pbc & PBC_FLAG_CREDIT_RETURN)
			why |= CREDIT_DUE_TO_PBC;
		send_blocks(hfi, context, depth, blocks, pbc);
		sent = true;
	}
	if (sent)
		pio_return_credits(hfi, context, why);
}

void pio_write(struct hfi *hfi, u32 offset, const void *data, u32 size)
{
	u32 distance = offset - PIO_BASE;
	bool start = distance >= PIO_SOP_DISTANCE;
	u32 context = distance % PIO_SOP_DISTANCE / PIO_CONTEXT_SIZE;
	u32 block = distance % PIO_CONTEXT_SIZE / PIO_BLOCK;
	struct pio_context *pio;

	if (context >= hfi->config.send_contexts) {
		hfi_complain(hfi, "write to the buffer of send context %u, which does not exist",
			     context);
		return;
	}
	pio = &hfi->pio[context];
	memcpy(block_at(hfi, context, block) + offset % PIO_BLOCK, data, size);
	if (start)
		pio->start[block] = true;
	if (pio->filled[block] + size > PIO_BLOCK) {
		hfi_complain(hfi, "send context %u: block %u written twice",
			     context, block);
		context_error(hfi, context,
			      SEND_CTXT_ERR_STATUS_PIO_WRITE_OVERFLOW_ERR_SMASK);
		return;
	}
	pio->filled[block] += (u8)size;
	if (pio->filled[block] == PIO_BLOCK)
		pio_run(hfi, context);
}

static void write_init(struct hfi *hfi, u64 value)
{
	unsigned int context;

	if (value & SEND_PIO_INIT_CTXT_PIO_ALL_CTXT_INIT_SMASK) {
		for (context = 0; context < SEND_CONTEXTS_MAX; context++)
			pio_reset(hfi, context);
		return;
	}
	if (!(value & SEND_PIO_INIT_CTXT_PIO_SINGLE_CTXT_INIT_SMASK))
		return;
	context = value >> SEND_PIO_INIT_CTXT_PIO_CTXT_NUM_SHIFT &
		  SEND_PIO_INIT_CTXT_PIO_CTXT_NUM_MASK;
	if (context < hfi->config.send_contexts)
		pio_reset(hfi, context);
}

static void write_control(struct hfi *hfi, unsigned int context, u64 value)
{
	u64 before = csr_kget(hfi, SEND_CTXT_CTRL, context);

	csr_kset(hfi, SEND_CTXT_CTRL, context, value);
	if ((value & ~before) & SEND_CTXT_CTRL_CTXT_ENABLE_SMASK) {
		csr_kset(hfi, SEND_CTXT_STATUS, context, 0);
		hfi_log(hfi, LOG_INFO, "send context %u enabled, %u blocks",
			context, context_depth(hfi, context));
	}
}

bool pio_csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	unsigned int context = (offset - SEND_CTXT_CTRL) / KERNEL_STRIDE;
	u64 before;

	if (offset == SEND_PIO_INIT_CTXT) {
		write_init(hfi, value);
		return true;
	}
	if (offset < SEND_CTXT_CTRL || context >= hfi->config.send_contexts)
		return false;
	switch (offset - context * KERNEL_STRIDE) {
	case SEND_CTXT_CTRL:
		write_control(hfi, context, value);
		return true;
	case SEND_CTXT_CREDIT_FORCE:
		before = csr_get(hfi, offset);
		csr_set(hfi, offset, value);
		if (value & ~before & SEND_CTXT_CREDIT_FORCE_FORCE_RETURN_SMASK)
			pio_return_credits(hfi, context, CREDIT_DUE_TO_FORCE);
		return true;
	case SEND_CTXT_STATUS:
	case SEND_CTXT_CREDIT_STATUS:
		return true;
	default:
		return false;
	}
}
