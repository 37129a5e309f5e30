// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

#define RCV_SHIFT	3	/* RcvArray shares come in eights */
#define FLOW_OF(qpn)	((qpn) >> 11 & (TID_FLOWS - 1))
#define SEQUENCE_MASK	0x7ffULL
#define NEXT_SHIFT	48	/* in the row, where the driver does not look */

u32 expected_share(const struct hfi *hfi, unsigned int context, u32 *first)
{
	u64 control = csr_kget(hfi, RCV_TID_CTRL, context);
	u32 count = (control >> RCV_TID_CTRL_TID_PAIR_CNT_SHIFT &
		     RCV_TID_CTRL_TID_PAIR_CNT_MASK) << RCV_SHIFT;

	*first = (control & RCV_TID_CTRL_TID_BASE_INDEX_MASK) << RCV_SHIFT;
	if (*first >= hfi->config.rcv_array)
		return 0;
	if (count > hfi->config.rcv_array - *first)
		count = hfi->config.rcv_array - *first;
	return count;
}

static void add_part(struct tid_target *target, u32 entry, u64 address,
		     u64 offset, u32 length)
{
	struct tid_part *part = &target->part[target->count++];

	part->entry = entry;
	part->offset = offset;
	part->length = length;
	part->valid = address;
	part->address = address ? address + offset : 0;
	if (!part->valid)
		target->error = true;
}

void expected_decode(const struct hfi *hfi, unsigned int context, u32 kdeth,
		     u32 length, struct tid_target *target)
{
	u32 control = KDETH_TIDCTRL(kdeth), first, index, left, run;
	u32 count = expected_share(hfi, context, &first);
	u64 offset = KDETH_OFFSET(kdeth) * (kdeth & KDETH_OFFSET_BY_64 ? 64u : 4u);
	struct rcvarray_entry entry;

	target->count = 0;
	target->error = false;
	index = 2 * KDETH_TID(kdeth) + (control == 2);
	left = control == 3 ? 2 : 1;
	for (; length && left; left--, index++) {
		entry = rcvarray_decode(0);
		if (index < count)
			entry = rcvarray_get(hfi, first + index);
		if (!entry.size || !entry.address) {
			add_part(target, first + index, 0, offset, length);
			return;
		}
		if (offset >= entry.size) {
			offset -= entry.size;
			continue;
		}
		run = length < entry.size - offset ? length :
		      (u32)(entry.size - offset);
		add_part(target, first + index, entry.address, offset, run);
		length -= run;
		offset = 0;
	}
	if (length)
		target->error = true;
}

/*
 * After the first error every packet is one, also the right one when it is sent
 * again: the driver then counts in software and needs to see each header
 * (HFI1_R_TID_SW_PSN in tid_rdma.c), until it writes the row. The row keeps the
 * number at which the sequence broke; we count on beside it, so that a packet
 * which comes once more, when its TIDs may be another QP's, is not stored.
 */
static struct flow_verdict out_of_sequence(u64 row, u64 sequence)
{
	u64 next = row & FLOW_SEQ_MISMATCH ? row >> NEXT_SHIFT : FLOW_SEQUENCE(row);
	struct flow_verdict verdict = {
		.error = FLOW_SEQUENCE_ERROR,
		.write = sequence >= next,
	};

	if (sequence == next)
		next++;
	verdict.row = (row & ~(SEQUENCE_MASK << NEXT_SHIFT)) | FLOW_SEQ_MISMATCH |
		      next << NEXT_SHIFT;
	return verdict;
}

struct flow_verdict expected_flow(u64 row, u32 psn, bool suppress)
{
	struct flow_verdict verdict = { .row = row, .write = true };

	if (!(row & FLOW_VALID) || FLOW_GENERATION(row) != FLOW_GENERATION(psn)) {
		verdict.error = FLOW_GENERATION_ERROR;
		verdict.write = false;
		verdict.row |= FLOW_GEN_MISMATCH;
		verdict.drop = !(row & FLOW_KEEP_ON_GEN_ERR);
		return verdict;
	}
	if (row & FLOW_SEQ_MISMATCH && !(row & FLOW_KEEP_AFTER_SEQ_ERR)) {
		verdict.write = false;
		verdict.drop = true;
		return verdict;
	}
	if (row & FLOW_SEQ_MISMATCH || FLOW_SEQUENCE(row) != FLOW_SEQUENCE(psn))
		return out_of_sequence(row, FLOW_SEQUENCE(psn));
	verdict.row = (row & ~SEQUENCE_MASK) | ((row + 1) & SEQUENCE_MASK);
	verdict.suppress = suppress && row & FLOW_SUPPRESS;
	return verdict;
}

static void store_part(struct hfi *hfi, unsigned int context,
		       const struct packet *packet, const struct tid_part *part,
		       const u8 *from, bool *error)
{
	struct ledger_write write = {
		.context = (u16)context,
		.entry = part->entry,
		.valid = part->valid,
		.address = part->address,
		.offset = part->offset,
		.length = part->length,
		.psn = packet->psn,
		.arrived = packet->arrived,
	};
	void *to;

	if (!packet->forged)
		ledger_expected_write(hfi, &write);
	else if (!part->valid)
		hfi->counters.lies.refused++;
	if (!part->valid)
		return;
	to = mem_write_ptr(hfi, part->address, part->length);
	if (!to) {
		*error = true;
		return;
	}
	memcpy(to, from, part->length);
	hfi->counters.expected_writes++;
	if (packet->forged)
		hfi->counters.lies.in_grant++;
}

/* Return: RHF_TID_ERROR, or 0 if all of the payload has been stored. */
static u64 store_payload(struct hfi *hfi, unsigned int context,
			 const struct packet *packet, u32 header)
{
	const u8 *from = packet->data + header;
	struct tid_target target;
	unsigned int i;

	expected_decode(hfi, context, packet->kdeth, packet->length - header,
			&target);
	for (i = 0; i < target.count; i++) {
		if (!target.part[i].valid && !packet->forged)
			hfi->counters.invalid_entry_writes++;
		store_part(hfi, context, packet, &target.part[i], from,
			   &target.error);
		from += target.part[i].length;
	}
	return target.error ? RHF_TID_ERROR : 0;
}

static void count_flow_error(struct hfi *hfi, unsigned int context,
			     const struct packet *packet,
			     const struct flow_verdict *verdict)
{
	if (verdict->error == FLOW_SEQUENCE_ERROR)
		hfi->counters.sequence_errors++;
	else if (verdict->error == FLOW_GENERATION_ERROR)
		hfi->counters.generation_errors++;
	else
		return;
	hfi_log(hfi, LOG_INFO, "context %u flow %u: psn 0x%x does not fit row 0x%llx",
		context, FLOW_OF(packet->qpn), packet->psn, verdict->row);
}

enum receive_result expected_receive(struct hfi *hfi, unsigned int context,
				     struct packet *packet)
{
	u32 header = receive_header_length(hfi, context, packet);
	u32 row = RCV_TID_FLOW_TABLE + USER_STRIDE * context + 8 * FLOW_OF(packet->qpn);
	struct flow_verdict verdict = { .write = true };
	struct receive_ring ring;
	u64 rhf = 0;

	if (!receive_ring(hfi, context, &ring))
		return RECEIVE_DROPPED;
	if (ring.control & RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK)
		verdict = expected_flow(csr_get(hfi, row), packet->psn,
					packet->kdeth & KDETH_FLAG_SUPPRESS);
	if (packet->icrc_error)
		verdict.suppress = false;
	if (packet->forged && verdict.error != FLOW_GENERATION_ERROR && !lie_may_hit(hfi)) {
		hfi->counters.lies.kept_back++;
		return RECEIVE_DONE;
	}
	/* nothing may have changed if the packet has to wait */
	if (ring.full && !verdict.drop && !verdict.suppress)
		return ring.control & RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK ?
		       RECEIVE_STALL : RECEIVE_DROPPED;

	count_flow_error(hfi, context, packet, &verdict);
	if (verdict.write)
		rhf |= store_payload(hfi, context, packet, header);
	if (ring.control & RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK && !packet->icrc_error)
		csr_set(hfi, row, verdict.row);
	if (verdict.drop)
		return RECEIVE_DROPPED;
	if (verdict.suppress && !rhf) {
		hfi->counters.suppressed_headers++;
		hfi->counters.rx_packets++;
		return RECEIVE_DONE;
	}
	if (ring.full)
		return RECEIVE_DROPPED;
	rhf |= (u64)RHF_EXPECTED << RHF_TYPE_SHIFT;
	rhf |= (u64)verdict.error << RHF_TYPE_ERROR_SHIFT;
	return receive_store_header(hfi, context, &ring, packet, header, rhf);
}
