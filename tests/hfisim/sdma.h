/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_SDMA_H
#define HFISIM_SDMA_H

#include "types.h"

struct hfi;

#define SDMA_ENGINES_MAX	16

/* descriptor, two little endian words (SDMA_DESC0_*, SDMA_DESC1_* of the driver) */
#define SDMA_DESC_FIRST		BIT_ULL(63)
#define SDMA_DESC_LAST		BIT_ULL(62)
#define SDMA_DESC_BYTES(word0)	((u32)((word0) >> 48) & 0x3fff)
#define SDMA_DESC_ADDRESS(word0) ((word0) & 0xffffffffffffULL)
#define SDMA_DESC_AHG(word1)	((u32)((word1) >> 13) & 7)
#define SDMA_DESC_INTERRUPT	BIT_ULL(1)
#define SDMA_DESC_HEAD_TO_HOST	BIT_ULL(0)

/**
 * struct sdma_engine - a send DMA engine; its state is in its registers
 * @head: index of the next descriptor
 * @running: sdma_run() is at work on this engine
 * @packets: sent so far
 */
struct sdma_engine {
	u32 head;
	bool running;
	u64 packets;
};

/**
 * sdma_reset() - an engine after power-on: halted
 * @hfi: the HFI
 * @engine: below SDMA_ENGINES_MAX
 */
void sdma_reset(struct hfi *hfi, unsigned int engine);

/**
 * sdma_rewind() - empty the ring: head and tail go to 0
 * @hfi: the HFI
 * @engine: below SDMA_ENGINES_MAX
 */
void sdma_rewind(struct hfi *hfi, unsigned int engine);

/**
 * sdma_run() - send what is between head and tail
 * @hfi: the HFI
 * @engine: below SDMA_ENGINES_MAX
 *
 * Stops before a packet while the wire is blocked (fabric_blocked()). A
 * descriptor that is not in guest memory, a chain without a first or a
 * last descriptor, or a packet longer than PACKET_MAX halts the engine
 * with an error, as the chip does.
 */
void sdma_run(struct hfi *hfi, unsigned int engine);

/**
 * sdma_csr_write() - write a register of the engines
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8
 * @value: what is written
 *
 * Return: true if the register belongs to an engine and has been written.
 */
bool sdma_csr_write(struct hfi *hfi, u32 offset, u64 value);

#endif
