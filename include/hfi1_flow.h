/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TID flows: rows of RcvTIDFlowTable, in which the hardware checks generation
 * and sequence number of the packets of a segment. Origin: chip.h, common.h,
 * verbs.h and tid_rdma.c of hfi1.
 */
#ifndef HFI1_TID_WAIT_FLOW_H
#define HFI1_TID_WAIT_FLOW_H

/* Flows of a receive context; as a flow's index: none. */
#define RXE_NUM_TID_FLOWS		32

/*
 * A row: sequence number in bits 0 to 10, generation in 11 to 30, then these.
 * The mismatch bits are cleared by writing ones.
 */
#define RCV_TID_FLOW_TABLE_CTRL_FLOW_VALID_SMASK		BIT_ULL(32)
#define RCV_TID_FLOW_TABLE_CTRL_HDR_SUPP_EN_SMASK		BIT_ULL(33)
#define RCV_TID_FLOW_TABLE_CTRL_KEEP_AFTER_SEQ_ERR_SMASK	BIT_ULL(34)
#define RCV_TID_FLOW_TABLE_STATUS_SEQ_MISMATCH_SMASK		BIT_ULL(37)
#define RCV_TID_FLOW_TABLE_STATUS_GEN_MISMATCH_SMASK		BIT_ULL(38)

/* The 31-bit PSN of a KDETH packet: a generation and a sequence number. */
#define HFI1_KDETH_BTH_SEQ_SHIFT	11
#define HFI1_KDETH_BTH_SEQ_MASK		(BIT(HFI1_KDETH_BTH_SEQ_SHIFT) - 1)
#define PSN_MASK			0x7FFFFFFF
#define PSN_SHIFT			1

#define GENERATION_MASK			0xFFFFF

/* The generation of a row that no QP has: matches no packet. */
#define KERN_GENERATION_RESERVED	(U32_MAX & GENERATION_MASK)

/**
 * mask_generation() - cut a number down to a generation
 * @a: the number
 *
 * Context: any.
 * Return: its low 20 bits.
 */
static inline u32 mask_generation(u32 a)
{
	return a & GENERATION_MASK;
}

/**
 * mask_psn() - cut a number down to a PSN
 * @a: the number
 *
 * Context: any.
 * Return: its low 31 bits.
 */
static inline u32 mask_psn(u32 a)
{
	return a & PSN_MASK;
}

/**
 * cmp_psn() - which of two PSNs is later
 * @a: a PSN
 * @b: another one
 *
 * Context: any.
 * Return: more than 0 if @a is later, less if it is earlier, 0 if they are the
 *	same. PSNs go round: later is what is less than half a round ahead.
 */
static inline int cmp_psn(u32 a, u32 b)
{
	return (int)((a - b) << PSN_SHIFT);
}

/**
 * full_flow_psn() - PSN of a packet as it is on the wire
 * @flow: the segment's flow, with its generation set
 * @psn: the packet's number within the generation; higher bits are ignored
 *
 * Context: any.
 * Return: generation and sequence number, 31 bits.
 */
static inline u32 full_flow_psn(struct tid_rdma_flow *flow, u32 psn)
{
	u32 generation = flow->flow_state.generation;

	return mask_psn(generation << HFI1_KDETH_BTH_SEQ_SHIFT |
			(psn & HFI1_KDETH_BTH_SEQ_MASK));
}

#endif
