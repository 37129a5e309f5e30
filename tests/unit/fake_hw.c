// SPDX-License-Identifier: GPL-2.0
/* The chip's receive side in plain memory, and an IOMMU that counts. */

#include <linux/dma-map-ops.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "../../include/hfi1.h"
#include "fake_hw.h"
#include "fake_mmio.h"

#define FAKE_QP_MAP_ROWS	32
#define FAKE_INT_MASKS		12

/**
 * struct fake_regs - registers behind the two windows of BAR 0
 * @hw: the rest
 * @lock: guards the log
 * @int_masks: CceIntMask, 64 interrupt sources a row
 * @qp_map: RcvQPMapTable, 8 contexts a row
 * @flows: RcvTIDFlowTable of each context
 */
struct fake_regs {
	struct fake_hw hw;
	spinlock_t lock;	/* guards the log */
	u64 int_masks[FAKE_INT_MASKS];
	u64 qp_map[FAKE_QP_MAP_ROWS];
	u64 flows[FAKE_CTXTS][FAKE_FLOWS];
};

/* The accessors get an address and no device: there is one chip at a time. */
static struct fake_regs *fake_chip;

static void fake_hw_record(enum fake_event_kind kind, u64 addr, u32 entry)
{
	struct fake_hw *hw = &fake_chip->hw;
	unsigned long flags;

	if (!hw->logging)
		return;
	spin_lock_irqsave(&fake_chip->lock, flags);
	if (hw->nlog < ARRAY_SIZE(hw->log))
		hw->log[hw->nlog++] = (struct fake_event) {
			.kind = kind, .addr = addr, .entry = entry,
		};
	spin_unlock_irqrestore(&fake_chip->lock, flags);
}

/* The register at an offset in BAR 0; NULL if the fake chip has none there. */
static u64 *fake_hw_register(u64 offset)
{
	u64 ctxt, at;

	if (offset % sizeof(u64))
		return NULL;
	if (offset >= FAKE_INT_MASK &&
	    offset < FAKE_INT_MASK + sizeof(fake_chip->int_masks))
		return &fake_chip->int_masks[(offset - FAKE_INT_MASK) / 8];
	if (offset >= FAKE_QP_MAP_TABLE &&
	    offset < FAKE_QP_MAP_TABLE + sizeof(fake_chip->qp_map))
		return &fake_chip->qp_map[(offset - FAKE_QP_MAP_TABLE) / 8];
	if (offset < FAKE_FLOW_TABLE)
		return NULL;
	ctxt = (offset - FAKE_FLOW_TABLE) / FAKE_CTXT_STRIDE;
	at = (offset - FAKE_FLOW_TABLE) % FAKE_CTXT_STRIDE / sizeof(u64);
	if (ctxt >= FAKE_CTXTS || at >= FAKE_FLOWS)
		return NULL;
	return &fake_chip->flows[ctxt][at];
}

static u64 *fake_hw_decode(const void __iomem *addr)
{
	unsigned long at = (__force unsigned long)addr;
	unsigned long base1 = (__force unsigned long)fake_chip->hw.kregbase1;
	unsigned long base2 = (__force unsigned long)fake_chip->hw.kregbase2;

	if (at - base2 < FAKE_CTXTS * FAKE_CTXT_STRIDE + FAKE_FLOW_TABLE)
		return fake_hw_register(at - base2 + fake_chip->hw.base2_start);
	if (at - base1 < FAKE_RCV_ARRAY)
		return fake_hw_register(at - base1);
	return NULL;
}

/**
 * fake_hw_unmask - let an interrupt source interrupt
 * @source: its number
 *
 * Context: any.
 */
void fake_hw_unmask(unsigned int source)
{
	fake_chip->int_masks[source / 64] |= BIT_ULL(source % 64);
}

/**
 * fake_writeq - a register write of the code under test
 * @value: what is written
 * @addr: where
 *
 * Context: any.
 */
void fake_writeq(u64 value, void __iomem *addr)
{
	struct fake_hw *hw = &fake_chip->hw;
	u64 *at = (__force u64 *)addr;

	if (at >= hw->rcvarray && at < hw->rcvarray + FAKE_RCVARRAY_ENTRIES) {
		bool valid = FAKE_RCVARRAY_SIZE(value);

		if (!(value & FAKE_RCVARRAY_WRITE)) {
			atomic_inc(&hw->fills);
			return;
		}
		WRITE_ONCE(*at, value);
		fake_hw_record(valid ? FAKE_EVENT_PROGRAM :
				       FAKE_EVENT_INVALIDATE,
			       FAKE_RCVARRAY_ADDR(value), at - hw->rcvarray);
		return;
	}
	at = fake_hw_decode(addr);
	if (at)
		WRITE_ONCE(*at, value);
	else
		atomic_inc(&hw->errors);
}

/**
 * fake_readq - a register read of the code under test
 * @addr: where
 *
 * Context: any.
 * Return: the register; all ones if there is none.
 */
u64 fake_readq(const void __iomem *addr)
{
	u64 *at = fake_hw_decode(addr);

	fake_hw_record(FAKE_EVENT_READ, 0, 0);
	if (at)
		return READ_ONCE(*at);
	atomic_inc(&fake_chip->hw.errors);
	return U64_MAX;
}

static atomic_t *fake_dma_piece(u64 offset, size_t size,
				enum dma_data_direction dir)
{
	u64 page = offset >> PAGE_SHIFT;
	unsigned int order = ilog2(size >> PAGE_SHIFT);

	if (offset & ~PAGE_MASK || size < PAGE_SIZE || !is_power_of_2(size) ||
	    dir != DMA_FROM_DEVICE || page >= FAKE_ARENA_PAGES ||
	    (size >> PAGE_SHIFT) > FAKE_ARENA_PAGES - page ||
	    order >= FAKE_MAP_ORDERS)
		return NULL;
	return &fake_chip->hw.maps[page][order];
}

static bool fake_dma_fails(struct fake_hw *hw)
{
	int left = atomic_dec_if_positive(&hw->fail_map);

	return left == 0;
}

static dma_addr_t fake_dma_map_phys(struct device *dev, phys_addr_t phys,
				    size_t size, enum dma_data_direction dir,
				    unsigned long attrs)
{
	struct fake_hw *hw = &fake_chip->hw;
	u64 offset = phys - page_to_phys(hw->arena);
	atomic_t *piece = fake_dma_piece(offset, size, dir);

	if (!piece || dev != hw->dev) {
		atomic_inc(&hw->errors);
		return DMA_MAPPING_ERROR;
	}
	if (fake_dma_fails(hw))
		return DMA_MAPPING_ERROR;
	atomic_inc(piece);
	atomic_inc(&hw->nmaps);
	fake_hw_record(FAKE_EVENT_MAP, FAKE_IOVA + offset, 0);
	return FAKE_IOVA + offset;
}

static void fake_dma_unmap(struct device *dev, dma_addr_t addr, size_t size,
			   enum dma_data_direction dir, unsigned long attrs)
{
	struct fake_hw *hw = &fake_chip->hw;
	atomic_t *piece = fake_dma_piece(addr - FAKE_IOVA, size, dir);

	if (!piece || dev != hw->dev || atomic_dec_if_positive(piece) < 0) {
		atomic_inc(&hw->errors);
		return;
	}
	atomic_dec(&hw->nmaps);
	fake_hw_record(FAKE_EVENT_UNMAP, addr, 0);
}

#ifdef HFI1_COMPAT_DMA_OPS_PHYS
static const struct dma_map_ops fake_dma_ops = {
	.map_phys = fake_dma_map_phys,
	.unmap_phys = fake_dma_unmap,
};
#else
static dma_addr_t fake_dma_map_page(struct device *dev, struct page *page,
				    unsigned long offset, size_t size,
				    enum dma_data_direction dir,
				    unsigned long attrs)
{
	return fake_dma_map_phys(dev, page_to_phys(page) + offset, size, dir,
				 attrs);
}

static const struct dma_map_ops fake_dma_ops = {
	.map_page = fake_dma_map_page,
	.unmap_page = fake_dma_unmap,
};
#endif

/**
 * fake_hw_create - make a chip with all flows idle and no TID valid
 * @dev: the device that the code under test maps pages for
 *
 * Context: process; may sleep. One chip at a time.
 * Return: the chip, or NULL without memory.
 */
struct fake_hw *fake_hw_create(struct device *dev)
{
	struct fake_regs *chip = vzalloc(sizeof(*chip));
	unsigned int i, j;

	if (!chip)
		return NULL;
	chip->hw.rcvarray = vzalloc(FAKE_RCVARRAY_ENTRIES * sizeof(u64));
	chip->hw.arena = alloc_pages(GFP_KERNEL, FAKE_ARENA_ORDER);
	if (!chip->hw.rcvarray || !chip->hw.arena)
		goto free;
	spin_lock_init(&chip->lock);
	for (i = 0; i < FAKE_CTXTS; i++)
		for (j = 0; j < FAKE_FLOWS; j++)
			chip->flows[i][j] = FAKE_FLOW_IDLE;
	chip->hw.dev = dev;
	/* Never dereferenced: two windows at addresses that nobody else has. */
	chip->hw.kregbase1 = (__force void __iomem *)0xdead000000000000ul;
	chip->hw.kregbase2 = (__force void __iomem *)0xdead000100000000ul;
	chip->hw.base2_start = FAKE_RCV_ARRAY + FAKE_RCVARRAY_ENTRIES * 8;
	set_dma_ops(dev, &fake_dma_ops);
	fake_chip = chip;
	return &chip->hw;

free:
	if (chip->hw.arena)
		__free_pages(chip->hw.arena, FAKE_ARENA_ORDER);
	vfree(chip->hw.rcvarray);
	vfree(chip);
	return NULL;
}

/**
 * fake_hw_destroy - the opposite of fake_hw_create()
 * @hw: the chip
 *
 * Context: process; may sleep.
 */
void fake_hw_destroy(struct fake_hw *hw)
{
	set_dma_ops(hw->dev, NULL);
	__free_pages(hw->arena, FAKE_ARENA_ORDER);
	vfree(hw->rcvarray);
	vfree(fake_chip);
	fake_chip = NULL;
}

/**
 * fake_hw_flow - read a flow table row
 * @ctxt: receive context
 * @flow: flow
 *
 * Context: any.
 * Return: the row.
 */
u64 fake_hw_flow(unsigned int ctxt, unsigned int flow)
{
	return READ_ONCE(fake_chip->flows[ctxt][flow]);
}

/**
 * fake_hw_set_flow - write a flow table row
 * @ctxt: receive context
 * @flow: flow
 * @row: what it shall hold
 *
 * Context: any.
 */
void fake_hw_set_flow(unsigned int ctxt, unsigned int flow, u64 row)
{
	WRITE_ONCE(fake_chip->flows[ctxt][flow], row);
}

/**
 * fake_hw_set_qp_map - set one entry of the QP map table
 * @index: entry, 0 to 255
 * @ctxt: the receive context it names
 *
 * Context: process.
 */
void fake_hw_set_qp_map(unsigned int index, u8 ctxt)
{
	u64 *row = &fake_chip->qp_map[index / 8];
	unsigned int shift = index % 8 * 8;

	*row = (*row & ~(0xffull << shift)) | (u64)ctxt << shift;
}

/**
 * fake_hw_iova - the address that the device has for a page
 * @page: index in the arena
 *
 * Context: any.
 * Return: that address.
 */
u64 fake_hw_iova(unsigned int page)
{
	return FAKE_IOVA + ((u64)page << PAGE_SHIFT);
}

/**
 * fake_hw_event - find an event in the log
 * @hw: the chip
 * @kind: which event
 * @addr: of this device address
 *
 * Context: while nobody writes the log.
 * Return: its place in the log, UINT_MAX if it did not happen.
 */
unsigned int fake_hw_event(struct fake_hw *hw, enum fake_event_kind kind,
			   u64 addr)
{
	unsigned int i;

	for (i = 0; i < hw->nlog; i++)
		if (hw->log[i].kind == kind && hw->log[i].addr == addr)
			return i;
	return UINT_MAX;
}
