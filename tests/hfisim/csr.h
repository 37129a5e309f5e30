/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_CSR_H
#define HFISIM_CSR_H

#include <string.h>

#include "hfi.h"

#define BAR_SIZE		0x4000000u
#define CSR_SPACE		0x2000000u	/* the send buffers follow */
#define KERNEL_STRIDE		0x100u		/* of per-context registers */
#define USER_STRIDE		0x1000u		/* the same, mappable ones */

/**
 * csr_get() - value of a register, without side effects
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8 below CSR_SPACE
 * Return: the value.
 */
static inline u64 csr_get(const struct hfi *hfi, u32 offset)
{
	u64 value;

	memcpy(&value, hfi->bar + offset, sizeof(value));
	return value;
}

/**
 * csr_set() - change a register, without side effects
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8 below CSR_SPACE
 * @value: the new value
 */
static inline void csr_set(struct hfi *hfi, u32 offset, u64 value)
{
	memcpy(hfi->bar + offset, &value, sizeof(value));
}

/* the register of a kernel context or SDMA engine: stride KERNEL_STRIDE */
static inline u64 csr_kget(const struct hfi *hfi, u32 offset,
			   unsigned int context)
{
	return csr_get(hfi, offset + KERNEL_STRIDE * context);
}

static inline void csr_kset(struct hfi *hfi, u32 offset, unsigned int context,
			    u64 value)
{
	csr_set(hfi, offset + KERNEL_STRIDE * context, value);
}

/* the register of a user-mappable context: stride USER_STRIDE */
static inline u64 csr_uget(const struct hfi *hfi, u32 offset,
			   unsigned int context)
{
	return csr_get(hfi, offset + USER_STRIDE * context);
}

static inline void csr_uset(struct hfi *hfi, u32 offset, unsigned int context,
			    u64 value)
{
	csr_set(hfi, offset + USER_STRIDE * context, value);
}

/**
 * csr_reset() - power-on values of all registers
 * @hfi: the HFI; GUID and scratch registers keep theirs
 */
void csr_reset(struct hfi *hfi);

/**
 * csr_freeze() - freeze the send and receive blocks until the driver unfreezes
 * @hfi: the HFI
 */
void csr_freeze(struct hfi *hfi);

/**
 * csr_frozen() - see csr_freeze()
 * @hfi: the HFI
 * Return: true while the blocks are frozen: nothing is sent or received.
 */
bool csr_frozen(const struct hfi *hfi);

/**
 * csr_read() - the driver reads a register
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8 below CSR_SPACE
 * Return: the value.
 */
u64 csr_read(struct hfi *hfi, u32 offset);

/**
 * csr_write() - the driver writes a register, with all effects that has
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8 below CSR_SPACE
 * @value: what is written
 */
void csr_write(struct hfi *hfi, u32 offset, u64 value);

/**
 * bar_read() - QEMU reads BAR 0
 * @hfi: the HFI
 * @offset: in the BAR
 * @data: filled with @size bytes
 * @size: 1 to 8
 *
 * Return: 0, -EINVAL if the range is not in the BAR or crosses a register.
 */
int bar_read(struct hfi *hfi, u64 offset, void *data, u32 size);

/**
 * bar_write() - QEMU writes BAR 0
 * @hfi: the HFI
 * @offset: in the BAR
 * @data: @size bytes
 * @size: 1 to 8 in the registers; up to 64, within a block, in the send
 *	buffers
 *
 * Return: 0, -EINVAL if the range is not in the BAR or crosses a register
 * or a block.
 */
int bar_write(struct hfi *hfi, u64 offset, const void *data, u32 size);

/**
 * csr_name() - what the driver calls a register
 * @offset: in BAR 0
 * @text: filled with the name, an index, or an offset behind the nearest
 * @size: of @text, in bytes
 *
 * Return: @text.
 */
char *csr_name(u32 offset, char *text, size_t size);

#endif
