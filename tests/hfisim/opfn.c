// SPDX-License-Identifier: GPL-2.0
/*
 * OPFN: changes what a peer announces about TID RDMA
 */
#include <string.h>

#include "hfi.h"
#include "opfn.h"

#define BTH_SIZE		12
#define ATOMIC_ADDRESS		BTH_SIZE		/* of an AtomicETH */
#define ATOMIC_COMPARE		(BTH_SIZE + 20)
#define ATOMIC_ACK_DATA		(BTH_SIZE + 4)		/* behind the AETH */
#define OPFN_ADDRESS		(~0ULL)
#define OPFN_CODE(word)		((word) & 0xf)
#define OPFN_CODE_TID_RDMA	1
#define OPFN_FIELDS \
	"max_len, max_read, max_write, jkey, timeout, urg, ver, context, kdeth, raw"
#define OPFN_PAGE_SHIFT		12
#define OPFN_PAGE		BIT_ULL(OPFN_PAGE_SHIFT)

/**
 * struct opfn_field - a field of the OPFN word (tid_rdma.c, TID_OPFN_*)
 * @name: as the control command spells it
 * @shift: lowest bit
 * @width: in bits
 */
struct opfn_field {
	const char *name;
	unsigned int shift;
	unsigned int width;
};

static const struct opfn_field opfn_field[] = {
	{ "context", 56, 8 },
	{ "kdeth", 48, 8 },
	{ "max_len", 37, 11 },
	{ "timeout", 32, 5 },
	{ "urg", 25, 1 },
	{ "ver", 22, 3 },
	{ "jkey", 16, 6 },
	{ "max_read", 10, 6 },
	{ "max_write", 4, 6 },
	{ "raw", 0, 64 },
};

static const struct opfn_field *opfn_field_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opfn_field); i++)
		if (!strcmp(opfn_field[i].name, name))
			return &opfn_field[i];
	return NULL;
}

const char *opfn_set(struct opfn_override *override, const char *name, u64 value)
{
	const struct opfn_field *field = opfn_field_find(name);
	u64 mask;

	if (!field)
		return "the fields are " OPFN_FIELDS;
	if (!strcmp(name, "max_len")) {
		/* on the wire it is the number of 4 KiB pages less one */
		if (!value || value % OPFN_PAGE)
			return "max_len is in bytes, a multiple of 4096 that is not 0";
		value = (value >> OPFN_PAGE_SHIFT) - 1;
	}
	mask = field->width == 64 ? ~0ULL : BIT_ULL(field->width) - 1;
	if (value > mask)
		return "the value does not fit into the field";
	override->mask |= mask << field->shift;
	override->value &= ~(mask << field->shift);
	override->value |= value << field->shift;
	return NULL;
}

void opfn_clear(struct opfn_override *override)
{
	override->mask = 0;
	override->value = 0;
}

static void opfn_note_request(struct opfn_override *override, u32 psn)
{
	override->request[override->next] = psn + 1;
	override->next = (override->next + 1) % OPFN_REQUESTS;
}

static bool opfn_requested(const struct opfn_override *override, u32 psn)
{
	size_t i;

	for (i = 0; i < OPFN_REQUESTS; i++)
		if (override->request[i] == psn + 1)
			return true;
	return false;
}

/* The OPFN word in a packet, or NULL. */
static u8 *opfn_find(struct hfi *hfi, struct packet *packet)
{
	u8 *bth = packet->data + packet->bth;
	u32 left = packet->length - packet->bth;

	switch (packet->opcode) {
	case OPCODE_RC_COMPARE_SWAP:
		if (left < ATOMIC_COMPARE + 8 || get_be64(bth + ATOMIC_ADDRESS) != OPFN_ADDRESS)
			return NULL;
		opfn_note_request(&hfi->opfn, packet->psn);
		return bth + ATOMIC_COMPARE;
	case OPCODE_RC_ATOMIC_ACK:
		if (left < ATOMIC_ACK_DATA + 8 || !opfn_requested(&hfi->peer->opfn, packet->psn) ||
		    OPFN_CODE(get_be64(bth + ATOMIC_ACK_DATA)) != OPFN_CODE_TID_RDMA)
			return NULL;
		return bth + ATOMIC_ACK_DATA;
	default:
		return NULL;
	}
}

void opfn_rewrite(struct hfi *hfi, struct packet *packet)
{
	const struct opfn_override *override = &hfi->opfn;
	u8 *word = opfn_find(hfi, packet);
	u64 before, after;

	if (!word || !override->mask)
		return;
	before = get_be64(word);
	if (before == OPFN_CODE(before) && override->mask != ~0ULL)
		return;
	after = (before & ~override->mask) | override->value;
	put_be64(word, after);
	hfi_log(hfi, LOG_INFO, "OPFN data %#llx sent as %#llx", before, after);
}
