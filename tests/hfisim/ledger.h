/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LEDGER_H
#define HFISIM_LEDGER_H

#include "types.h"

/*
 * The ledger of grants: which pages the RcvArray gives to expected
 * packets, and which it gave once and has taken back.
 *
 * A late write is an expected packet for memory that its entry no longer
 * gives: the entry is invalid but was valid once, or the entry was written
 * while the packet was held, delayed or waiting, and so gives other memory
 * now than when the packet came.
 */

struct hfi;
struct ledger;
struct text;

/**
 * struct ledger_write - an expected packet about to be stored
 * @context: receive context
 * @entry: index of the RcvArray entry in the whole array
 * @valid: the entry is inside the context's share and names memory
 * @address: bus address of the first byte that the packet is for; what the
 *	entry named before it was invalidated is the ledger's to know, so 0
 *	with @valid false
 * @offset: of the first byte in the entry
 * @length: bytes meant for this entry
 * @psn: of the packet
 * @arrived: of the packet (packet.h)
 */
struct ledger_write {
	u16 context;
	u32 entry;
	bool valid;
	u64 address;
	u64 offset;
	u32 length;
	u32 psn;
	u64 arrived;
};

/**
 * ledger_new() - make the ledger of an HFI
 * @hfi: the HFI; hfi->config.rcv_array entries, all invalid
 *
 * Called by hfi_new(), which stores the result in hfi->ledger.
 *
 * Return: the ledger, NULL when memory is short.
 */
struct ledger *ledger_new(struct hfi *hfi);

/**
 * ledger_free() - free a ledger
 * @ledger: the ledger, or NULL
 */
void ledger_free(struct ledger *ledger);

/**
 * ledger_reset() - the chip was reset: all entries are invalid now
 * @hfi: the HFI
 */
void ledger_reset(struct hfi *hfi);

/**
 * ledger_entry() - an RcvArray entry is about to be written
 * @hfi: the HFI
 * @entry: its index in the whole array
 * @before: the register's value now
 * @after: the value it will have (rcvarray_decode() makes sense of both)
 */
void ledger_entry(struct hfi *hfi, u32 entry, u64 before, u64 after);

/**
 * ledger_expected_write() - an expected packet is about to be stored
 * @hfi: the HFI
 * @write: what is to be stored where. Called once for each entry that the
 *	packet spans, also for entries that are not valid; those are not
 *	written to, and counted in invalid_entry_writes by the caller.
 *
 * The ledger counts late_writes, and remembers the newest writes which were
 * late, hit an invalid entry or an entry in the share of another context.
 */
void ledger_expected_write(struct hfi *hfi, const struct ledger_write *write);

/**
 * ledger_clock() - the time of the ledger, for struct packet.arrived
 * @hfi: the HFI that receives
 * Return: 1 + number of times that an entry was written.
 */
u64 ledger_clock(const struct hfi *hfi);

/**
 * ledger_print() - print the writes that the ledger remembers as JSON
 * @hfi: the HFI
 * @text: gets an array of objects, the oldest first: context, entry,
 *	address, length, psn, why, given_back (seconds since the memory was
 *	given back, null if it was not), given_again (an entry gave the
 *	memory at that time), time (seconds since the ledger was made)
 */
void ledger_print(const struct hfi *hfi, struct text *text);

#endif
