/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_PIO_H
#define HFISIM_PIO_H

#include "types.h"

struct hfi;

#define SEND_CONTEXTS_MAX	160
#define PIO_BASE		0x2000000u	/* of send context 0 in BAR 0 */
#define PIO_SOP_DISTANCE	0x1000000u	/* the same for starts of packets */
#define PIO_CONTEXT_SIZE	0x10000u
#define PIO_BLOCK		64u
#define PIO_BLOCKS_MAX		(PIO_CONTEXT_SIZE / PIO_BLOCK)

/* bits of a credit return word (chip.h, CR_*) */
#define CREDIT_COUNT_MASK	0x7ffULL
#define CREDIT_DUE_TO_PBC	BIT_ULL(12)
#define CREDIT_DUE_TO_THRESHOLD	BIT_ULL(13)
#define CREDIT_DUE_TO_ERROR	BIT_ULL(14)
#define CREDIT_DUE_TO_FORCE	BIT_ULL(15)

/**
 * struct pio_context - a send context
 * @filled: bytes written to each block since it was last sent
 * @start: the block was written through the start-of-packet address
 * @head: block where the next packet starts
 * @freed: blocks sent since the context was initialised, modulo 2^11
 *
 * The blocks themselves are the context's 64 KiB of BAR 0.
 */
struct pio_context {
	u8 filled[PIO_BLOCKS_MAX];
	bool start[PIO_BLOCKS_MAX];
	u32 head;
	u32 freed;
};

/**
 * pio_reset() - forget what was written to a send context
 * @hfi: the HFI
 * @context: below SEND_CONTEXTS_MAX
 */
void pio_reset(struct hfi *hfi, unsigned int context);

/**
 * pio_write() - a write to the send buffers
 * @hfi: the HFI
 * @offset: in BAR 0, PIO_BASE or more; @offset + @size inside the BAR
 * @data: what is written
 * @size: in bytes, at most PIO_BLOCK; must not cross a block
 */
void pio_write(struct hfi *hfi, u32 offset, const void *data, u32 size);

/**
 * pio_run() - send the complete packets of a context
 * @hfi: the HFI
 * @context: below SEND_CONTEXTS_MAX
 *
 * A packet is complete when all its blocks are. Credits are returned when
 * at least one was sent.
 */
void pio_run(struct hfi *hfi, unsigned int context);

/**
 * pio_return_credits() - tell the driver how many blocks have been sent
 * @hfi: the HFI
 * @context: below SEND_CONTEXTS_MAX
 * @why: CREDIT_DUE_TO_*
 */
void pio_return_credits(struct hfi *hfi, unsigned int context, u64 why);

/**
 * pio_csr_write() - write a register of the send contexts
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8
 * @value: what is written
 *
 * Return: true if the register has an effect and has been written.
 */
bool pio_csr_write(struct hfi *hfi, u32 offset, u64 value);

#endif
