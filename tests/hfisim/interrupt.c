// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <unistd.h>

#include "csr.h"
#include "regs.h"

#define WORD_BYTES	(INTERRUPT_WORDS * 8)

/* every error block has its FORCE register behind CLEAR (reset_*_csrs()) */
#define FORCE_AFTER_CLEAR	8

/**
 * struct error_block - a flag register whose flags raise an interrupt source
 * @flags: address of the flag register
 * @enable: of the register that says which flags raise the source
 * @clear: of the register that clears flags
 * @source: interrupt source of the first instance
 * @count: instances, KERNEL_STRIDE apart
 * @forced: there is a register that sets flags
 * @freezes: an error here freezes the send and receive blocks
 */
struct error_block {
	u32 flags;
	u32 enable;
	u32 clear;
	u16 source;
	u16 count;
	bool forced;
	bool freezes;
};

static const struct error_block error_blocks[] = {
	{ CCE_ERR_STATUS, CCE_ERR_MASK, CCE_ERR_CLEAR,
	  SOURCE_CCE_ERROR, 1, true, false },
	{ RCV_ERR_STATUS, RCV_ERR_MASK, RCV_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 1, 1, true, true },
	{ MISC_ERR_STATUS, MISC_ERR_MASK, MISC_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 2, 1, true, false },
	{ SEND_PIO_ERR_STATUS, SEND_PIO_ERR_MASK, SEND_PIO_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 4, 1, true, true },
	{ SEND_DMA_ERR_STATUS, SEND_DMA_ERR_MASK, SEND_DMA_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 5, 1, true, true },
	{ SEND_EGRESS_ERR_STATUS, SEND_EGRESS_ERR_MASK, SEND_EGRESS_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 6, 1, true, true },
	{ SEND_ERR_STATUS, SEND_ERR_MASK, SEND_ERR_CLEAR,
	  SOURCE_CCE_ERROR + 7, 1, true, false },
	{ SEND_DMA_ENG_ERR_STATUS, SEND_DMA_ENG_ERR_MASK, SEND_DMA_ENG_ERR_CLEAR,
	  SOURCE_SDMA_ERROR, SDMA_ENGINES_MAX, true, false },
	{ SEND_CTXT_ERR_STATUS, SEND_CTXT_ERR_MASK, SEND_CTXT_ERR_CLEAR,
	  SOURCE_SEND_CONTEXT_ERROR, SEND_CONTEXTS_MAX, true, false },
	{ DCC_ERR_FLG, DCC_ERR_FLG_EN, DCC_ERR_FLG_CLR,
	  SOURCE_DCC, 1, false, false },
	{ DC_LCB_ERR_FLG, DC_LCB_ERR_EN, DC_LCB_ERR_CLR,
	  SOURCE_LCB, 1, false, false },
	{ DC_DC8051_ERR_FLG, DC_DC8051_ERR_EN, DC_DC8051_ERR_CLR,
	  SOURCE_8051, 1, false, false },
};

void interrupt_init(struct hfi *hfi)
{
	unsigned int i;

	for (i = 0; i < MSIX_VECTORS; i++)
		hfi->interrupt.eventfd[i] = -1;
}

void interrupt_set_eventfd(struct hfi *hfi, unsigned int vector, int fd)
{
	int *slot = &hfi->interrupt.eventfd[vector];

	if (*slot >= 0)
		close(*slot);
	/* whatever it really is, signalling it must not block */
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	*slot = fd;
}

void interrupt_close(struct hfi *hfi)
{
	unsigned int i;

	for (i = 0; i < MSIX_VECTORS; i++)
		interrupt_set_eventfd(hfi, i, -1);
}

static void interrupt_fire(struct hfi *hfi, unsigned int source)
{
	u64 map = csr_get(hfi, CCE_INT_MAP + source / 8 * 8);
	u8 vector = (u8)(map >> source % 8 * 8);
	int fd = hfi->interrupt.eventfd[vector];
	const u64 one = 1;

	hfi->interrupt.fired[source]++;
	hfi_log(hfi, LOG_DEBUG, "interrupt source %u, vector %u", source, vector);
	if (fd < 0)
		return;
	hfi->counters.interrupts++;
	/* an eventfd refuses only when its counter is full: it is signalled */
	if (write(fd, &one, sizeof(one)) != sizeof(one))
		hfi_log(hfi, LOG_DEBUG, "vector %u: eventfd is full", vector);
}

void interrupt_raise(struct hfi *hfi, unsigned int source)
{
	u32 word = source / 64 * 8;
	u64 bit = BIT_ULL(source % 64);
	u64 status = csr_get(hfi, CCE_INT_STATUS + word);

	if (status & bit)
		return;
	csr_set(hfi, CCE_INT_STATUS + word, status | bit);
	if (csr_get(hfi, CCE_INT_MASK + word) & bit)
		interrupt_fire(hfi, source);
}

static void error_levels(struct hfi *hfi, const struct error_block *block)
{
	unsigned int i;

	for (i = 0; i < block->count; i++) {
		if (csr_kget(hfi, block->flags, i) & csr_kget(hfi, block->enable, i))
			interrupt_raise(hfi, block->source + i);
	}
}

void interrupt_levels(struct hfi *hfi)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(error_blocks); i++)
		error_levels(hfi, &error_blocks[i]);
}

/* sources 64 * @word to 64 * @word + 63 were cleared */
static void word_cleared(struct hfi *hfi, unsigned int word)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(error_blocks); i++) {
		const struct error_block *block = &error_blocks[i];

		if (block->source / 64u <= word &&
		    (block->source + block->count - 1) / 64u >= word)
			error_levels(hfi, block);
	}
}

static void write_mask(struct hfi *hfi, unsigned int word, u64 value)
{
	u64 before = csr_get(hfi, CCE_INT_MASK + word * 8);
	u64 pending = csr_get(hfi, CCE_INT_STATUS + word * 8) & value & ~before;
	unsigned int bit;

	csr_set(hfi, CCE_INT_MASK + word * 8, value);
	for (bit = 0; pending; bit++, pending >>= 1) {
		if (pending & 1)
			interrupt_fire(hfi, word * 64 + bit);
	}
}

static void write_force(struct hfi *hfi, unsigned int word, u64 value)
{
	unsigned int bit;

	for (bit = 0; value; bit++, value >>= 1) {
		if (value & 1)
			interrupt_raise(hfi, word * 64 + bit);
	}
}

/* word of the register array at @base that @offset is, or -1 */
static int word_of(u32 offset, u32 base)
{
	return offset - base < WORD_BYTES ? (int)(offset - base) / 8 : -1;
}

static bool error_instance(u32 offset, u32 base, unsigned int count,
			   u32 *instance)
{
	u32 distance = offset - base;

	*instance = distance / KERNEL_STRIDE;
	return distance % KERNEL_STRIDE == 0 && *instance < count;
}

static void error_level(struct hfi *hfi, const struct error_block *block, u32 i)
{
	if (csr_kget(hfi, block->flags, i) & csr_kget(hfi, block->enable, i))
		interrupt_raise(hfi, block->source + i);
}

static void error_set(struct hfi *hfi, const struct error_block *block, u32 i, u64 flags)
{
	csr_kset(hfi, block->flags, i, csr_kget(hfi, block->flags, i) | flags);
	if (flags && block->freezes)
		csr_freeze(hfi);
	error_level(hfi, block, i);
}

void interrupt_receive_error(struct hfi *hfi)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(error_blocks); i++)
		if (error_blocks[i].flags == RCV_ERR_STATUS)
			error_set(hfi, &error_blocks[i], 0,
				  RCV_ERR_STATUS_RX_CSR_PARITY_ERR_SMASK);
}

static bool error_write(struct hfi *hfi, const struct error_block *block,
			u32 offset, u64 value)
{
	u64 flags;
	u32 i;

	if (error_instance(offset, block->enable, block->count, &i)) {
		csr_kset(hfi, block->enable, i, value);
		error_level(hfi, block, i);
	} else if (error_instance(offset, block->clear, block->count, &i)) {
		flags = csr_kget(hfi, block->flags, i);
		csr_kset(hfi, block->flags, i, flags & ~value);
	} else if (block->forced &&
		   error_instance(offset, block->clear + FORCE_AFTER_CLEAR,
				  block->count, &i)) {
		error_set(hfi, block, i, value);
	} else {
		return error_instance(offset, block->flags, block->count, &i);
	}
	return true;
}

bool interrupt_csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	unsigned int i;
	int word;

	word = word_of(offset, CCE_INT_MASK);
	if (word >= 0) {
		write_mask(hfi, (unsigned int)word, value);
		return true;
	}
	word = word_of(offset, CCE_INT_CLEAR);
	if (word >= 0) {
		csr_set(hfi, CCE_INT_STATUS + (u32)word * 8,
			csr_get(hfi, CCE_INT_STATUS + (u32)word * 8) & ~value);
		word_cleared(hfi, (unsigned int)word);
		return true;
	}
	word = word_of(offset, CCE_INT_FORCE);
	if (word >= 0) {
		write_force(hfi, (unsigned int)word, value);
		return true;
	}
	if (word_of(offset, CCE_INT_STATUS) >= 0)
		return true;
	for (i = 0; i < ARRAY_SIZE(error_blocks); i++) {
		if (error_write(hfi, &error_blocks[i], offset, value))
			return true;
	}
	return false;
}
