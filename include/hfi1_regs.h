/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers (CSRs) of the HFI that the module reads or writes. Offsets are bytes
 * from the start of BAR 0. Origin: hfi1's chip_registers.h, chip.h and chip.c.
 */
#ifndef HFI1_TID_WAIT_REGS_H
#define HFI1_TID_WAIT_REGS_H

/* Interrupt sources that may interrupt, a bit each; a context's urgent one. */
#define CCE_INT_MASK			0x110900
#define IS_RCVURGENT_START		416

/* The receive engine's block. */
#define RXE				0x1000000

/* QP map: a byte for each value of qpn >> qos_shift, eight to a register. */
#define RCV_QP_MAP_TABLE		(RXE + 0x100)

/* RcvArray: behind these offsets lies write-combined memory, not registers. */
#define RCV_ARRAY			(RXE + 0x200000)

/* RcvTIDFlowTable of context 0: 32 rows of eight bytes. */
#define RCV_TID_FLOW_TABLE		(RXE + 0x300800)

/* Bytes from one context's registers to the next one's (write_uctxt_csr()). */
#define RXE_PER_CONTEXT_SIZE		0x1000

/* dd->flags: the chip can be accessed; the device is going away (hfi.h). */
#define HFI1_PRESENT			0x2
#define HFI1_SHUTDOWN			0x100

/**
 * hfi1_addr_from_offset() - where a register is mapped
 * @dd: the device
 * @offset: of the register, bytes into BAR 0
 *
 * hfi1 maps the registers below RcvArray at kregbase1 and those behind it at
 * kregbase2. Origin: the function of this name in chip.c.
 *
 * Context: any.
 * Return: the address to read or write.
 */
static inline u8 __iomem *
hfi1_addr_from_offset(const struct hfi1_devdata *dd, u32 offset)
{
	if (offset < dd->base2_start)
		return dd->kregbase1 + offset;
	return dd->kregbase2 + (offset - dd->base2_start);
}

/**
 * read_csr() - read a register
 * @dd: the device
 * @offset: of the register, bytes into BAR 0
 *
 * Context: any.
 * Return: its value, all ones when the device is gone.
 */
static inline u64 read_csr(const struct hfi1_devdata *dd, u32 offset)
{
	if (!(dd->flags & HFI1_PRESENT))
		return ~0ULL;
	return readq(hfi1_addr_from_offset(dd, offset));
}

/**
 * write_csr() - write a register
 * @dd: the device
 * @offset: of the register, bytes into BAR 0; not within RcvArray
 * @value: what to write
 *
 * Writes nothing when the device is gone.
 *
 * Context: any.
 */
static inline void write_csr(const struct hfi1_devdata *dd, u32 offset,
			     u64 value)
{
	if (!(dd->flags & HFI1_PRESENT))
		return;
	if (WARN_ON_ONCE(offset >= RCV_ARRAY && offset < dd->base2_start))
		return;
	writeq(value, hfi1_addr_from_offset(dd, offset));
}

/**
 * write_uctxt_csr() - write a register that each receive context has
 * @dd: the device
 * @ctxt: number of the context
 * @offset: of the register of context 0, bytes into BAR 0
 * @value: what to write
 *
 * Context: any.
 */
static inline void write_uctxt_csr(struct hfi1_devdata *dd, int ctxt,
				   u32 offset, u64 value)
{
	write_csr(dd, offset + RXE_PER_CONTEXT_SIZE * ctxt, value);
}

/**
 * hfi1_get_qp_map() - which receive context a QP number is mapped to
 * @dd: the device
 * @idx: the QP number shifted right by dd->qos_shift, modulo 256
 *
 * The map is kept in registers only. Origin: the function of this name in
 * chip.c.
 *
 * Context: any.
 * Return: number of the context; 255 when the device is gone.
 */
static inline u8 hfi1_get_qp_map(struct hfi1_devdata *dd, u8 idx)
{
	u64 eight = read_csr(dd, RCV_QP_MAP_TABLE + round_down(idx, 8));

	return eight >> (8 * (idx % 8));
}

#endif
