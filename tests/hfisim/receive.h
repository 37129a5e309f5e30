/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_RECEIVE_H
#define HFISIM_RECEIVE_H

#include "packet.h"

struct hfi;

#define RCV_CONTEXTS_MAX	160
#define RCV_ARRAY_MAX		32768

/* receive header flags (common.h, RHF_*) */
#define RHF_TYPE_SHIFT		12
#define RHF_USE_EAGER		BIT_ULL(15)
#define RHF_EAGER_INDEX_SHIFT	16
#define RHF_DC_INFO		BIT_ULL(27)
#define RHF_SEQUENCE_SHIFT	28
#define RHF_SEQUENCE_MAX	13
#define RHF_EAGER_OFFSET_SHIFT	32
#define RHF_HEADER_OFFSET_SHIFT	44
#define RHF_TYPE_ERROR_SHIFT	56
#define RHF_TID_ERROR		BIT_ULL(59)
#define RHF_ICRC_ERROR		BIT_ULL(63)

/* receive types of the RHF */
enum rhf_type {
	RHF_EXPECTED = 0,
	RHF_EAGER = 1,
	RHF_IB = 2,
};

/**
 * enum receive_result - what became of a packet
 * @RECEIVE_DONE: stored (or suppressed), counted
 * @RECEIVE_DROPPED: thrown away, counted
 * @RECEIVE_STALL: no room and the context must not drop: nothing was
 *	changed, try again when the driver has moved a head
 */
enum receive_result {
	RECEIVE_DONE,
	RECEIVE_DROPPED,
	RECEIVE_STALL,
};

/**
 * struct receive_context - what a receive context keeps outside registers
 * @tail: header queue tail, in dwords
 * @sequence: of the newest header queue entry, 1 to RHF_SEQUENCE_MAX; 0
 *	when there was none
 * @eager_index: eager buffer being filled
 * @eager_offset: first free byte in it, a multiple of 64
 */
struct receive_context {
	u32 tail;
	u32 sequence;
	u32 eager_index;
	u32 eager_offset;
};

/**
 * struct receive_ring - a context's header queue, read from its registers
 * @control: RcvCtxtCtrl
 * @entries: in the queue
 * @entry: size of one, in dwords
 * @head: the driver's head, in dwords
 * @next: tail after one more entry, in dwords
 * @full: one more entry would make the tail run into the head
 */
struct receive_ring {
	u64 control;
	u32 entries;
	u32 entry;
	u32 head;
	u32 next;
	bool full;
};

/**
 * struct rcvarray_entry - an RcvArray entry
 * @address: bus address of the first byte
 * @size: in bytes; 0 if the entry is invalid
 */
struct rcvarray_entry {
	u64 address;
	u64 size;
};

/**
 * rcvarray_decode() - make sense of an RcvArray register
 * @value: the register
 * Return: the entry.
 */
struct rcvarray_entry rcvarray_decode(u64 value);

/**
 * rcvarray_get() - read an RcvArray entry
 * @hfi: the HFI
 * @index: in the whole array
 * Return: the entry; one of size 0 if @index is outside the array.
 */
struct rcvarray_entry rcvarray_get(const struct hfi *hfi, u32 index);

/**
 * rcvarray_write() - the driver writes an RcvArray entry
 * @hfi: the HFI
 * @index: in the array, below hfi->config.rcv_array
 * @value: ignored unless the write enable bit is set
 */
void rcvarray_write(struct hfi *hfi, u32 index, u64 value);

/**
 * receive_reset() - forget the state of a receive context
 * @hfi: the HFI
 * @context: below RCV_CONTEXTS_MAX
 */
void receive_reset(struct hfi *hfi, unsigned int context);

/**
 * receive_packet() - a packet has come off the wire
 * @hfi: the HFI that receives
 * @packet: parsed
 *
 * Return: what became of it.
 */
enum receive_result receive_packet(struct hfi *hfi, struct packet *packet);

/**
 * receive_context_of() - which context a packet is for
 * @hfi: the HFI that receives
 * @packet: parsed
 *
 * Return: the context, below RCV_CONTEXTS_MAX; a negative number if there
 * is none.
 */
int receive_context_of(const struct hfi *hfi, const struct packet *packet);

/**
 * receive_header_length() - what goes to the header queue
 * @hfi: the HFI that receives
 * @context: receive context
 * @packet: parsed
 *
 * Return: bytes of the packet's data that make up its header queue entry,
 * at most the packet's length; the rest is payload.
 */
u32 receive_header_length(const struct hfi *hfi, unsigned int context,
			  const struct packet *packet);

/**
 * receive_ring() - look at a context's header queue
 * @hfi: the HFI
 * @context: receive context
 * @ring: filled in
 *
 * Return: true if the context is enabled and its queue has a sane shape.
 */
bool receive_ring(const struct hfi *hfi, unsigned int context,
		  struct receive_ring *ring);

/**
 * receive_store_header() - make a header queue entry
 * @hfi: the HFI
 * @context: receive context
 * @ring: from receive_ring(), not full
 * @packet: the packet
 * @header: bytes of it to store
 * @rhf: receive header flags but for length, sequence and header offset
 *
 * Moves the tail and raises the interrupt.
 *
 * Return: RECEIVE_DONE, or RECEIVE_DROPPED if the queue is not in guest
 * memory or the header is longer than an entry.
 */
enum receive_result receive_store_header(struct hfi *hfi, unsigned int context,
					 const struct receive_ring *ring,
					 const struct packet *packet,
					 u32 header, u64 rhf);

/**
 * receive_csr_write() - write a register of the receive side
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8
 * @value: what is written
 *
 * Return: true if the register has an effect and has been written.
 */
bool receive_csr_write(struct hfi *hfi, u32 offset, u64 value);

#endif
