// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define LRH_BYTES	8
#define GRH_BYTES	40
#define BTH_BYTES	12
#define DETH_BYTES	8
#define KDETH_MIN	4	/* the dword that everything depends on */

#define LNH_BTH		2
#define LNH_GRH		3
#define SC_VL15		15
#define LID_MULTICAST	0xc000
#define LID_PERMISSIVE	0xffff

/* bits 7:5 of a BTH opcode */
#define SERVICE_RC	0
#define SERVICE_UC	1
#define SERVICE_UD	3
#define SERVICE_TID	7

const char *const packet_kind_name[KIND_COUNT] = {
	[KIND_EAGER] = "eager",
	[KIND_KDETH_EAGER] = "kdeth_eager",
	[KIND_EXPECTED] = "expected",
	[KIND_VL15] = "vl15",
	[KIND_MULTICAST] = "multicast",
	[KIND_BYPASS] = "bypass",
	[KIND_MALFORMED] = "malformed",
	[KIND_READ_REQ] = "read_req",
	[KIND_READ_RESP] = "read_resp",
	[KIND_WRITE_REQ] = "write_req",
	[KIND_WRITE_RESP] = "write_resp",
	[KIND_WRITE_DATA] = "write_data",
	[KIND_ACK] = "ack",
	[KIND_RESYNC] = "resync",
};

/* bytes of extension headers behind the BTH, by the lower opcode bits (IBTA) */
static const u8 extension_bytes[32] = {
	[0x03] = 4, [0x05] = 4,			/* send with immediate */
	[0x06] = 16, [0x0a] = 16,		/* RDMA write */
	[0x09] = 4, [0x0b] = 20,		/* RDMA write with immediate */
	[0x0c] = 16,				/* RDMA read request */
	[0x0d] = 4, [0x0f] = 4, [0x10] = 4,	/* RDMA read response */
	[0x11] = 4, [0x12] = 12,		/* acknowledgments */
	[0x13] = 28, [0x14] = 28,		/* atomics */
	[0x16] = 4, [0x17] = 4,			/* send with invalidate */
};

/* bytes of the KDETH and of what TID RDMA puts behind it (tid_rdma.h) */
#define TID_EXTENSION	36

static u32 extension_length(u8 opcode)
{
	switch (opcode >> 5) {
	case SERVICE_RC:
	case SERVICE_UC:
		return extension_bytes[opcode & 0x1f];
	case SERVICE_UD:
		return DETH_BYTES + extension_bytes[opcode & 0x1f];
	case SERVICE_TID:
		return TID_EXTENSION;
	default:
		return 0;
	}
}

static enum packet_kind message_of(u8 opcode)
{
	switch (opcode) {
	case OPCODE_TID_WRITE_REQ:
		return KIND_WRITE_REQ;
	case OPCODE_TID_WRITE_RESP:
		return KIND_WRITE_RESP;
	case OPCODE_TID_WRITE_DATA:
	case OPCODE_TID_WRITE_DATA_LAST:
		return KIND_WRITE_DATA;
	case OPCODE_TID_READ_REQ:
		return KIND_READ_REQ;
	case OPCODE_TID_READ_RESP:
		return KIND_READ_RESP;
	case OPCODE_TID_RESYNC:
		return KIND_RESYNC;
	case OPCODE_TID_ACK:
		return KIND_ACK;
	default:
		return KIND_NONE;
	}
}

static enum packet_kind route_of(struct packet *packet, u8 kdeth_prefix)
{
	if (packet->sc == SC_VL15)
		return KIND_VL15;
	if (packet->dlid >= LID_MULTICAST && packet->dlid != LID_PERMISSIVE)
		return KIND_MULTICAST;
	if (packet->qpn >> 16 != kdeth_prefix)
		return KIND_EAGER;
	if (packet->length < packet->bth + BTH_BYTES + KDETH_MIN)
		return KIND_MALFORMED;
	packet->kdeth = get_le32(packet->data + packet->bth + BTH_BYTES);
	packet->context = packet->qpn & 0xff;
	return KDETH_TIDCTRL(packet->kdeth) ? KIND_EXPECTED : KIND_KDETH_EAGER;
}

static enum packet_kind classify(struct packet *packet, u8 kdeth_prefix)
{
	const u8 *data = packet->data;
	u32 header;
	u8 lnh;

	if (packet->pbc & PBC_FLAG_BYPASS)
		return KIND_BYPASS;
	if (packet->length < LRH_BYTES + BTH_BYTES)
		return KIND_MALFORMED;
	lnh = data[1] & 3;
	if (lnh != LNH_BTH && lnh != LNH_GRH)
		return KIND_MALFORMED;
	packet->bth = LRH_BYTES + (lnh == LNH_GRH ? GRH_BYTES : 0);
	if (packet->length < packet->bth + BTH_BYTES)
		return KIND_MALFORMED;

	packet->sc = data[0] >> 4 | (packet->pbc & PBC_FLAG_DC_INFO ? 0x10 : 0);
	packet->dlid = get_be16(data + 2);
	packet->opcode = data[packet->bth];
	packet->qpn = get_be32(data + packet->bth + 4) & 0xffffff;
	packet->psn = get_be32(data + packet->bth + 8) & 0x7fffffff;
	packet->message = message_of(packet->opcode);
	header = packet->bth + BTH_BYTES + extension_length(packet->opcode);
	packet->header = header < packet->length ? header : packet->length;
	return route_of(packet, kdeth_prefix);
}

enum packet_kind packet_parse(struct packet *packet, u8 kdeth_prefix)
{
	packet->message = KIND_NONE;
	packet->sc = 0;
	packet->opcode = 0;
	packet->context = 0;
	packet->dlid = 0;
	packet->qpn = 0;
	packet->psn = 0;
	packet->bth = 0;
	packet->header = 0;
	packet->kdeth = 0;
	packet->route = classify(packet, kdeth_prefix);
	if (packet->route == KIND_MALFORMED)
		packet->message = KIND_NONE;
	return packet->route;
}

struct packet *packet_copy(const struct packet *packet)
{
	struct packet *copy = malloc(sizeof(*copy) + packet->length);

	if (!copy)
		return NULL;
	*copy = *packet;
	copy->data = (u8 *)(copy + 1);
	copy->next = NULL;
	memcpy(copy->data, packet->data, packet->length);
	return copy;
}

void packet_free(struct packet *packet)
{
	free(packet);
}

void packet_enqueue(struct packet_queue *queue, struct packet *packet)
{
	packet->next = NULL;
	if (queue->first)
		queue->last->next = packet;
	else
		queue->first = packet;
	queue->last = packet;
	queue->count++;
}

struct packet *packet_dequeue(struct packet_queue *queue)
{
	struct packet *packet = queue->first;

	if (!packet)
		return NULL;
	queue->first = packet->next;
	queue->count--;
	packet->next = NULL;
	return packet;
}

void packet_purge(struct packet_queue *queue)
{
	struct packet *packet;

	while ((packet = packet_dequeue(queue)))
		packet_free(packet);
}
