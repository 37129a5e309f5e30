/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_PACKET_H
#define HFISIM_PACKET_H

#include "types.h"

/* largest packet on the wire, in bytes from LRH to the last payload byte */
#define PACKET_MAX	(10240 + 128)

/* PBC (chip.h): the 8 bytes in front of a packet that is sent */
#define PBC_LENGTH_DWORDS(pbc)	((u32)(pbc) & 0xfff)
#define PBC_VL(pbc)		((u32)((pbc) >> 12) & 0xf)
#define PBC_FLAG_CREDIT_RETURN	BIT_ULL(25)
#define PBC_FLAG_BYPASS		BIT_ULL(28)
#define PBC_FLAG_DC_INFO	BIT_ULL(30)
#define PBC_FLAG_INTR		BIT_ULL(31)

/* KDETH, little endian, behind the BTH (exp_rcv.h) */
#define KDETH_OFFSET(word)	((word) & 0x7fff)
#define KDETH_OFFSET_BY_64	BIT_ULL(15)
#define KDETH_TID(word)		(((word) >> 16) & 0x3ff)
#define KDETH_TIDCTRL(word)	(((word) >> 26) & 3)
#define KDETH_FLAG_INTR		BIT_ULL(28)
#define KDETH_FLAG_SUPPRESS	BIT_ULL(29)

/* BTH opcodes that hfisim must know by name (tid_rdma.h, ib_pack.h) */
enum packet_opcode {
	OPCODE_RC_ACK = 0x11,
	OPCODE_RC_ATOMIC_ACK = 0x12,
	OPCODE_RC_COMPARE_SWAP = 0x13,
	OPCODE_TID_WRITE_REQ = 0xe0,
	OPCODE_TID_WRITE_RESP = 0xe1,
	OPCODE_TID_WRITE_DATA = 0xe2,
	OPCODE_TID_WRITE_DATA_LAST = 0xe3,
	OPCODE_TID_READ_REQ = 0xe4,
	OPCODE_TID_READ_RESP = 0xe5,
	OPCODE_TID_RESYNC = 0xe6,
	OPCODE_TID_ACK = 0xe7,
};

/**
 * enum packet_kind - what a packet is counted as
 * @KIND_EAGER: for the context that the QP map names
 * @KIND_KDETH_EAGER: KDETH, to the eager buffers
 * @KIND_EXPECTED: KDETH, to the memory that its TID names
 * @KIND_VL15: subnet management
 * @KIND_MULTICAST: to a multicast LID
 * @KIND_BYPASS: 16B and the like, which are not emulated: dropped
 * @KIND_MALFORMED: too short for its headers, or without a BTH
 * @KIND_READ_REQ: TID RDMA READ request
 * @KIND_READ_RESP: its data
 * @KIND_WRITE_REQ: TID RDMA WRITE request
 * @KIND_WRITE_RESP: TIDs to write to
 * @KIND_WRITE_DATA: the data
 * @KIND_ACK: TID RDMA acknowledgment
 * @KIND_RESYNC: resynchronisation of a WRITE
 * @KIND_COUNT: number of kinds
 * @KIND_NONE: none of them
 *
 * The first seven say how the chip routes it; a packet has exactly one of
 * them (packet.route). The others say which message of the TID RDMA
 * protocol it carries (packet.message); KIND_NONE when it carries none.
 * Names, in this order, are in packet_kind_name[].
 */
enum packet_kind {
	KIND_EAGER,
	KIND_KDETH_EAGER,
	KIND_EXPECTED,
	KIND_VL15,
	KIND_MULTICAST,
	KIND_BYPASS,
	KIND_MALFORMED,
	KIND_READ_REQ,
	KIND_READ_RESP,
	KIND_WRITE_REQ,
	KIND_WRITE_RESP,
	KIND_WRITE_DATA,
	KIND_ACK,
	KIND_RESYNC,
	KIND_COUNT,
	KIND_NONE = KIND_COUNT,
};

/** packet_kind_name - the kinds as the counters and commands spell them */
extern const char *const packet_kind_name[KIND_COUNT];

/**
 * struct packet - a packet on the wire
 * @pbc: the PBC it was sent with
 * @data: from the LRH (or the bypass header) to the last payload byte,
 *	without PBC and ICRC
 * @length: of @data, in bytes
 * @next: for whoever queues the packet
 * @icrc_error: damaged on the wire; the receiver stores it, says so in the
 *	RHF, and neither moves the flow on nor suppresses the header
 * @forged: the peer has not sent it: it is a lie (lie.h)
 * @arrived: ledger_clock() of the receiver when the packet came, if it was
 *	kept since; else 0
 * @route: how the receiver routes it; set by packet_parse(), like all below
 * @message: which TID RDMA message it carries
 * @sc: service class, 0 to 31
 * @dlid: destination LID
 * @opcode: of the BTH
 * @qpn: destination QP of the BTH, 24 bits
 * @psn: of the BTH, 31 bits (bit 31, the ack request, removed)
 * @bth: offset of the BTH in @data
 * @header: length of the headers in @data, for packets of KIND_EAGER,
 *	KIND_VL15 and KIND_MULTICAST; how long they are in KDETH packets
 *	depends on the receive context, see receive_header_length()
 * @kdeth: first dword of the KDETH header, for KDETH packets
 * @context: receive context named by the QP of a KDETH packet
 *
 * A packet handed to a function is borrowed: who wants to keep it makes a
 * copy with packet_copy(). The units may change @data.
 */
struct packet {
	u64 pbc;
	u8 *data;
	u32 length;
	struct packet *next;
	bool icrc_error;
	bool forged;
	u64 arrived;

	enum packet_kind route;
	enum packet_kind message;
	u8 sc;
	u8 opcode;
	u16 context;
	u32 dlid;
	u32 qpn;
	u32 psn;
	u32 bth;
	u32 header;
	u32 kdeth;
};

/**
 * struct packet_queue - packets in order, first in first out
 * @first: the oldest
 * @last: the newest, undefined when @first is NULL
 * @count: how many
 */
struct packet_queue {
	struct packet *first;
	struct packet *last;
	u32 count;
};

/**
 * packet_parse() - find out what a packet is
 * @packet: with @pbc, @data and @length filled in; the rest is filled in here
 * @kdeth_prefix: QP bits 23:16 that mark a KDETH packet (RcvBTHQP)
 *
 * Looks at nothing beyond @length. A packet too short for the headers it
 * announces gets the route KIND_MALFORMED.
 *
 * Return: the route.
 */
enum packet_kind packet_parse(struct packet *packet, u8 kdeth_prefix);

/**
 * packet_copy() - make a packet of one's own
 * @packet: the packet to copy, parsed or not
 *
 * Return: a copy, data included, to be freed with packet_free(); NULL when
 * memory is short.
 */
struct packet *packet_copy(const struct packet *packet);

/**
 * packet_free() - free a packet made by packet_copy()
 * @packet: the packet, or NULL
 */
void packet_free(struct packet *packet);

/**
 * packet_enqueue() - put a packet at the end of a queue
 * @queue: the queue
 * @packet: a packet made by packet_copy(); the queue owns it now
 */
void packet_enqueue(struct packet_queue *queue, struct packet *packet);

/**
 * packet_dequeue() - take the oldest packet of a queue
 * @queue: the queue
 * Return: the packet, the caller's from now on; NULL if there is none.
 */
struct packet *packet_dequeue(struct packet_queue *queue);

/**
 * packet_purge() - free all packets of a queue
 * @queue: the queue
 */
void packet_purge(struct packet_queue *queue);

/* big endian and little endian fields at any alignment */
static inline u16 get_be16(const u8 *from)
{
	return (u16)(from[0] << 8 | from[1]);
}

static inline u32 get_be32(const u8 *from)
{
	return (u32)get_be16(from) << 16 | get_be16(from + 2);
}

static inline u64 get_be64(const u8 *from)
{
	return (u64)get_be32(from) << 32 | get_be32(from + 4);
}

static inline u32 get_le32(const u8 *from)
{
	return (u32)from[3] << 24 | from[2] << 16 | from[1] << 8 | from[0];
}

static inline u64 get_le64(const u8 *from)
{
	return (u64)get_le32(from + 4) << 32 | get_le32(from);
}

static inline void put_be64(u8 *to, u64 value)
{
	int i;

	for (i = 7; i >= 0; i--, value >>= 8)
		to[i] = (u8)value;
}

#endif
