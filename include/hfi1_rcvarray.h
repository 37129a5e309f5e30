/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RcvArray: entries that name a piece of memory for the hardware to write to,
 * and the groups of eight in which hfi1 hands them out. Origin: chip_registers.h,
 * chip.c (hfi1_put_tid), hfi.h and exp_rcv.h of hfi1.
 */
#ifndef HFI1_TID_WAIT_RCVARRAY_H
#define HFI1_TID_WAIT_RCVARRAY_H

/* An entry as it is written: a physical address in 4 KiB units, log2 size + 1. */
#define RCV_ARRAY_RT_ADDR_MASK		0xFFFFFFFFFULL
#define RCV_ARRAY_RT_ADDR_SHIFT		0
#define RCV_ARRAY_RT_BUF_SIZE_SHIFT	36
#define RCV_ARRAY_RT_WRITE_ENABLE_SMASK	BIT_ULL(63)
#define RT_ADDR_SHIFT			12

/* What an entry is used for: the type argument of hfi1_put_tid(). */
#define PT_EXPECTED			0
#define PT_EAGER			1
#define PT_INVALID_FLUSH		2
#define PT_INVALID			3

/* Most bytes that one entry may name. */
#define MAX_EXPECTED_BUFFER		(2048 * 1024)

/**
 * flush_wc() - push written entries out of the CPU's write-combining buffers
 *
 * Context: any.
 */
static inline void flush_wc(void)
{
	/* a store fence is what drains those buffers on x86 */
	wmb();
}

/**
 * rcv_array_wc_fill() - write an entry that is to stay as it is
 * @dd: the device
 * @index: number of the entry
 *
 * The hardware ignores the write (no write enable bit); it is there to fill a
 * write-combining buffer, which holds four entries.
 *
 * Context: exp_lock of the context that owns the entry.
 */
static inline void rcv_array_wc_fill(struct hfi1_devdata *dd, u32 index)
{
	if (!(dd->flags & HFI1_PRESENT) || !dd->rcvarray_wc)
		return;
	writeq(0, dd->rcvarray_wc + index * 8);
	if (index % 4 == 3)
		flush_wc();
}

/**
 * hfi1_put_tid() - write an entry
 * @dd: the device
 * @index: number of the entry
 * @type: PT_EXPECTED, PT_EAGER, PT_INVALID or PT_INVALID_FLUSH
 * @pa: DMA address of the memory, 4 KiB aligned; ignored for the invalid types
 * @order: log2 of the size in 4 KiB units, plus one; ignored likewise
 *
 * Expected entries reach the hardware when the fourth of a write-combining
 * buffer is written: whoever writes a whole group needs no flush of his own.
 *
 * Context: exp_lock of the context that owns the entry.
 */
static inline void hfi1_put_tid(struct hfi1_devdata *dd, u32 index, u32 type,
				unsigned long pa, u16 order)
{
	u64 reg = RCV_ARRAY_RT_WRITE_ENABLE_SMASK;

	if (!(dd->flags & HFI1_PRESENT) || WARN_ON_ONCE(type > PT_INVALID))
		return;
	if (type == PT_EXPECTED || type == PT_EAGER) {
		reg |= (u64)order << RCV_ARRAY_RT_BUF_SIZE_SHIFT;
		reg |= ((pa >> RT_ADDR_SHIFT) & RCV_ARRAY_RT_ADDR_MASK) <<
		       RCV_ARRAY_RT_ADDR_SHIFT;
	}
	writeq(reg, dd->rcvarray_wc + index * 8);
	if (type == PT_EAGER || type == PT_INVALID_FLUSH || index % 4 == 3)
		flush_wc();
}

/**
 * tid_group_add_tail() - put a group at the end of a set
 * @grp: the group, in no set
 * @set: the set
 *
 * Context: exp_lock.
 */
static inline void tid_group_add_tail(struct tid_group *grp,
				      struct exp_tid_set *set)
{
	set->count++;
	list_add_tail(&grp->list, &set->list);
}

/**
 * tid_group_remove() - take a group out of its set
 * @grp: the group
 * @set: the set it is in
 *
 * Context: exp_lock.
 */
static inline void tid_group_remove(struct tid_group *grp,
				    struct exp_tid_set *set)
{
	set->count--;
	list_del_init(&grp->list);
}

/**
 * tid_group_move() - move a group to the end of another set
 * @grp: the group
 * @from: the set it is in
 * @to: the set it goes to
 *
 * Context: exp_lock.
 */
static inline void tid_group_move(struct tid_group *grp,
				  struct exp_tid_set *from,
				  struct exp_tid_set *to)
{
	tid_group_remove(grp, from);
	tid_group_add_tail(grp, to);
}

#endif
