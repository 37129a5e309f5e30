// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

#define DESC_BYTES	16
#define PBC_BYTES	8
#define RING_INDEX_MASK	0xffffu
#define RING_COUNT_MASK	0xffc0u		/* SEND_DMA_LEN_GEN: length, in 64s */

/* descriptors that one packet may have, more than the chip takes */
#define PACKET_DESCS	128

/**
 * struct sdma_gather - a packet being put together
 * @buffer: PBC and packet
 * @length: bytes in @buffer
 * @ahg: the packet wants automatic header generation
 */
struct sdma_gather {
	u8 buffer[PACKET_MAX + PBC_BYTES];
	u32 length;
	bool ahg;
};

static void status_change(struct hfi *hfi, unsigned int engine, u64 set, u64 clear)
{
	u64 status = csr_kget(hfi, SEND_DMA_STATUS, engine);

	csr_kset(hfi, SEND_DMA_STATUS, engine, (status & ~clear) | set);
}

static void engine_error(struct hfi *hfi, unsigned int engine, u64 error)
{
	u64 flags = csr_kget(hfi, SEND_DMA_ENG_ERR_STATUS, engine);

	csr_kset(hfi, SEND_DMA_ENG_ERR_STATUS, engine, flags | error);
	status_change(hfi, engine, SEND_DMA_STATUS_ENG_HALTED_SMASK, 0);
	interrupt_levels(hfi);
}

static void set_head(struct hfi *hfi, unsigned int engine, u32 head)
{
	hfi->sdma[engine].head = head;
	csr_kset(hfi, SEND_DMA_HEAD, engine, head);
}

/* tell the driver, which polls a word in its own memory */
static void publish_head(struct hfi *hfi, unsigned int engine)
{
	u64 to = csr_kget(hfi, SEND_DMA_HEAD_ADDR, engine);

	if (to)
		mem_write64(hfi, to, hfi->sdma[engine].head);
}

void sdma_rewind(struct hfi *hfi, unsigned int engine)
{
	set_head(hfi, engine, 0);
	csr_kset(hfi, SEND_DMA_TAIL, engine, 0);
}

void sdma_reset(struct hfi *hfi, unsigned int engine)
{
	memset(&hfi->sdma[engine], 0, sizeof(hfi->sdma[engine]));
	csr_kset(hfi, SEND_DMA_STATUS, engine, SEND_DMA_STATUS_ENG_HALTED_SMASK);
}

static bool engine_runs(const struct hfi *hfi, unsigned int engine)
{
	u64 control = csr_kget(hfi, SEND_DMA_CTRL, engine);
	u64 status = csr_kget(hfi, SEND_DMA_STATUS, engine);

	return control & SEND_DMA_CTRL_SDMA_ENABLE_SMASK &&
	       !(control & SEND_DMA_CTRL_SDMA_HALT_SMASK) &&
	       !(status & SEND_DMA_STATUS_ENG_HALTED_SMASK) && !csr_frozen(hfi);
}

/* Return: 0, or the error flag that the descriptor earns. */
static u64 gather_descriptor(struct hfi *hfi, struct sdma_gather *gather,
			     const u64 *desc)
{
	u32 bytes = SDMA_DESC_BYTES(desc[0]);
	const void *from;

	if (SDMA_DESC_AHG(desc[1]))
		gather->ahg = true;
	if (bytes > sizeof(gather->buffer) - gather->length)
		return SEND_DMA_ENG_ERR_STATUS_SDMA_TOO_LONG_ERR_SMASK;
	if (!bytes)
		return 0;
	from = mem_read_ptr(hfi, SDMA_DESC_ADDRESS(desc[0]), bytes);
	if (!from)
		return SEND_DMA_ENG_ERR_STATUS_SDMA_MEM_READ_ERR_SMASK;
	memcpy(gather->buffer + gather->length, from, bytes);
	gather->length += bytes;
	return 0;
}

/**
 * gather_packet() - put the packet at the head of the ring together
 * @hfi: the HFI
 * @engine: the engine
 * @ring: the descriptors
 * @count: how many there are
 * @tail: where they end
 * @gather: filled in
 * @next: set to the index behind the packet
 *
 * Return: 0, or the error flag that halts the engine. A packet whose last
 * descriptor is not there yet gives 0 with @gather empty.
 */
static u64 gather_packet(struct hfi *hfi, unsigned int engine, const u8 *ring,
			 u32 count, u32 tail, struct sdma_gather *gather, u32 *next)
{
	u32 at = hfi->sdma[engine].head, used = 0;
	u64 desc[2], error;

	gather->length = 0;
	gather->ahg = false;
	for (;;) {
		if (at == tail) {
			gather->length = 0;
			return 0;
		}
		memcpy(desc, ring + DESC_BYTES * at, sizeof(desc));
		if (!(desc[0] & SDMA_DESC_FIRST) != !!used)
			return SEND_DMA_ENG_ERR_STATUS_SDMA_FIRST_DESC_ERR_SMASK;
		error = gather_descriptor(hfi, gather, desc);
		if (error)
			return error;
		at = (at + 1) % count;
		if (desc[0] & SDMA_DESC_LAST)
			break;
		if (++used == PACKET_DESCS)
			return SEND_DMA_ENG_ERR_STATUS_SDMA_PACKET_DESC_OVERFLOW_ERR_SMASK;
	}
	*next = at;
	return gather->length > PBC_BYTES ? 0 :
	       SEND_DMA_ENG_ERR_STATUS_SDMA_LENGTH_MISMATCH_ERR_SMASK;
}

/* Return: 0, or the error flag that halts the engine. */
static u64 send_gathered(struct hfi *hfi, struct sdma_gather *gather)
{
	struct packet packet = { .data = gather->buffer + PBC_BYTES };
	u32 bytes;

	memcpy(&packet.pbc, gather->buffer, sizeof(packet.pbc));
	bytes = PBC_LENGTH_DWORDS(packet.pbc) * 4;
	if (gather->ahg) {
		hfi_complain(hfi, "packet dropped: header generation is not emulated");
		return 0;
	}
	if (bytes <= PBC_BYTES || bytes > gather->length)
		return SEND_DMA_ENG_ERR_STATUS_SDMA_LENGTH_MISMATCH_ERR_SMASK;
	packet.length = bytes - PBC_BYTES;
	fabric_send(hfi, &packet);
	return 0;
}

/* Return: false when the engine has to stop here */
static bool send_one(struct hfi *hfi, unsigned int engine, const u8 *ring,
		     u32 count, u32 tail)
{
	struct sdma_gather gather;
	u32 next = 0;
	u64 error;

	error = gather_packet(hfi, engine, ring, count, tail, &gather, &next);
	if (!error && !gather.length)
		return false;
	if (!error)
		error = send_gathered(hfi, &gather);
	if (error) {
		hfi_complain(hfi, "SDMA engine %u: bad packet at descriptor %u, error 0x%llx",
			     engine, hfi->sdma[engine].head, error);
		engine_error(hfi, engine, error);
		return false;
	}
	set_head(hfi, engine, next);
	hfi->sdma[engine].packets++;
	return true;
}

void sdma_run(struct hfi *hfi, unsigned int engine)
{
	struct sdma_engine *sdma = &hfi->sdma[engine];
	u32 count = csr_kget(hfi, SEND_DMA_LEN_GEN, engine) & RING_COUNT_MASK;
	u32 tail = csr_kget(hfi, SEND_DMA_TAIL, engine) & RING_INDEX_MASK;
	const u8 *ring;
	bool sent = false;

	if (sdma->running || !engine_runs(hfi, engine) || sdma->head == tail)
		return;
	if (tail >= count || sdma->head >= count) {
		hfi_complain(hfi, "SDMA engine %u: tail %u in a ring of %u",
			     engine, tail, count);
		engine_error(hfi, engine,
			     SEND_DMA_ENG_ERR_STATUS_SDMA_TAIL_OUT_OF_BOUNDS_ERR_SMASK);
		return;
	}
	ring = mem_read_ptr(hfi, csr_kget(hfi, SEND_DMA_BASE_ADDR, engine),
			    (u64)count * DESC_BYTES);
	if (!ring) {
		engine_error(hfi, engine,
			     SEND_DMA_ENG_ERR_STATUS_SDMA_MEM_READ_ERR_SMASK);
		return;
	}
	sdma->running = true;
	while (sdma->head != tail && !fabric_blocked(hfi) &&
	       send_one(hfi, engine, ring, count, tail))
		sent = true;
	sdma->running = false;
	if (!sent)
		return;
	publish_head(hfi, engine);
	if (csr_kget(hfi, SEND_DMA_CTRL, engine) & SEND_DMA_CTRL_SDMA_INT_ENABLE_SMASK)
		interrupt_raise(hfi, SOURCE_SDMA + engine);
}

static void write_control(struct hfi *hfi, unsigned int engine, u64 value)
{
	csr_kset(hfi, SEND_DMA_CTRL, engine,
		 value & ~SEND_DMA_CTRL_SDMA_CLEANUP_SMASK);
	if (value & SEND_DMA_CTRL_SDMA_CLEANUP_SMASK) {
		set_head(hfi, engine, 0);
		publish_head(hfi, engine);
		status_change(hfi, engine, SEND_DMA_STATUS_ENG_CLEANED_UP_SMASK, 0);
	}
	if (value & SEND_DMA_CTRL_SDMA_HALT_SMASK) {
		engine_error(hfi, engine,
			     SEND_DMA_ENG_ERR_STATUS_SDMA_HALT_ERR_SMASK);
	} else if (value & SEND_DMA_CTRL_SDMA_ENABLE_SMASK) {
		status_change(hfi, engine, 0, SEND_DMA_STATUS_ENG_HALTED_SMASK |
			      SEND_DMA_STATUS_ENG_CLEANED_UP_SMASK);
		hfi_log(hfi, LOG_INFO, "SDMA engine %u enabled", engine);
		sdma_run(hfi, engine);
	} else {
		status_change(hfi, engine, SEND_DMA_STATUS_ENG_HALTED_SMASK, 0);
	}
}

bool sdma_csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	unsigned int engine = (offset - SEND_DMA_CTRL) / KERNEL_STRIDE;

	if (offset < SEND_DMA_CTRL || engine >= hfi->config.sdma_engines)
		return false;
	switch (offset - engine * KERNEL_STRIDE) {
	case SEND_DMA_CTRL:
		write_control(hfi, engine, value);
		return true;
	case SEND_DMA_TAIL:
		csr_set(hfi, offset, value);
		sdma_run(hfi, engine);
		return true;
	case SEND_DMA_STATUS:
	case SEND_DMA_HEAD:
		return true;
	default:
		return false;
	}
}
