/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Segments of TID RDMA requests, and the TID entries that tell the sender where
 * they go. Origin: tid_rdma.h, tid_rdma.c, exp_rcv.h, hfi.h,
 * common.h and hfi1_user.h.
 */
#ifndef HFI1_TID_WAIT_TID_H
#define HFI1_TID_WAIT_TID_H

/* A segment is at most 256 KiB. */
#define TID_RDMA_MAX_SEGMENT_SIZE	BIT(18)
#define TID_RDMA_MAX_PAGES		(BIT(18) >> PAGE_SHIFT)

/* Pages that one RcvArray entry may name. */
#define MAX_EXPECTED_PAGES		(MAX_EXPECTED_BUFFER / PAGE_SIZE)

/* Segments of a request that may be under way at once. */
#define TID_RDMA_MAX_READ_SEGS_PER_REQ	6
#define TID_RDMA_MAX_WRITE_SEGS_PER_REQ	4

/* Slots in a request's ring of flows: a power of two that leaves one free. */
#define MAX_FLOWS \
	roundup_pow_of_two(TID_RDMA_MAX_READ_SEGS_PER_REQ + 1)

/* Steps in such a ring; size is a power of two. */
#define CIRC_ADD(val, add, size)	(((val) + (add)) & ((size) - 1))
#define CIRC_NEXT(val, size)		CIRC_ADD(val, 1, size)

/*
 * A TID entry: LEN, length in 4 KiB pages; CTRL, which of a pair of RcvArray
 * entries it is about (1 even, 2 odd, 3 both as one); IDX, number of the pair,
 * from the context's first expected entry.
 */
#define EXP_TID_TIDLEN_MASK		0x7FFULL
#define EXP_TID_TIDLEN_SHIFT		0
#define EXP_TID_TIDCTRL_MASK		0x3ULL
#define EXP_TID_TIDCTRL_SHIFT		20
#define EXP_TID_TIDIDX_MASK		0x3FFULL
#define EXP_TID_TIDIDX_SHIFT		22

/*
 * The KDETH words of a packet's header. The first: offset behind the start of the
 * TID, in units (OM) of 4 bytes or KDETH_OM_LARGE; number of the TID's pair and
 * which of the two, as in a TID entry; interrupt (INTR); may the header be
 * suppressed (SH); protocol version. The second: the key.
 */
#define KDETH_OFFSET_MASK		0x7fff
#define KDETH_OM_SHIFT			15
#define KDETH_OM_LARGE			64
#define KDETH_TID_SHIFT			16
#define KDETH_TIDCTRL_SHIFT		26
#define KDETH_INTR_SHIFT		28
#define KDETH_SH_SHIFT			29
#define KDETH_KVER_SHIFT		30
#define KDETH_JKEY_MASK			0xff

/* A packet whose payload the chip put where a TID says (etype of hfi1_packet). */
#define RHF_RCV_TYPE_EXPECTED		0

/* Where a flow's number is in the QP number that a peer sends data to. */
#define TID_RDMA_DESTQP_FLOW_SHIFT	11
#define TID_RDMA_DESTQP_FLOW_MASK	0x1f

/*
 * The word in which a QP tells its peer about itself: the QP number that KDETH
 * packets for it are sent to, as context and prefix; the largest segment, in pages,
 * less one; its timeout, as in a QP's attributes; whether data may ask for an urgent
 * interrupt; its key; and how many segments of a READ or WRITE it has under way at
 * most.
 */
#define TID_OPFN_QP_CTXT_MASK		0xff
#define TID_OPFN_QP_CTXT_SHIFT		56
#define TID_OPFN_QP_KDETH_MASK		0xff
#define TID_OPFN_QP_KDETH_SHIFT		48
#define TID_OPFN_MAX_LEN_MASK		0x7ff
#define TID_OPFN_MAX_LEN_SHIFT		37
#define TID_OPFN_TIMEOUT_MASK		0x1f
#define TID_OPFN_TIMEOUT_SHIFT		32
#define TID_OPFN_URG_MASK		0x1
#define TID_OPFN_URG_SHIFT		25
#define TID_OPFN_JKEY_MASK		0x3f
#define TID_OPFN_JKEY_SHIFT		16
#define TID_OPFN_MAX_READ_MASK		0x3f
#define TID_OPFN_MAX_READ_SHIFT		10
#define TID_OPFN_MAX_WRITE_MASK		0x3f
#define TID_OPFN_MAX_WRITE_SHIFT	4

#define TID_OPFN_GET(word, field) \
	((u32)((word) >> TID_OPFN_##field##_SHIFT) & TID_OPFN_##field##_MASK)

#define EXP_TID_GET(entry, field) \
	(((entry) >> EXP_TID_TID##field##_SHIFT) & EXP_TID_TID##field##_MASK)
#define EXP_TID_SET(field, value) \
	(((value) & EXP_TID_TID##field##_MASK) << EXP_TID_TID##field##_SHIFT)

#endif
