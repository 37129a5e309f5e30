// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

#define LRH_BYTES		8
#define BTH_BYTES		12
#define ICRC_BYTES		4
#define KDETH_JOB_KEY		4	/* in the KDETH header, two bytes */
#define RHF_DWORDS		2
#define EAGER_STEP		64u	/* packets in a buffer start at these */
#define EAGER_MAX		2048u	/* entries, see RHF_EAGER_INDEX_SHIFT */
#define RCV_SHIFT		3	/* RcvArray shares come in eights */
#define HDRQ_SHIFT		5	/* header queues come in 32 entries */

#define QP_MAP_ENTRIES		256
#define QP_MAP_INDEX(qpn)	((qpn) >> 1 & (QP_MAP_ENTRIES - 1))
#define CONTEXT_MASK		0xff

/**
 * struct eager_place - where the payload of an eager packet goes
 * @index: eager buffer
 * @offset: in it, in bytes
 * @to: the memory
 * @one: the buffer takes one packet only
 */
struct eager_place {
	u32 index;
	u32 offset;
	u8 *to;
	bool one;
};

struct rcvarray_entry rcvarray_decode(u64 value)
{
	u32 code = value >> RCV_ARRAY_RT_BUF_SIZE_SHIFT & 0xf;
	struct rcvarray_entry entry = {
		.address = (value & RCV_ARRAY_RT_ADDR_MASK) << 12,
		.size = code ? 4096ULL << (code - 1) : 0,
	};

	return entry;
}

struct rcvarray_entry rcvarray_get(const struct hfi *hfi, u32 index)
{
	if (index >= hfi->config.rcv_array)
		return rcvarray_decode(0);
	return rcvarray_decode(csr_get(hfi, RCV_ARRAY + index * 8));
}

void rcvarray_write(struct hfi *hfi, u32 index, u64 value)
{
	u64 before = csr_get(hfi, RCV_ARRAY + index * 8);

	if (!(value & RCV_ARRAY_RT_WRITE_ENABLE_SMASK))
		return;
	value &= ~RCV_ARRAY_RT_WRITE_ENABLE_SMASK;
	ledger_entry(hfi, index, before, value);
	csr_set(hfi, RCV_ARRAY + index * 8, value);
}

void receive_reset(struct hfi *hfi, unsigned int context)
{
	memset(&hfi->rcv[context], 0, sizeof(hfi->rcv[context]));
	csr_uset(hfi, RCV_HDR_TAIL, context, 0);
}

int receive_context_of(const struct hfi *hfi, const struct packet *packet)
{
	u32 context, index;

	switch (packet->route) {
	case KIND_VL15:
		context = csr_get(hfi, RCV_VL15) & CONTEXT_MASK;
		break;
	case KIND_MULTICAST:
		context = csr_get(hfi, RCV_MULTICAST) & CONTEXT_MASK;
		break;
	case KIND_EXPECTED:
	case KIND_KDETH_EAGER:
		context = packet->context;
		break;
	case KIND_EAGER:
		index = QP_MAP_INDEX(packet->qpn);
		context = csr_get(hfi, RCV_QP_MAP_TABLE + index / 8 * 8) >>
			  index % 8 * 8 & CONTEXT_MASK;
		break;
	default:
		return -1;
	}
	return context < hfi->config.rcv_contexts ? (int)context : -1;
}

u32 receive_header_length(const struct hfi *hfi, unsigned int context,
			  const struct packet *packet)
{
	u32 header;

	switch (packet->route) {
	case KIND_EXPECTED:
	case KIND_KDETH_EAGER:
		/* RcvHdrSize counts the dwords behind the BTH */
		header = packet->bth + BTH_BYTES +
			 4 * (csr_kget(hfi, RCV_HDR_SIZE, context) & 0x1f);
		break;
	default:
		header = packet->header;
	}
	return header < packet->length ? header : packet->length;
}

/* dwords in an entry, by the code in RcvHdrEntSize (chip.c) */
static u32 entry_dwords(u64 code)
{
	switch (code & 7) {
	case 1:
		return 2;
	case 2:
		return 16;
	case 4:
		return 32;
	default:
		return 0;
	}
}

bool receive_ring(const struct hfi *hfi, unsigned int context,
		  struct receive_ring *ring)
{
	u32 tail = hfi->rcv[context].tail, size;

	ring->control = csr_kget(hfi, RCV_CTXT_CTRL, context);
	ring->entries = (csr_kget(hfi, RCV_HDR_CNT, context) & 0x1ff) << HDRQ_SHIFT;
	ring->entry = entry_dwords(csr_kget(hfi, RCV_HDR_ENT_SIZE, context));
	ring->head = csr_uget(hfi, RCV_HDR_HEAD, context) & RCV_HDR_HEAD_HEAD_MASK;
	if (!(ring->control & RCV_CTXT_CTRL_ENABLE_SMASK) || !ring->entries ||
	    ring->entry <= RHF_DWORDS)
		return false;
	size = ring->entries * ring->entry;
	ring->next = tail + ring->entry;
	if (ring->next >= size)
		ring->next = 0;
	ring->full = ring->next == ring->head;
	return tail < size;
}

/* Tell the driver of new entries, while it has not taken all of them. */
static void raise_available(struct hfi *hfi, unsigned int context)
{
	const u64 both = RCV_CTXT_CTRL_ENABLE_SMASK | RCV_CTXT_CTRL_INTR_AVAIL_SMASK;
	u32 head = csr_uget(hfi, RCV_HDR_HEAD, context) & RCV_HDR_HEAD_HEAD_MASK;

	if ((csr_kget(hfi, RCV_CTXT_CTRL, context) & both) == both &&
	    hfi->rcv[context].tail != head)
		interrupt_raise(hfi, SOURCE_RCV_AVAILABLE + context);
}

enum receive_result receive_store_header(struct hfi *hfi, unsigned int context,
					 const struct receive_ring *ring,
					 const struct packet *packet,
					 u32 header, u64 rhf)
{
	struct receive_context *rcv = &hfi->rcv[context];
	u32 dwords = (header + 3) / 4, offset;
	u8 *entry;

	if (dwords + RHF_DWORDS > ring->entry) {
		hfi_complain(hfi, "receive context %u: header of %u bytes in an entry of %u",
			     context, header, ring->entry * 4);
		return RECEIVE_DROPPED;
	}
	entry = mem_write_ptr(hfi, csr_kget(hfi, RCV_HDR_ADDR, context) +
			      (u64)rcv->tail * 4, ring->entry * 4);
	if (!entry)
		return RECEIVE_DROPPED;
	if (++rcv->sequence > RHF_SEQUENCE_MAX)
		rcv->sequence = 1;
	offset = ring->entry - RHF_DWORDS - dwords;
	rhf |= (packet->length + ICRC_BYTES) / 4;
	rhf |= (u64)rcv->sequence << RHF_SEQUENCE_SHIFT;
	rhf |= (u64)offset << RHF_HEADER_OFFSET_SHIFT;
	if (packet->sc & 0x10)
		rhf |= RHF_DC_INFO;
	if (packet->icrc_error)
		rhf |= RHF_ICRC_ERROR;
	memcpy(entry + offset * 4, packet->data, header);
	/* the driver polls the RHF for its sequence number: it comes last */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(entry + (ring->entry - RHF_DWORDS) * 4, &rhf, sizeof(rhf));

	rcv->tail = ring->next;
	csr_uset(hfi, RCV_HDR_TAIL, context, rcv->tail);
	if (ring->control & RCV_CTXT_CTRL_TAIL_UPD_SMASK)
		mem_write64(hfi, csr_kget(hfi, RCV_HDR_TAIL_ADDR, context), rcv->tail);
	hfi->counters.rx_packets++;
	raise_available(hfi, context);
	return RECEIVE_DONE;
}

/**
 * eager_place() - find room for @bytes in the eager buffers of a context
 * @hfi: the HFI
 * @context: receive context
 * @control: RcvCtxtCtrl
 * @bytes: payload and ICRC
 * @place: filled in
 *
 * Return: RECEIVE_DONE if there is room, RECEIVE_STALL or RECEIVE_DROPPED
 * if not. Nothing is changed.
 */
static enum receive_result eager_place(struct hfi *hfi, unsigned int context,
				       u64 control, u32 bytes,
				       struct eager_place *place)
{
	const struct receive_context *rcv = &hfi->rcv[context];
	u64 eager = csr_kget(hfi, RCV_EGR_CTRL, context);
	u32 base = (eager & RCV_EGR_CTRL_EGR_BASE_INDEX_MASK) << RCV_SHIFT;
	u32 count = (eager >> RCV_EGR_CTRL_EGR_CNT_SHIFT &
		     RCV_EGR_CTRL_EGR_CNT_MASK) << RCV_SHIFT;
	u32 head = csr_uget(hfi, RCV_EGR_INDEX_HEAD, context) &
		   RCV_EGR_INDEX_HEAD_HEAD_MASK;
	u32 code = control >> RCV_CTXT_CTRL_EGR_BUF_SIZE_SHIFT &
		   RCV_CTXT_CTRL_EGR_BUF_SIZE_MASK;
	u32 size = code ? 4096u << (code - 1) : 4096u;
	struct rcvarray_entry entry;
	bool full;

	if (!count || count > EAGER_MAX || rcv->eager_index >= count) {
		hfi_complain(hfi, "receive context %u: %u eager buffers", context,
			     count);
		return RECEIVE_DROPPED;
	}
	place->one = control & RCV_CTXT_CTRL_ONE_PACKET_PER_EGR_BUFFER_SMASK;
	place->index = rcv->eager_index;
	place->offset = rcv->eager_offset;
	full = false;
	if (place->one) {
		full = (place->index + 1) % count == head;
	} else if (place->offset + bytes > size) {
		place->index = (place->index + 1) % count;
		place->offset = 0;
		full = place->index == head;
	}
	if (full)
		return control & RCV_CTXT_CTRL_DONT_DROP_EGR_FULL_SMASK ?
		       RECEIVE_STALL : RECEIVE_DROPPED;

	entry = rcvarray_get(hfi, base + place->index);
	if ((u64)place->offset + bytes > entry.size) {
		hfi_complain(hfi, "receive context %u: %u bytes do not fit eager buffer %u of %llu",
			     context, bytes, place->index, entry.size);
		return RECEIVE_DROPPED;
	}
	place->to = mem_write_ptr(hfi, entry.address + place->offset, bytes);
	return place->to ? RECEIVE_DONE : RECEIVE_DROPPED;
}

static void eager_advance(struct hfi *hfi, unsigned int context, u32 bytes,
			  const struct eager_place *place)
{
	struct receive_context *rcv = &hfi->rcv[context];
	u64 eager = csr_kget(hfi, RCV_EGR_CTRL, context);
	u32 count = (eager >> RCV_EGR_CTRL_EGR_CNT_SHIFT &
		     RCV_EGR_CTRL_EGR_CNT_MASK) << RCV_SHIFT;

	rcv->eager_index = place->index;
	rcv->eager_offset = place->offset +
			    (bytes + EAGER_STEP - 1) / EAGER_STEP * EAGER_STEP;
	if (place->one) {
		rcv->eager_index = (place->index + 1) % count;
		rcv->eager_offset = 0;
	}
}

static enum receive_result receive_eager(struct hfi *hfi, unsigned int context,
					 const struct packet *packet)
{
	u32 header = receive_header_length(hfi, context, packet);
	u32 payload = packet->length - header;
	enum rhf_type type = packet->route == KIND_KDETH_EAGER ? RHF_EAGER : RHF_IB;
	u64 rhf = (u64)type << RHF_TYPE_SHIFT;
	struct receive_ring ring;
	struct eager_place place;
	enum receive_result result;

	if (!receive_ring(hfi, context, &ring))
		return RECEIVE_DROPPED;
	if (ring.full)
		return ring.control & RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK ?
		       RECEIVE_STALL : RECEIVE_DROPPED;
	if (!payload)
		return receive_store_header(hfi, context, &ring, packet, header,
					    rhf);

	result = eager_place(hfi, context, ring.control, payload + ICRC_BYTES,
			     &place);
	if (result != RECEIVE_DONE)
		return result;
	memcpy(place.to, packet->data + header, payload);
	memset(place.to + payload, 0, ICRC_BYTES);
	rhf |= RHF_USE_EAGER;
	rhf |= (u64)place.index << RHF_EAGER_INDEX_SHIFT;
	rhf |= (u64)(place.offset / EAGER_STEP) << RHF_EAGER_OFFSET_SHIFT;
	result = receive_store_header(hfi, context, &ring, packet, header, rhf);
	if (result == RECEIVE_DONE)
		eager_advance(hfi, context, payload + ICRC_BYTES, &place);
	return result;
}

/* The driver says which job key packets for a context must have, if any. */
static bool job_key_fits(const struct hfi *hfi, unsigned int context, const struct packet *packet)
{
	u64 control = csr_kget(hfi, RCV_KEY_CTRL, context);
	u32 at = packet->bth + BTH_BYTES + KDETH_JOB_KEY;

	if (!(control & RCV_KEY_CTRL_JOB_KEY_ENABLE_SMASK))
		return true;
	return packet->length >= at + 4 &&
	       (get_le32(packet->data + at) & RCV_KEY_CTRL_JOB_KEY_VALUE_MASK) ==
	       (control & RCV_KEY_CTRL_JOB_KEY_VALUE_MASK);
}

static enum receive_result receive_any(struct hfi *hfi, struct packet *packet)
{
	int context = receive_context_of(hfi, packet);

	if (packet->route == KIND_MALFORMED || packet->route == KIND_BYPASS) {
		hfi_complain(hfi, "%s packet of %u bytes dropped",
			     packet_kind_name[packet->route], packet->length);
		return RECEIVE_DROPPED;
	}
	if (context < 0 || csr_frozen(hfi) ||
	    !(csr_get(hfi, RCV_CTRL) & RCV_CTRL_RCV_PORT_ENABLE_SMASK))
		return RECEIVE_DROPPED;
	if ((packet->route == KIND_EXPECTED || packet->route == KIND_KDETH_EAGER) &&
	    !job_key_fits(hfi, (unsigned int)context, packet)) {
		hfi->counters.job_key_errors++;
		return RECEIVE_DROPPED;
	}
	if (packet->route == KIND_EXPECTED)
		return expected_receive(hfi, (unsigned int)context, packet);
	return receive_eager(hfi, (unsigned int)context, packet);
}

enum receive_result receive_packet(struct hfi *hfi, struct packet *packet)
{
	enum receive_result result = receive_any(hfi, packet);

	if (result == RECEIVE_DROPPED) {
		hfi->counters.rx_dropped++;
		hfi_log(hfi, LOG_DEBUG, "dropped %s qp 0x%x psn 0x%x",
			packet_kind_name[packet->route], packet->qpn, packet->psn);
	}
	return result;
}

static void write_context_control(struct hfi *hfi, unsigned int context, u64 value)
{
	u64 before = csr_kget(hfi, RCV_CTXT_CTRL, context);

	if (value & ~before & RCV_CTXT_CTRL_ENABLE_SMASK) {
		receive_reset(hfi, context);
		hfi_log(hfi, LOG_INFO, "receive context %u enabled, control 0x%llx",
			context, value);
	}
	csr_kset(hfi, RCV_CTXT_CTRL, context, value);
	raise_available(hfi, context);
	fabric_resume(hfi);
}

/* a row's two status bits are cleared by writing ones */
static void write_flow(struct hfi *hfi, u32 offset, u64 value)
{
	u64 status = csr_get(hfi, offset) & FLOW_STATUS;

	csr_set(hfi, offset, (value & ~FLOW_STATUS) | (status & ~value));
}

static bool user_csr_write(struct hfi *hfi, unsigned int context, u32 reg,
			   u32 offset, u64 value)
{
	if (reg - RCV_TID_FLOW_TABLE < TID_FLOWS * 8) {
		write_flow(hfi, offset, value);
		return true;
	}
	switch (reg) {
	case RCV_HDR_HEAD:
		csr_set(hfi, offset, value);
		raise_available(hfi, context);
		fabric_resume(hfi);
		return true;
	case RCV_EGR_INDEX_HEAD:
		csr_set(hfi, offset, value);
		fabric_resume(hfi);
		return true;
	case RCV_HDR_TAIL:
		return true;
	default:
		return false;
	}
}

bool receive_csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	unsigned int context;

	if (offset >= RCV_HDR_TAIL) {
		context = (offset - RCV_HDR_TAIL) / USER_STRIDE;
		return context < hfi->config.rcv_contexts &&
		       user_csr_write(hfi, context, offset - context * USER_STRIDE,
				      offset, value);
	}
	if (offset == RCV_CTRL) {
		csr_set(hfi, offset, value & ~RCV_CTRL_RX_RBUF_INIT_SMASK);
		fabric_resume(hfi);
		return true;
	}
	context = (offset - RCV_CTXT_CTRL) / KERNEL_STRIDE;
	if (offset < RCV_CTXT_CTRL || context >= hfi->config.rcv_contexts ||
	    offset - context * KERNEL_STRIDE != RCV_CTXT_CTRL)
		return false;
	write_context_control(hfi, context, value);
	return true;
}
