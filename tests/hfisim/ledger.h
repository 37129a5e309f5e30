/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LEDGER_H
#define HFISIM_LEDGER_H

#include "types.h"

/*
 * The ledger of grants: which pages the RcvArray gives to expected
 * packets, and which it gave once and has taken back.
 */

struct hfi;

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
 */
struct ledger_write {
	u16 context;
	u32 entry;
	bool valid;
	u64 address;
	u64 offset;
	u32 length;
	u32 psn;
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
 * The ledger counts late_writes.
 */
void ledger_expected_write(struct hfi *hfi, const struct ledger_write *write);

#endif
