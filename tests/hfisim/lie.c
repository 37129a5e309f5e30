// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that lie
 */
#include <stdlib.h>
#include <string.h>

#include "csr.h"
#include "hfi.h"
#include "regs.h"
#include "text.h"

#define LRH_BYTES	8
#define LRH_LNH_BTH	2
#define LID_PEER	1
#define JOB_KEY		32	/* of hfi1's kernel contexts (tid_rdma.c) */

/* in bytes from the BTH on (ib_pack.h, tid_rdma_defs.h) */
#define BTH_OPCODE	0
#define BTH_QP		4
#define BTH_PSN		8
#define KDETH_WORD	12
#define KDETH_JOB_KEY	16
#define HEADER_WORDS	20	/* what an opcode puts there: see HEADER_QP */
#define OWN_WORDS	6
#define HEADER_QP	44	/* every header of TID RDMA has the QP here */
#define PAYLOAD		48

#define PAYLOAD_MAX	4096u
#define ENTRIES_MAX	256u	/* payload of requests and answers: TID entries */
#define PACKET_MIN	24u	/* behind the LRH: BTH, KDETH and job key */

#define REMEMBERED	16u	/* packets of each opcode */
#define REMEMBERED_BYTES (LRH_BYTES + PAYLOAD + ENTRIES_MAX)
#define BURST		8u	/* lies at a time by the clock */
#define BURST_US	1000

/**
 * enum field - what is changed in a packet
 * @FIELD_OPCODE: of the BTH
 * @FIELD_CONTEXT: receive context, in the destination QP
 * @FIELD_FLOW: flow, in the destination QP
 * @FIELD_GENERATION: of the PSN
 * @FIELD_SEQUENCE: of the PSN
 * @FIELD_BTH: a bit of the flags in front of the destination QP and PSN
 * @FIELD_TID: of the KDETH header
 * @FIELD_CONTROL: TID control
 * @FIELD_OFFSET: offset and its unit
 * @FIELD_FLAGS: suppression, interrupt, version
 * @FIELD_JOB_KEY: of the KDETH header
 * @FIELD_WORD: a word of the opcode's own: PSNs, QPs, AETH, RETH
 * @FIELD_LENGTH: of the packet
 * @FIELD_ENTRY: a word of the payload
 * @FIELDS: how many
 */
enum field {
	FIELD_OPCODE,
	FIELD_CONTEXT,
	FIELD_FLOW,
	FIELD_GENERATION,
	FIELD_SEQUENCE,
	FIELD_BTH,
	FIELD_TID,
	FIELD_CONTROL,
	FIELD_OFFSET,
	FIELD_FLAGS,
	FIELD_JOB_KEY,
	FIELD_WORD,
	FIELD_LENGTH,
	FIELD_ENTRY,
	FIELDS,
};

/**
 * struct remembered - a packet that came from the peer
 * @length: of it
 * @data: its beginning
 */
struct remembered {
	u32 length;
	u8 data[REMEMBERED_BYTES];
};

/**
 * struct lie - the liar of an HFI
 * @hfi: the HFI that is lied to
 * @order: what to tell
 * @left: lies left to tell
 * @heard: packets of the peer since the last lie
 * @state: of the random numbers
 * @timer: for lies by the clock
 * @counters: what was told
 * @packets: that came from the peer, by opcode
 * @packet: the newest of them, rings
 */
struct lie {
	struct hfi *hfi;
	struct lie_order order;
	u32 left;
	u32 heard;
	u64 state;
	struct loop_timer timer;
	u32 packets[LIE_OPCODES];
	struct remembered packet[LIE_OPCODES][REMEMBERED];
};

/**
 * struct forgery - a packet that is being made
 * @bth: where its BTH begins
 * @length: from there to its end
 * @data: from the LRH on
 */
struct forgery {
	u8 *bth;
	u32 length;
	u8 data[PACKET_MAX];
};

const char *const lie_basis_name[LIE_BASES] = {
	[LIE_BOTH] = "both",
	[LIE_RANDOM] = "random",
	[LIE_REAL] = "real",
};

const char *const lie_way_name[LIE_WAYS] = {
	[LIE_ANYWHERE] = "any",
	[LIE_EAGER] = "eager",
	[LIE_EXPECTED] = "expected",
};

/* splitmix64 */
static u64 random_number(struct lie *lie)
{
	u64 x = lie->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static u32 below(struct lie *lie, u32 limit)
{
	return random_number(lie) % limit;
}

static bool one_in(struct lie *lie, u32 limit)
{
	return !below(lie, limit);
}

static u32 choose(struct lie *lie, const struct lie_ranges *ranges)
{
	const struct lie_range *range = &ranges->range[below(lie, ranges->count)];

	return range->first + random_number(lie) % (range->last - range->first + 1ULL);
}

static bool within(const struct lie_ranges *ranges, u32 number)
{
	unsigned int i;

	for (i = 0; i < ranges->count; i++)
		if (number >= ranges->range[i].first && number <= ranges->range[i].last)
			return true;
	return false;
}

/* A word with other bits from @shift on: any, or close to what they were. */
static u32 change(struct lie *lie, u32 word, unsigned int shift, unsigned int bits)
{
	u32 mask = bits == 32 ? ~0u : (1u << bits) - 1;
	u32 value = word >> shift & mask;

	value = one_in(lie, 2) ? (u32)random_number(lie) : value + below(lie, 17) - 8;
	return (word & ~(mask << shift)) | (value & mask) << shift;
}

static void put_be32(u8 *to, u32 value)
{
	to[0] = (u8)(value >> 24);
	to[1] = (u8)(value >> 16);
	to[2] = (u8)(value >> 8);
	to[3] = (u8)value;
}

static void put_le32(u8 *to, u32 value)
{
	put_be32(to, __builtin_bswap32(value));
}

static void change_be32(struct lie *lie, u8 *at, unsigned int shift, unsigned int bits)
{
	put_be32(at, change(lie, get_be32(at), shift, bits));
}

static void change_le32(struct lie *lie, u8 *at, unsigned int shift, unsigned int bits)
{
	put_le32(at, change(lie, get_le32(at), shift, bits));
}

static void fill(struct lie *lie, u8 *at, u32 bytes)
{
	for (; bytes; bytes--)
		*at++ = (u8)random_number(lie);
}

static void change_length(struct lie *lie, struct forgery *forgery)
{
	u32 length = PAYLOAD + 4 * below(lie, 1 + (one_in(lie, 2) ? PAYLOAD_MAX : 64) / 4);

	if (one_in(lie, 8))
		length = PACKET_MIN + 4 * below(lie, (PAYLOAD - PACKET_MIN) / 4);
	if (length > forgery->length)
		fill(lie, forgery->bth + forgery->length, length - forgery->length);
	forgery->length = length;
}

static void change_entry(struct lie *lie, struct forgery *forgery)
{
	u32 entries = forgery->length > PAYLOAD ? (forgery->length - PAYLOAD) / 4 : 0;

	if (entries > ENTRIES_MAX / 4)
		entries = ENTRIES_MAX / 4;
	if (entries)
		change_le32(lie, forgery->bth + PAYLOAD + 4 * below(lie, entries), 0, 32);
}

static void change_field(struct lie *lie, struct forgery *forgery, enum field field)
{
	u8 *bth = forgery->bth;

	switch (field) {
	case FIELD_OPCODE:
		bth[BTH_OPCODE] = OPCODE_TID_WRITE_REQ + below(lie, LIE_OPCODES);
		break;
	case FIELD_CONTEXT:
		change_be32(lie, bth + BTH_QP, 0, 8);
		break;
	case FIELD_FLOW:
		change_be32(lie, bth + BTH_QP, 11, 5);
		break;
	case FIELD_GENERATION:
		change_be32(lie, bth + BTH_PSN, 11, 20);
		break;
	case FIELD_SEQUENCE:
		change_be32(lie, bth + BTH_PSN, 0, 11);
		break;
	case FIELD_BTH:
		bth[one_in(lie, 2) ? BTH_QP : BTH_PSN] ^= 0x80 >> below(lie, 2);
		break;
	case FIELD_TID:
		change_le32(lie, bth + KDETH_WORD, 16, 10);
		break;
	case FIELD_CONTROL:
		change_le32(lie, bth + KDETH_WORD, 26, 2);
		break;
	case FIELD_OFFSET:
		change_le32(lie, bth + KDETH_WORD, 0, 16);
		break;
	case FIELD_FLAGS:
		change_le32(lie, bth + KDETH_WORD, 28, 4);
		break;
	case FIELD_JOB_KEY:
		change_le32(lie, bth + KDETH_JOB_KEY, 0, 16);
		break;
	case FIELD_WORD:
		change_be32(lie, bth + HEADER_WORDS + 4 * below(lie, OWN_WORDS), 0, 32);
		break;
	case FIELD_LENGTH:
		change_length(lie, forgery);
		break;
	default:
		change_entry(lie, forgery);
	}
}

/* Nothing heard yet: the addresses of a fabric of two, the driver's job key. */
static void make_headers(struct lie *lie, struct forgery *forgery)
{
	u32 i;

	forgery->data[1] = LRH_LNH_BTH;
	forgery->data[3] = LID_PEER;
	put_le32(forgery->bth + KDETH_JOB_KEY, JOB_KEY);
	for (i = 0; i < LIE_OPCODES; i++) {
		if (!lie->packets[i])
			continue;
		memcpy(forgery->data, lie->packet[i][0].data, LRH_BYTES);
		memcpy(forgery->bth + KDETH_JOB_KEY,
		       lie->packet[i][0].data + LRH_BYTES + KDETH_JOB_KEY, 4);
	}
}

/* Every field is random, but the job key mostly right: else the chip sees it. */
static void make_up(struct lie *lie, struct forgery *forgery)
{
	u8 *bth = forgery->bth;

	forgery->length = PAYLOAD;
	make_headers(lie, forgery);
	fill(lie, bth, KDETH_JOB_KEY);
	fill(lie, bth + HEADER_WORDS, PAYLOAD - HEADER_WORDS);
	change_length(lie, forgery);
	if (one_in(lie, 8))
		change_field(lie, forgery, FIELD_JOB_KEY);
	/* a context that is in use, and a right one, mostly */
	if (!one_in(lie, 4))
		bth[BTH_QP + 3] = (u8)below(lie, 4);
	if (one_in(lie, 2))
		bth[BTH_OPCODE] = OPCODE_TID_WRITE_REQ + below(lie, LIE_OPCODES);
}

/* One of a kind of packet that came lately, for a QP in question if there is one. */
static const struct remembered *recall(struct lie *lie)
{
	const struct remembered *found = NULL;
	u32 first = below(lie, LIE_OPCODES * REMEMBERED);
	u32 i;

	for (i = 0; i < LIE_OPCODES * REMEMBERED; i++) {
		u32 at = (first + i * 37) % (LIE_OPCODES * REMEMBERED);
		const struct remembered *packet = &lie->packet[at / REMEMBERED][at % REMEMBERED];

		if (!packet->length)
			continue;
		if (within(&lie->order.qp, get_be32(packet->data + LRH_BYTES + HEADER_QP)))
			return packet;
		found = packet;
	}
	return found;
}

/* A packet that came, with up to three fields changed. Return: false if none did. */
static bool distort(struct lie *lie, struct forgery *forgery)
{
	const struct remembered *packet = recall(lie);
	u32 changes = 1 + below(lie, 3);

	if (!packet)
		return false;
	memcpy(forgery->data, packet->data, sizeof(packet->data));
	forgery->length = packet->length - LRH_BYTES;
	while (changes--)
		change_field(lie, forgery, below(lie, FIELDS));
	return true;
}

/* What was ordered comes last. */
static void put_order(struct lie *lie, struct forgery *forgery, u8 prefix)
{
	const struct lie_order *order = &lie->order;
	u8 *bth = forgery->bth;
	u32 word = get_le32(bth + KDETH_WORD) & ~(3u << 26);

	bth[BTH_QP + 1] = prefix;
	if (forgery->length >= PAYLOAD && !within(&order->qp, get_be32(bth + HEADER_QP)))
		put_be32(bth + HEADER_QP, choose(lie, &order->qp));
	if (order->opcode.count && !within(&order->opcode, bth[BTH_OPCODE]))
		bth[BTH_OPCODE] = (u8)choose(lie, &order->opcode);
	if (order->way == LIE_EXPECTED && !(bth[KDETH_WORD + 3] & 0xc))
		word |= (1 + below(lie, 3)) << 26;
	else if (order->way != LIE_EAGER)
		return;
	put_le32(bth + KDETH_WORD, word);
}

static void tell(struct lie *lie)
{
	struct hfi *hfi = lie->hfi;
	u8 prefix = (u8)(csr_get(hfi, RCV_BTH_QP) >> RCV_BTH_QP_KDETH_QP_SHIFT);
	struct forgery forgery = { .length = 0 };
	struct packet packet = { .data = forgery.data, .forged = true };
	unsigned int index;

	forgery.bth = forgery.data + LRH_BYTES;
	if (lie->order.basis == LIE_RANDOM || (lie->order.basis == LIE_BOTH && one_in(lie, 2)) ||
	    !distort(lie, &forgery))
		make_up(lie, &forgery);
	put_order(lie, &forgery, prefix);
	packet.length = LRH_BYTES + forgery.length;
	packet.pbc = (packet.length + 8) / 4;
	packet_parse(&packet, prefix);
	index = packet.opcode - OPCODE_TID_WRITE_REQ;
	hfi->counters.lies.told[index < LIE_OPCODES ? index : LIE_OPCODES]++;
	hfi_log(hfi, LOG_DEBUG, "is lied to: opcode 0x%02x qp 0x%x psn 0x%x kdeth 0x%x for 0x%x",
		packet.opcode, packet.qpn, packet.psn, packet.kdeth,
		get_be32(forgery.bth + HEADER_QP));
	lie->left--;
	fabric_arrive(hfi, &packet);
}

/* As fast as the driver takes them, so that they do not take the wire for themselves. */
static void expired(struct loop_timer *timer)
{
	struct lie *lie = container_of(timer, struct lie, timer);
	u32 i;

	for (i = 0; i < BURST && lie->left && link_is_up(lie->hfi) && !lie->hfi->port.waiting.first;
	     i++)
		tell(lie);
	if (lie->left)
		loop_timer_set(lie->hfi->loop, &lie->timer, BURST_US);
}

void lie_heard(struct hfi *hfi, const struct packet *packet)
{
	struct lie *lie = hfi->lie;
	u32 index = packet->opcode - OPCODE_TID_WRITE_REQ;
	struct remembered *remembered;

	if (index < LIE_OPCODES && packet->bth == LRH_BYTES &&
	    packet->length >= LRH_BYTES + PAYLOAD) {
		remembered = &lie->packet[index][lie->packets[index]++ % REMEMBERED];
		remembered->length = packet->length;
		memcpy(remembered->data, packet->data,
		       packet->length < REMEMBERED_BYTES ? packet->length : REMEMBERED_BYTES);
	}
	if (!lie->left || !lie->order.every || ++lie->heard < lie->order.every)
		return;
	lie->heard = 0;
	tell(lie);
}

void lie_start(struct hfi *hfi, const struct lie_order *order)
{
	struct lie *lie = hfi->lie;

	lie_stop(hfi);
	lie->order = *order;
	lie->left = order->count;
	lie->heard = 0;
	lie->state = order->seed;
	if (lie->left && !order->every)
		loop_timer_set(hfi->loop, &lie->timer, 0);
}

void lie_stop(struct hfi *hfi)
{
	hfi->lie->left = 0;
	loop_timer_cancel(hfi->loop, &hfi->lie->timer);
}

u32 lie_left(const struct hfi *hfi)
{
	return hfi->lie->left;
}

bool lie_may_hit(const struct hfi *hfi)
{
	return hfi->lie->order.hits;
}

/* Return: false behind the last one. */
static bool number(const struct hfi *hfi, unsigned int index, const char **name, u64 *value)
{
	static const char *const names[] = {
		"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "other",
		"kept_back", "in_grant", "refused", "left",
	};
	const struct lie_counters *lies = &hfi->counters.lies;
	const u64 more[] = { lies->kept_back, lies->in_grant, lies->refused, lie_left(hfi) };

	if (index >= ARRAY_SIZE(names))
		return false;
	*name = names[index];
	*value = index <= LIE_OPCODES ? lies->told[index] : more[index - LIE_OPCODES - 1];
	return true;
}

void lie_print(const struct hfi *hfi, struct text *text)
{
	unsigned int i;
	const char *name;
	u64 value;

	for (i = 0; number(hfi, i, &name, &value); i++)
		text_add(text, "%c\"%s\":%llu", i ? ',' : '{', name, value);
	text_add(text, "}");
}

bool lie_find(const struct hfi *hfi, const char *wanted, u64 *value)
{
	const char *name;
	unsigned int i;
	u64 sum = 0;

	for (i = 0; number(hfi, i, &name, value); i++) {
		if (!strcmp(name, wanted))
			return true;
		if (i <= LIE_OPCODES)
			sum += *value;
	}
	*value = sum;
	return !strcmp(wanted, "told");
}

struct lie *lie_new(struct hfi *hfi)
{
	struct lie *lie = calloc(1, sizeof(*lie));

	if (!lie)
		return NULL;
	lie->hfi = hfi;
	lie->timer.expired = expired;
	return lie;
}

void lie_free(struct lie *lie)
{
	if (!lie)
		return;
	loop_timer_cancel(lie->hfi->loop, &lie->timer);
	free(lie);
}
