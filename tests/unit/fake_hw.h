/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_FAKE_HW_H
#define TID_UNIT_FAKE_HW_H

#include <linux/device.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include "../../include/hfi1.h"

/*
 * What the code under test would find in the chip, restated here from the
 * chip's register map so that a wrong number in its headers is caught.
 */
#define FAKE_INT_MASK		0x110900
#define FAKE_RXE		0x1000000
#define FAKE_QP_MAP_TABLE	(FAKE_RXE + 0x100)
#define FAKE_RCV_ARRAY		(FAKE_RXE + 0x200000)
#define FAKE_FLOW_TABLE		(FAKE_RXE + 0x300800)
#define FAKE_CTXT_STRIDE	0x1000

#define FAKE_CTXTS		4
#define FAKE_FLOWS		32
#define FAKE_RCVARRAY_ENTRIES	1024
#define FAKE_GROUP		8

/* A row of the RcvArray. */
#define FAKE_RCVARRAY_WRITE	BIT_ULL(63)
#define FAKE_RCVARRAY_SIZE(row)	(((row) >> 36) & 0xff)
#define FAKE_RCVARRAY_ADDR(row)	(((row) & GENMASK_ULL(35, 0)) << 12)

/*
 * A row of the flow table: valid, clear both mismatches; while a QP has the flow
 * also suppress headers and keep packets out of sequence.
 */
#define FAKE_FLOW_COMMON	(BIT_ULL(32) | BIT_ULL(37) | BIT_ULL(38))
#define FAKE_FLOW_SUPPRESS	BIT_ULL(33)
#define FAKE_FLOW_KEEP		BIT_ULL(34)
#define FAKE_GEN_RESERVED	0xFFFFFu
#define FAKE_FLOW_IDLE		(FAKE_FLOW_COMMON | 0xFFFFFull << 11)
#define FAKE_FLOW_ACTIVE(gen) \
	(FAKE_FLOW_COMMON | FAKE_FLOW_SUPPRESS | FAKE_FLOW_KEEP | \
	 (u64)(gen) << 11)

/* Addresses that the device sees; far from any physical address. */
#define FAKE_IOVA		0x7a5000000000ull
#define FAKE_ARENA_ORDER	8
#define FAKE_ARENA_PAGES	BIT(FAKE_ARENA_ORDER)
#define FAKE_MAP_ORDERS		8

/**
 * enum fake_event_kind - what the device or the IOMMU was told
 * @FAKE_EVENT_PROGRAM: a RcvArray row was given a page set
 * @FAKE_EVENT_INVALIDATE: a RcvArray row was made invalid
 * @FAKE_EVENT_MAP: pages were mapped
 * @FAKE_EVENT_UNMAP: pages were unmapped
 * @FAKE_EVENT_READ: a register was read, so that all writes before it are done
 */
enum fake_event_kind {
	FAKE_EVENT_PROGRAM,
	FAKE_EVENT_INVALIDATE,
	FAKE_EVENT_MAP,
	FAKE_EVENT_UNMAP,
	FAKE_EVENT_READ,
};

/**
 * struct fake_event - one of them
 * @kind: which
 * @addr: device address (0 for an invalidation or a read)
 * @entry: RcvArray entry (0 for a mapping or a read)
 */
struct fake_event {
	enum fake_event_kind kind;
	u64 addr;
	u32 entry;
};

/**
 * struct fake_hw - the chip's receive side, in plain memory, and its IOMMU
 * @kregbase1: what &hfi1_devdata.kregbase1 must be
 * @kregbase2: the same for kregbase2
 * @base2_start: the same for base2_start
 * @rcvarray: the RcvArray, one row an entry
 * @dev: a device whose DMA mappings are counted
 * @arena: the pages that may be mapped, FAKE_ARENA_PAGES of them
 * @maps: how often the piece of 2^order pages at a page is mapped
 * @nmaps: how many pieces are mapped now
 * @fail_map: fail the n-th mapping from now (0: none)
 * @errors: accesses to no register, unmaps of what is not mapped, mappings
 *	of foreign or misaligned memory
 * @fills: writes that the chip ignores
 * @log: the last events, while @logging
 * @nlog: how many
 * @logging: whether to record
 */
struct fake_hw {
	void __iomem *kregbase1;
	void __iomem *kregbase2;
	u64 base2_start;
	u64 *rcvarray;
	struct device *dev;
	struct page *arena;
	atomic_t maps[FAKE_ARENA_PAGES][FAKE_MAP_ORDERS];
	atomic_t nmaps;
	atomic_t fail_map;
	atomic_t errors;
	atomic_t fills;
	struct fake_event log[512];
	unsigned int nlog;
	bool logging;
};

struct fake_hw *fake_hw_create(struct device *dev);
void fake_hw_destroy(struct fake_hw *hw);

u64 fake_hw_flow(unsigned int ctxt, unsigned int flow);
void fake_hw_set_flow(unsigned int ctxt, unsigned int flow, u64 row);
void fake_hw_unmask(unsigned int source);
void fake_hw_set_qp_map(unsigned int index, u8 ctxt);
u64 fake_hw_iova(unsigned int page);
unsigned int fake_hw_event(struct fake_hw *hw, enum fake_event_kind kind,
			   u64 addr);

#endif /* TID_UNIT_FAKE_HW_H */
