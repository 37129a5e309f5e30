// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "csr.h"
#include "regs.h"

/* CCE_REVISION: chip B1, as the driver prints it */
#define REVISION	0x0000000003020711ULL

/* SPC sub-blocks that say they are frozen (CCE_STATUS 3:0) or paused (7:4) */
#define STATUS_FROZEN	0x0fULL
#define STATUS_PAUSED	0xf0ULL

/* bytes of send buffer and of descriptor memory; the driver divides them */
#define PIO_MEMORY	0x100000
#define SDMA_MEMORY	0x80000

/* QSFP pins: no module present */
#define QSFP_EMPTY	0x1f

/* credits that the link starts with (SEND_CM_*, as after power-on) */
#define CM_CTRL		0x20
#define CM_GLOBAL	0x0000094000030000ULL

/* platform configuration in the ASIC scratch registers (platform.c) */
#define SCRATCH_WORDS		4
#define SCRATCH_VERSION		1ULL
#define SCRATCH_VERSION_SHIFT	44
#define SCRATCH_CHECKSUM_SHIFT	48
#define PORT_TYPE_FIXED		2ULL

/* SBus: command to read a receiver, and "read complete" with a result */
#define SBUS_COMMAND(value)	((u8)((value) >> ASIC_CFG_SBUS_REQUEST_COMMAND_SHIFT))
#define SBUS_READ		0x22
#define SBUS_READ_DONE		(4 << ASIC_STS_SBUS_RESULT_RESULT_CODE_SHIFT | \
				 ASIC_STS_SBUS_RESULT_RCV_DATA_VALID_SMASK | \
				 ASIC_STS_SBUS_RESULT_DONE_SMASK)

/* the RSA engine that would check a firmware's signature (firmware.c) */
#define RSA_START	2
#define RSA_DONE	(2ULL << MISC_CFG_FW_CTRL_RSA_STATUS_SHIFT)

static const struct { u32 offset; const char *name; } register_names[] = {
#include "regnames.h"
};

/* registers that the driver can read only */
static const u32 read_only[] = {
	CCE_REVISION, CCE_REVISION2, CCE_STATUS, RCV_CONTEXTS, RCV_ARRAY_CNT,
	RCV_STATUS, SEND_CONTEXTS, SEND_DMA_ENGINES, SEND_PIO_MEM_SIZE,
	SEND_DMA_MEM_SIZE, ASIC_STS_SBUS_RESULT, ASIC_QSFP1_IN, ASIC_QSFP2_IN,
};

static void scratch_init(struct hfi *hfi)
{
	u64 sum = SCRATCH_VERSION + PORT_TYPE_FIXED;

	csr_set(hfi, ASIC_CFG_SCRATCH_1, PORT_TYPE_FIXED);
	csr_set(hfi, ASIC_CFG_SCRATCH,
		SCRATCH_VERSION << SCRATCH_VERSION_SHIFT |
		(0xffff - sum) << SCRATCH_CHECKSUM_SHIFT);
}

void csr_reset(struct hfi *hfi)
{
	const struct hfi_config *config = &hfi->config;
	u64 scratch[SCRATCH_WORDS];

	memcpy(scratch, hfi->bar + ASIC_CFG_SCRATCH, sizeof(scratch));
	/* gives the memory back and reads as zero from now on */
	madvise(hfi->bar, BAR_SIZE, MADV_DONTNEED);
	if (scratch[0])
		memcpy(hfi->bar + ASIC_CFG_SCRATCH, scratch, sizeof(scratch));
	else
		scratch_init(hfi);

	csr_set(hfi, CCE_REVISION, REVISION);
	csr_set(hfi, CCE_REVISION2,
		(u64)config->icode << CCE_REVISION2_IMPL_CODE_SHIFT);
	csr_set(hfi, RCV_CONTEXTS, config->rcv_contexts);
	csr_set(hfi, RCV_ARRAY_CNT, config->rcv_array);
	csr_set(hfi, SEND_CONTEXTS, config->send_contexts);
	csr_set(hfi, SEND_DMA_ENGINES, config->sdma_engines);
	csr_set(hfi, SEND_PIO_MEM_SIZE, PIO_MEMORY);
	csr_set(hfi, SEND_DMA_MEM_SIZE, SDMA_MEMORY);
	csr_set(hfi, RCV_STATUS, RCV_STATUS_RX_RBUF_INIT_DONE_SMASK);
	csr_set(hfi, ASIC_QSFP1_IN, QSFP_EMPTY);
	csr_set(hfi, ASIC_QSFP2_IN, QSFP_EMPTY);
	csr_set(hfi, SEND_CM_CTRL, CM_CTRL);
	csr_set(hfi, SEND_CM_GLOBAL_CREDIT, CM_GLOBAL);
	csr_set(hfi, DC_DC8051_CFG_LOCAL_GUID, hfi->guid);
	csr_set(hfi, DC_DC8051_CFG_RAM_ACCESS_STATUS,
		DC_DC8051_CFG_RAM_ACCESS_STATUS_ACCESS_COMPLETED_SMASK);
}

void csr_freeze(struct hfi *hfi)
{
	u64 status = csr_get(hfi, CCE_STATUS);

	hfi_log(hfi, LOG_NOTICE, "frozen");
	csr_set(hfi, CCE_STATUS, status | STATUS_FROZEN);
}

bool csr_frozen(const struct hfi *hfi)
{
	return csr_get(hfi, CCE_STATUS) & STATUS_FROZEN;
}

/* sdma.c relies on it: the rings are empty after an unfreeze */
static void csr_unfreeze(struct hfi *hfi)
{
	unsigned int i;

	hfi_log(hfi, LOG_NOTICE, "unfrozen");
	hfi->counters.unfreezes++;
	csr_set(hfi, CCE_STATUS, csr_get(hfi, CCE_STATUS) & ~STATUS_FROZEN);
	for (i = 0; i < SDMA_ENGINES_MAX; i++)
		sdma_rewind(hfi, i);
	fabric_reset(hfi);
}

static void write_cce_ctrl(struct hfi *hfi, u64 value)
{
	if (value & CCE_CTRL_SPC_FREEZE_SMASK)
		csr_freeze(hfi);
	if (value & CCE_CTRL_SPC_UNFREEZE_SMASK)
		csr_unfreeze(hfi);
	csr_set(hfi, CCE_STATUS, csr_get(hfi, CCE_STATUS) & ~STATUS_PAUSED);
}

static bool is_read_only(u32 offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(read_only); i++) {
		if (read_only[i] == offset)
			return true;
	}
	return false;
}

static void write_chip_register(struct hfi *hfi, u32 offset, u64 value)
{
	u64 rsa;

	switch (offset) {
	case CCE_CTRL:
		write_cce_ctrl(hfi, value);
		return;
	case ASIC_CFG_SBUS_REQUEST:
		if (SBUS_COMMAND(value) == SBUS_READ)
			csr_set(hfi, ASIC_STS_SBUS_RESULT, SBUS_READ_DONE);
		break;
	case MISC_CFG_FW_CTRL:
		rsa = csr_get(hfi, offset) & MISC_CFG_FW_CTRL_RSA_STATUS_SMASK;
		value = (value & ~MISC_CFG_FW_CTRL_RSA_STATUS_SMASK) | rsa;
		break;
	case MISC_CFG_RSA_CMD:
		rsa = value == RSA_START ? RSA_DONE : 0;
		csr_set(hfi, MISC_CFG_FW_CTRL, rsa |
			(csr_get(hfi, MISC_CFG_FW_CTRL) &
			 ~MISC_CFG_FW_CTRL_RSA_STATUS_SMASK));
		break;
	case SEND_CTRL:
		value &= ~SEND_CTRL_CM_RESET_SMASK;
		break;
	default:
		if (is_read_only(offset))
			return;
	}
	csr_set(hfi, offset, value);
}

u64 csr_read(struct hfi *hfi, u32 offset)
{
	u64 value = csr_get(hfi, offset);

	if (offset == DC_DC8051_DBG_ERR_INFO_SET_BY_8051)
		link_message_read(hfi);
	return value;
}

void csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	if (offset - RCV_ARRAY < hfi->config.rcv_array * 8) {
		rcvarray_write(hfi, (offset - RCV_ARRAY) / 8, value);
		return;
	}
	if (receive_csr_write(hfi, offset, value) ||
	    interrupt_csr_write(hfi, offset, value) ||
	    sdma_csr_write(hfi, offset, value) ||
	    pio_csr_write(hfi, offset, value) ||
	    link_csr_write(hfi, offset, value))
		return;
	write_chip_register(hfi, offset, value);
}

static void trace_access(struct hfi *hfi, const char *what, u32 offset, u64 value)
{
	char name[80];

	hfi_log(hfi, LOG_TRACE, "%s %s 0x%llx", what,
		csr_name(offset, name, sizeof(name)), value);
}

static bool in_one_register(u64 offset, u32 size)
{
	return size && size <= 8 && offset % 8 + size <= 8;
}

int bar_read(struct hfi *hfi, u64 offset, void *data, u32 size)
{
	u64 value = 0;

	if (offset >= BAR_SIZE || !in_one_register(offset, size))
		return -EINVAL;
	hfi->counters.mmio_reads++;
	if (offset < CSR_SPACE)
		value = csr_read(hfi, (u32)offset & ~7u);
	if (log_level >= LOG_TRACE)
		trace_access(hfi, "read", (u32)offset, value);
	memcpy(data, (u8 *)&value + offset % 8, size);
	return 0;
}

int bar_write(struct hfi *hfi, u64 offset, const void *data, u32 size)
{
	u64 value;

	if (offset >= BAR_SIZE)
		return -EINVAL;
	if (offset >= PIO_BASE) {
		if (!size || offset % PIO_BLOCK + size > PIO_BLOCK)
			return -EINVAL;
		hfi->counters.mmio_writes++;
		pio_write(hfi, (u32)offset, data, size);
		return 0;
	}
	if (!in_one_register(offset, size))
		return -EINVAL;
	hfi->counters.mmio_writes++;
	value = csr_get(hfi, (u32)offset & ~7u);
	memcpy((u8 *)&value + offset % 8, data, size);
	if (log_level >= LOG_TRACE)
		trace_access(hfi, "write", (u32)offset, value);
	csr_write(hfi, (u32)offset & ~7u, value);
	return 0;
}

/* the registers of context 0, and the number of the context */
static u32 context_zero(u32 offset, u32 *context)
{
	u32 base;

	if (offset >= PIO_BASE) {
		*context = offset % PIO_SOP_DISTANCE / PIO_CONTEXT_SIZE;
		return offset - *context * PIO_CONTEXT_SIZE;
	}
	base = offset & ~0xffffu;
	if (base == RCV_CTXT_CTRL || base == SEND_CTXT_CTRL || base == SEND_DMA_CTRL) {
		*context = (offset - base) / KERNEL_STRIDE;
		return base + offset % KERNEL_STRIDE;
	}
	base = offset & ~0xfffffu;
	if (base == RCV_HDR_TAIL) {
		*context = (offset - base) / USER_STRIDE;
		return base + offset % USER_STRIDE;
	}
	return offset;
}

char *csr_name(u32 offset, char *text, size_t size)
{
	u32 low = 0, high = ARRAY_SIZE(register_names), context = ~0u;
	u32 plain = context_zero(offset, &context);
	const char *name;
	u32 more;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (register_names[middle].offset <= plain)
			low = middle;
		else
			high = middle;
	}
	name = plain >= PIO_BASE ? "send buffer" : register_names[low].name;
	more = plain - (plain >= PIO_BASE ? PIO_BASE : register_names[low].offset);
	if (context != ~0u)
		snprintf(text, size, "%s[%u]+0x%x", name, context, more);
	else
		snprintf(text, size, "%s+0x%x", name, more);
	return text;
}
