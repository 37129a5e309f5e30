// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: as JSON, and one by one
 */
#include <stdlib.h>
#include <string.h>

#include "csr.h"
#include "hfi.h"
#include "text.h"

/**
 * struct number - a counter by name
 * @name: in JSON
 * @offset: of the u64 in struct counters
 */
struct number {
	const char *name;
	size_t offset;
};

#define NUMBER(member)	{ #member, offsetof(struct counters, member) }
#define FAULT(member)	{ #member, offsetof(struct counters, faults.member) }

static const struct number numbers[] = {
	NUMBER(tx_packets),
	NUMBER(rx_packets),
	NUMBER(rx_dropped),
	NUMBER(expected_writes),
	NUMBER(suppressed_headers),
	NUMBER(sequence_errors),
	NUMBER(generation_errors),
	NUMBER(invalid_entry_writes),
	NUMBER(late_writes),
	NUMBER(interrupts),
	NUMBER(mmio_reads),
	NUMBER(mmio_writes),
	NUMBER(protocol_errors),
	NUMBER(stalls),
	NUMBER(unfreezes),
	NUMBER(job_key_errors),
};

static const struct number faults[] = {
	FAULT(drop),
	FAULT(delay),
	FAULT(duplicate),
	FAULT(reorder),
	FAULT(corrupt),
};

static u64 number_value(const struct hfi *hfi, const struct number *number)
{
	u64 value;

	memcpy(&value, (const char *)&hfi->counters + number->offset, sizeof(value));
	return value;
}

static bool find_number(const struct hfi *hfi, const struct number *list, size_t count,
			const char *name, u64 *value)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strcmp(list[i].name, name))
			continue;
		*value = number_value(hfi, &list[i]);
		return true;
	}
	return false;
}

static u32 valid_entries(const struct hfi *hfi, unsigned int context)
{
	u32 valid = 0;
	u32 first;
	u32 count = expected_share(hfi, context, &first);
	u32 i;

	for (i = 0; i < count; i++)
		valid += rcvarray_get(hfi, first + i).size != 0;
	return valid;
}

/* JSON objects: text_cut() takes the last comma away again */
static void close_object(struct text *text)
{
	if (text->length && text->data[text->length - 1] == ',')
		text_cut(text, text->length - 1);
	text_add(text, "}");
}

static void print_valid_entries(const struct hfi *hfi, struct text *text)
{
	unsigned int context;
	u32 first;

	text_add(text, "\"rcvarray_valid\":{");
	for (context = 0; context < hfi->config.rcv_contexts; context++)
		if (expected_share(hfi, context, &first))
			text_add(text, "\"%u\":%u,", context, valid_entries(hfi, context));
	close_object(text);
}

static void print_rnr_nak(const struct hfi *hfi, struct text *text)
{
	unsigned int code;

	text_add(text, "\"rnr_nak\":{");
	for (code = 0; code < RNR_TIMERS; code++)
		if (hfi->counters.rnr_nak[code])
			text_add(text, "\"%u\":%llu,", code, hfi->counters.rnr_nak[code]);
	close_object(text);
}

static void print_numbers(const struct hfi *hfi, const struct number *list, size_t count,
			  struct text *text)
{
	size_t i;

	for (i = 0; i < count; i++)
		text_add(text, "\"%s\":%llu,", list[i].name, number_value(hfi, &list[i]));
}

void counters_print(const struct hfi *hfi, struct text *text)
{
	unsigned int kind;

	text_add(text, "{");
	print_numbers(hfi, numbers, ARRAY_SIZE(numbers), text);
	text_add(text, "\"held\":%u,\"kinds\":{", fault_held(hfi));
	for (kind = 0; kind < KIND_COUNT; kind++)
		text_add(text, "\"%s\":%llu,", packet_kind_name[kind], hfi->counters.kinds[kind]);
	close_object(text);
	text_add(text, ",\"faults\":{");
	print_numbers(hfi, faults, ARRAY_SIZE(faults), text);
	close_object(text);
	text_add(text, ",\"lies\":");
	lie_print(hfi, text);
	text_add(text, ",");
	print_valid_entries(hfi, text);
	text_add(text, ",");
	print_rnr_nak(hfi, text);
	text_add(text, "}");
}

/* What follows "PREFIX." in a name, or NULL. */
static const char *behind(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	if (strncmp(name, prefix, length) || name[length] != '.')
		return NULL;
	return name + length + 1;
}

static bool parse_index(const char *word, u32 limit, u32 *index)
{
	char *end;
	unsigned long value = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || value >= limit)
		return false;
	*index = value;
	return true;
}

static bool find_kind(const struct hfi *hfi, const char *name, u64 *value)
{
	unsigned int kind;

	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (strcmp(packet_kind_name[kind], name))
			continue;
		*value = hfi->counters.kinds[kind];
		return true;
	}
	return false;
}

bool counters_find(const struct hfi *hfi, const char *name, u64 *value)
{
	const char *part;
	u32 index;

	part = behind(name, "kinds");
	if (part)
		return find_kind(hfi, part, value);
	part = behind(name, "faults");
	if (part)
		return find_number(hfi, faults, ARRAY_SIZE(faults), part, value);
	part = behind(name, "lies");
	if (part)
		return lie_find(hfi, part, value);
	part = behind(name, "rcvarray_valid");
	if (part) {
		if (!parse_index(part, hfi->config.rcv_contexts, &index))
			return false;
		*value = valid_entries(hfi, index);
		return true;
	}
	part = behind(name, "rnr_nak");
	if (part) {
		if (!parse_index(part, RNR_TIMERS, &index))
			return false;
		*value = hfi->counters.rnr_nak[index];
		return true;
	}
	if (!strcmp(name, "held")) {
		*value = fault_held(hfi);
		return true;
	}
	return find_number(hfi, numbers, ARRAY_SIZE(numbers), name, value);
}
