/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_MEM_H
#define HFISIM_MEM_H

#include "types.h"

struct hfi;

/* QEMU maps about 10 areas for a 2 GiB guest with option ROMs */
#define MEM_AREAS	64

/**
 * struct mem_area - a piece of guest memory that the HFI may use by DMA
 * @iova: bus address of the first byte
 * @size: in bytes
 * @base: where it is mapped here; NULL if it came without a descriptor
 * @writable: the HFI may write to it
 * @borrowed: the memory belongs to somebody else (mem_add_buffer())
 */
struct mem_area {
	u64 iova;
	u64 size;
	u8 *base;
	bool writable;
	bool borrowed;
};

/**
 * struct mem - guest memory as one HFI sees it
 * @area: the areas, disjoint, in no order
 * @count: how many
 * @last: index of the area that the last look-up hit
 */
struct mem {
	struct mem_area area[MEM_AREAS];
	unsigned int count;
	unsigned int last;
};

/**
 * mem_add() - map an area from a file descriptor
 * @hfi: the HFI
 * @iova: bus address, page aligned
 * @size: in bytes, page aligned, not 0
 * @fd: the descriptor, not closed here; -1 for an area without memory
 * @offset: of the area in @fd
 * @writable: false to map for reading only
 *
 * Return: 0; -EINVAL for a bad address, size or offset, or if the
 * descriptor's file ends before the area does; -EEXIST if it overlaps an
 * area; -ENOSPC when there are MEM_AREAS areas; a negative errno of mmap(2).
 */
int mem_add(struct hfi *hfi, u64 iova, u64 size, int fd, u64 offset,
	    bool writable);

/**
 * mem_add_buffer() - let a plain buffer be guest memory (for tests)
 * @hfi: the HFI
 * @iova: bus address
 * @buffer: stays the caller's
 * @size: in bytes, not 0
 * @writable: the HFI may write to it
 *
 * Return: as mem_add(), without alignment rules.
 */
int mem_add_buffer(struct hfi *hfi, u64 iova, void *buffer, u64 size,
		   bool writable);

/**
 * mem_survive() - let accesses to guest memory that has gone away succeed
 *
 * A client may shorten the file that its memory comes from after it was
 * mapped; touching it would then end the program. From now on a page of
 * zeroes takes the place of one that is gone. Call once.
 */
void mem_survive(void);

/**
 * mem_remove() - forget the areas that lie wholly inside a range
 * @hfi: the HFI
 * @iova: first bus address
 * @size: in bytes
 *
 * Return: number of areas removed.
 */
unsigned int mem_remove(struct hfi *hfi, u64 iova, u64 size);

/**
 * mem_remove_all() - forget all areas
 * @hfi: the HFI
 */
void mem_remove_all(struct hfi *hfi);

/**
 * mem_read_ptr() - guest memory to read from
 * @hfi: the HFI
 * @iova: bus address
 * @size: in bytes; must lie in one area
 *
 * Return: pointer valid until the next vfio-user message, or NULL (after
 * a complaint) if the range is not guest memory.
 */
const void *mem_read_ptr(struct hfi *hfi, u64 iova, u64 size);

/**
 * mem_write_ptr() - guest memory to write to
 * @hfi: the HFI
 * @iova: bus address
 * @size: in bytes; must lie in one writable area
 *
 * Return: as mem_read_ptr().
 */
void *mem_write_ptr(struct hfi *hfi, u64 iova, u64 size);

/**
 * mem_write64() - store a word that the driver polls (heads, tails, credits)
 * @hfi: the HFI
 * @iova: bus address, a multiple of 8
 * @value: stored in one access, after every store made before
 *
 * Return: 0, -EFAULT if the address is not writable guest memory.
 */
int mem_write64(struct hfi *hfi, u64 iova, u64 value);

#endif
