/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_EXPECTED_H
#define HFISIM_EXPECTED_H

#include "receive.h"

#define TID_FLOWS	32
#define TID_PARTS	2

/* a row of the flow table (tid_rdma.c, RCV_TID_FLOW_TABLE_*) */
#define FLOW_SEQUENCE(row)	((u32)(row) & 0x7ff)
#define FLOW_GENERATION(row)	((u32)((row) >> 11) & 0xfffff)
#define FLOW_VALID		BIT_ULL(32)
#define FLOW_SUPPRESS		BIT_ULL(33)
#define FLOW_KEEP_AFTER_SEQ_ERR	BIT_ULL(34)
#define FLOW_KEEP_ON_GEN_ERR	BIT_ULL(35)

/* set by the chip, cleared by writing ones */
#define FLOW_SEQ_MISMATCH	BIT_ULL(37)
#define FLOW_GEN_MISMATCH	BIT_ULL(38)
#define FLOW_STATUS		(FLOW_SEQ_MISMATCH | FLOW_GEN_MISMATCH)

/* RHF receive type errors of expected packets (common.h, RHF_RTE_*) */
enum flow_error {
	FLOW_OK = 0,
	FLOW_SEQUENCE_ERROR = 2,
	FLOW_GENERATION_ERROR = 4,
};

/**
 * struct flow_verdict - what the flow table says about a packet
 * @error: goes to the RHF
 * @row: the row after the packet
 * @suppress: no header queue entry if nothing else is wrong
 * @write: the payload is stored
 * @drop: the packet is thrown away altogether
 */
struct flow_verdict {
	enum flow_error error;
	u64 row;
	bool suppress;
	bool write;
	bool drop;
};

/**
 * struct tid_part - a run of bytes in one RcvArray entry
 * @entry: index in the whole array
 * @offset: of the first byte in the entry
 * @length: in bytes
 * @address: bus address of the first byte, 0 if the entry is not valid
 * @valid: the entry is inside the context's share and names memory
 */
struct tid_part {
	u32 entry;
	u64 offset;
	u32 length;
	u64 address;
	bool valid;
};

/**
 * struct tid_target - where the payload of an expected packet goes
 * @part: the runs, in order
 * @count: how many, 0 to TID_PARTS
 * @error: RHF_TID_ERROR: an entry was not valid, or the payload is longer
 *	than the entries
 */
struct tid_target {
	struct tid_part part[TID_PARTS];
	unsigned int count;
	bool error;
};

/**
 * expected_share() - a context's share of the RcvArray for expected packets
 * @hfi: the HFI
 * @context: receive context
 * @first: set to the index of its first entry in the whole array
 *
 * Return: number of entries in the share; never reaches beyond the array.
 */
u32 expected_share(const struct hfi *hfi, unsigned int context, u32 *first);

/**
 * expected_decode() - find out where the payload goes
 * @hfi: the HFI
 * @context: receive context
 * @kdeth: first KDETH dword; its TID control is 1 (even entry), 2 (odd) or
 *	3 (both, one after the other)
 * @length: bytes of payload
 * @target: filled in
 */
void expected_decode(const struct hfi *hfi, unsigned int context, u32 kdeth,
		     u32 length, struct tid_target *target);

/**
 * expected_flow() - ask the flow table
 * @row: the row of the flow
 * @psn: of the packet: sequence in bits 10:0, generation from bit 11
 * @suppress: the packet asks for header suppression
 *
 * A packet of the wrong generation, or for an invalid row, is never stored:
 * the memory may have other owners by now. It makes a header queue entry
 * with an error if the row keeps packets on a generation error, and is
 * dropped otherwise. A packet of the wrong sequence is stored, because the
 * driver checks the order itself from then on (handle_read_kdeth_eflags()
 * of tid_rdma.c), and the row waits for the sequence that is missing. After
 * a sequence error a row that does not keep packets drops all that follow
 * until the driver writes it.
 *
 * Return: the verdict.
 */
struct flow_verdict expected_flow(u64 row, u32 psn, bool suppress);

/**
 * expected_receive() - receive a packet of route KIND_EXPECTED
 * @hfi: the HFI that receives
 * @context: receive context
 * @packet: parsed
 *
 * Return: what became of it.
 */
enum receive_result expected_receive(struct hfi *hfi, unsigned int context,
				     struct packet *packet);

#endif
