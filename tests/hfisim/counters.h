/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_COUNTERS_H
#define HFISIM_COUNTERS_H

#include "lie.h"
#include "packet.h"

#define RNR_TIMERS	32

/**
 * struct fault_counters - faults injected so far
 * @drop: packets lost
 * @delay: packets delivered later
 * @duplicate: packets delivered twice
 * @reorder: packets that changed places with the one behind
 * @corrupt: packets with a payload byte changed
 */
struct fault_counters {
	u64 drop;
	u64 delay;
	u64 duplicate;
	u64 reorder;
	u64 corrupt;
};

/**
 * struct counters - what an HFI has done since it was made
 * @tx_packets: packets put on the wire
 * @rx_packets: packets taken from the wire and stored (or suppressed)
 * @rx_dropped: packets taken from the wire and thrown away for any reason
 *	but an injected fault
 * @kinds: arriving packets by enum packet_kind: each counts once by its
 *	route and, if it carries a TID RDMA message, once by that
 * @expected_writes: stores into pages named by RcvArray entries for
 *	expected packets (a packet that spans two entries makes two)
 * @suppressed_headers: expected packets that made no header queue entry
 * @sequence_errors: expected packets with RHF_RTE_EXPECTED_FLOW_SEQ_ERR
 * @generation_errors: the same for RHF_RTE_EXPECTED_FLOW_GEN_ERR
 * @invalid_entry_writes: expected packets that name an entry which is
 *	invalid or outside the context's share of the RcvArray; lies apart
 * @late_writes: expected packets for a page that was given back before
 *	(ledger.h); lies apart
 * @rnr_nak: RNR NAKs sent, by their timer code
 * @interrupts: eventfds signalled
 * @mmio_reads: reads of BAR 0
 * @mmio_writes: writes to BAR 0
 * @protocol_errors: rules broken by the guest or QEMU (hfi_complain())
 * @stalls: times that arriving packets had to wait for room
 * @unfreezes: times that the driver ended a freeze
 * @job_key_errors: packets thrown away because their job key was wrong
 * @faults: injected faults
 * @lies: forged packets
 */
struct counters {
	u64 tx_packets;
	u64 rx_packets;
	u64 rx_dropped;
	u64 kinds[KIND_COUNT];
	u64 expected_writes;
	u64 suppressed_headers;
	u64 sequence_errors;
	u64 generation_errors;
	u64 invalid_entry_writes;
	u64 late_writes;
	u64 rnr_nak[RNR_TIMERS];
	u64 interrupts;
	u64 mmio_reads;
	u64 mmio_writes;
	u64 protocol_errors;
	u64 stalls;
	u64 unfreezes;
	u64 job_key_errors;
	struct fault_counters faults;
	struct lie_counters lies;
};

struct hfi;
struct text;

/**
 * counters_print() - print the counters of an HFI as a JSON object
 * @hfi: the HFI
 * @text: what it is added to
 *
 * Beside struct counters: "rcvarray_valid", the valid entries in the share
 * of each receive context that has one, and "held", the parked packets.
 */
void counters_print(const struct hfi *hfi, struct text *text);

/**
 * counters_find() - look one number up
 * @hfi: the HFI
 * @name: as counters_print() spells it, a dot between the name of an object
 *	and the name in it, for example "kinds.expected"
 * @value: set to the number
 *
 * Return: false if there is no such number.
 */
bool counters_find(const struct hfi *hfi, const char *name, u64 *value);

#endif
