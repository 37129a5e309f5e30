// SPDX-License-Identifier: GPL-2.0
/*
 * Ledger of grants: who may write where by an RcvArray entry, and who could
 */
#include <stdlib.h>
#include <string.h>

#include "csr.h"
#include "hfi.h"
#include "ledger.h"
#include "text.h"

#define PAGE_BITS	12
#define PAGE_WAYS	4			/* pages that share a hash value */
#define PAGE_SETS	(16 * 1024)
#define RECORDS		256
#define NO_CONTEXT	0xffff

/**
 * struct grant - what an RcvArray entry gives, or gave last
 * @address: bus address of the first byte
 * @size: in bytes, 0 if the entry has never been valid
 * @written: ledger clock when the entry was written
 * @context: receive context in whose share the entry is
 * @valid: the entry gives the memory now
 */
struct grant {
	u64 address;
	u64 size;
	u64 written;
	u16 context;
	bool valid;
};

/**
 * struct page - a page of guest memory that was given once
 * @number: bus address divided by the page size, plus 1; 0 for a free slot
 * @given_back: when the last entry gave it back, in ns of loop_now()
 * @grants: entries that give it now
 */
struct page {
	u64 number;
	u64 given_back;
	u32 grants;
};

/**
 * struct record - a write that should not have been
 * @write: what was to be written where
 * @why: what is wrong with it
 * @time: when, in ns of loop_now()
 * @given_back: when the memory was given back, 0 if it was not or if so much
 *	was given back since that it has been forgotten
 * @given_again: some entry gives the memory now
 */
struct record {
	struct ledger_write write;
	const char *why;
	u64 time;
	u64 given_back;
	bool given_again;
};

/**
 * struct ledger - the ledger of an HFI
 * @born: when it was made, in ns of loop_now()
 * @clock: 1 + number of times that an entry was written
 * @records: number of writes recorded ever; the newest are in @record
 * @last_context: whose share an entry was looked up in last
 * @record: ring of records
 * @page: hash of pages; of those nobody gives, the longest back is forgotten
 * @entries: in @grant
 * @grant: one for each RcvArray entry
 */
struct ledger {
	u64 born;
	u64 clock;
	u64 records;
	u16 last_context;
	struct record record[RECORDS];
	struct page page[PAGE_SETS][PAGE_WAYS];
	u32 entries;
	struct grant grant[];
};

struct ledger *ledger_new(struct hfi *hfi)
{
	u32 entries = hfi->config.rcv_array;
	struct ledger *ledger;

	ledger = calloc(1, sizeof(*ledger) + entries * sizeof(ledger->grant[0]));
	if (!ledger)
		return NULL;
	ledger->entries = entries;
	ledger->born = loop_now();
	ledger->clock = 1;
	return ledger;
}

void ledger_free(struct ledger *ledger)
{
	free(ledger);
}

void ledger_reset(struct hfi *hfi)
{
	struct ledger *ledger = hfi->ledger;

	memset(ledger->grant, 0, ledger->entries * sizeof(ledger->grant[0]));
	memset(ledger->page, 0, sizeof(ledger->page));
	ledger->clock++;
}

u64 ledger_clock(const struct hfi *hfi)
{
	return hfi->ledger->clock;
}

static struct page *page_set(struct ledger *ledger, u64 number)
{
	return ledger->page[(number * 0x9e3779b97f4a7c15ULL >> 40) % PAGE_SETS];
}

static struct page *page_find(struct ledger *ledger, u64 number)
{
	struct page *set = page_set(ledger, number);
	unsigned int i;

	for (i = 0; i < PAGE_WAYS; i++)
		if (set[i].number == number)
			return &set[i];
	return NULL;
}

/* A slot for a new page; NULL if all that share it are given right now. */
static struct page *page_make(struct ledger *ledger, u64 number)
{
	struct page *set = page_set(ledger, number);
	struct page *oldest = NULL;
	unsigned int i;

	for (i = 0; i < PAGE_WAYS; i++)
		if (!set[i].grants && (!oldest || set[i].given_back < oldest->given_back))
			oldest = &set[i];
	if (oldest)
		*oldest = (struct page){ .number = number };
	return oldest;
}

static u64 page_number(u64 address)
{
	return (address >> PAGE_BITS) + 1;
}

static void pages_give(struct ledger *ledger, const struct rcvarray_entry *entry)
{
	u64 number = page_number(entry->address);
	u64 end = number + (entry->size >> PAGE_BITS);

	for (; number < end; number++) {
		struct page *page = page_find(ledger, number);

		if (!page)
			page = page_make(ledger, number);
		if (page)
			page->grants++;
	}
}

static void pages_take(struct ledger *ledger, const struct rcvarray_entry *entry)
{
	u64 number = page_number(entry->address);
	u64 end = number + (entry->size >> PAGE_BITS);
	u64 now = loop_now();

	for (; number < end; number++) {
		struct page *page = page_find(ledger, number);

		if (page && page->grants && !--page->grants)
			page->given_back = now;
	}
}

static u16 context_of(struct hfi *hfi, u32 entry)
{
	struct ledger *ledger = hfi->ledger;
	unsigned int i;

	for (i = 0; i < hfi->config.rcv_contexts; i++) {
		u16 context = (ledger->last_context + i) % hfi->config.rcv_contexts;
		u32 first;
		u32 count = expected_share(hfi, context, &first);

		if (entry >= first && entry - first < count) {
			ledger->last_context = context;
			return context;
		}
	}
	return NO_CONTEXT;
}

void ledger_entry(struct hfi *hfi, u32 entry, u64 before, u64 after)
{
	struct ledger *ledger = hfi->ledger;
	struct rcvarray_entry now = rcvarray_decode(after);
	struct rcvarray_entry was = rcvarray_decode(before);
	struct grant *grant;

	if (entry >= ledger->entries)
		return;
	grant = &ledger->grant[entry];
	ledger->clock++;
	/* give first: a page that stays given must not look given back */
	if (now.size)
		pages_give(ledger, &now);
	if (was.size)
		pages_take(ledger, &was);
	grant->valid = now.size;
	if (!now.size)
		return;
	grant->written = ledger->clock;
	grant->address = now.address;
	grant->size = now.size;
	grant->context = context_of(hfi, entry);
}

/* What is wrong with a write, or NULL; says whether it is late. */
static const char *judge(const struct grant *grant, const struct ledger_write *write, bool *late)
{
	*late = true;
	if (!write->valid && grant->size && !grant->valid && write->offset < grant->size)
		return "the entry gave this memory and was invalidated";
	if (write->valid && write->arrived && grant->written > write->arrived)
		return "the entry was written after the packet came";
	*late = false;
	if (!write->valid)
		return "the entry does not give this memory and never did";
	if (grant->valid && grant->context != write->context)
		return "the entry was valid in the share of another context";
	return NULL;
}

static void record_write(struct hfi *hfi, const struct ledger_write *write, u64 address,
			 const char *why)
{
	struct ledger *ledger = hfi->ledger;
	struct record *record = &ledger->record[ledger->records++ % RECORDS];
	struct page *page = address ? page_find(ledger, page_number(address)) : NULL;

	record->write = *write;
	record->write.address = address;
	record->why = why;
	record->time = loop_now();
	record->given_back = page ? page->given_back : 0;
	record->given_again = page && page->grants;
	hfi_log(hfi, LOG_INFO, "context %u entry %u address %#llx length %u psn %#x: %s",
		write->context, write->entry, address, write->length, write->psn, why);
}

void ledger_expected_write(struct hfi *hfi, const struct ledger_write *write)
{
	static const struct grant never;
	struct ledger *ledger = hfi->ledger;
	const struct grant *grant = &never;
	u64 address = write->address;
	const char *why;
	bool late;

	if (write->entry < ledger->entries)
		grant = &ledger->grant[write->entry];
	why = judge(grant, write, &late);
	if (!why)
		return;
	if (late)
		hfi->counters.late_writes++;
	if (late && !write->valid)
		address = grant->address + write->offset;
	record_write(hfi, write, address, why);
}

static void record_print(const struct ledger *ledger, const struct record *record,
			 struct text *text)
{
	const struct ledger_write *write = &record->write;

	text_add(text, "{\"context\":%u,\"entry\":%u,\"address\":\"%#llx\",\"length\":%u,",
		 write->context, write->entry, write->address, write->length);
	text_add(text, "\"psn\":%u,\"why\":\"%s\",\"given_back\":", write->psn, record->why);
	if (record->given_back)
		text_add(text, "%.6f", (record->time - record->given_back) / 1e9);
	else
		text_add(text, "null");
	text_add(text, ",\"given_again\":%s,\"time\":%.6f}",
		 record->given_again ? "true" : "false", (record->time - ledger->born) / 1e9);
}

void ledger_print(const struct hfi *hfi, struct text *text)
{
	const struct ledger *ledger = hfi->ledger;
	u64 i = ledger->records > RECORDS ? ledger->records - RECORDS : 0;
	const char *between = "[";

	if (i == ledger->records)
		text_add(text, "[");
	for (; i < ledger->records; i++) {
		text_add(text, "%s", between);
		record_print(ledger, &ledger->record[i % RECORDS], text);
		between = ",";
	}
	text_add(text, "]");
}
