/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_HFI_H
#define HFISIM_HFI_H

#include "counters.h"
#include "expected.h"
#include "fabric.h"
#include "fault.h"
#include "interrupt.h"
#include "ledger.h"
#include "lie.h"
#include "link.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "opfn.h"
#include "pci.h"
#include "pio.h"
#include "receive.h"
#include "sdma.h"
#include "types.h"

/**
 * struct hfi_config - sizes and identity of an HFI
 * @index: 0 or 1; makes the GUID
 * @device_id: PCI device, 0x24f1 (integrated) or 0x24f0 (discrete)
 * @icode: implementation code: 1 (simulated silicon) or 3 (functional
 *	simulator, no link negotiation)
 * @rcv_contexts: receive contexts, 1 to RCV_CONTEXTS_MAX
 * @send_contexts: send contexts, 1 to SEND_CONTEXTS_MAX
 * @sdma_engines: 1 to SDMA_ENGINES_MAX
 * @rcv_array: RcvArray entries, a multiple of 8 up to RCV_ARRAY_MAX
 */
struct hfi_config {
	unsigned int index;
	u16 device_id;
	u8 icode;
	u32 rcv_contexts;
	u32 send_contexts;
	u32 sdma_engines;
	u32 rcv_array;
};

/**
 * hfi_config_default() - the configuration without options
 * Return: 24f1, code 1, 26 contexts each way, 8 SDMA engines, 4096
 * RcvArray entries, index 0.
 */
struct hfi_config hfi_config_default(void);

/**
 * hfi_config_valid() - check a configuration
 * @config: the configuration
 *
 * Return: false if something is out of range, after one line in the log that
 * says what to use instead.
 */
bool hfi_config_valid(const struct hfi_config *config);

/**
 * struct hfi - an emulated HFI
 * @config: its sizes
 * @loop: for timers
 * @peer: the HFI at the other end of the wire; itself when there is none
 * @bar: BAR 0: registers and send buffers, sparse
 * @guid: node GUID
 * @counters: what it has done since it was made; survive resets
 * @pci: configuration space
 * @mem: guest memory
 * @interrupt: interrupt block
 * @link: 8051
 * @pio: send contexts
 * @sdma: send engines
 * @rcv: receive contexts
 * @port: receiving end of the wire
 * @opfn: what to announce instead of the driver's own OPFN data
 * @fault: fault injector of the receive side
 * @ledger: of the grants of its RcvArray
 * @lie: what it is told that the peer has not sent
 * @complaints: lines written in the second that began at @complaint_time
 * @complaints_left_out: lines not written in that second
 * @complaint_time: see @complaints, in nanoseconds
 */
struct hfi {
	struct hfi_config config;
	struct loop *loop;
	struct hfi *peer;
	u8 *bar;
	u64 guid;
	struct counters counters;
	struct pci pci;
	struct mem mem;
	struct interrupt interrupt;
	struct link link;
	struct pio_context pio[SEND_CONTEXTS_MAX];
	struct sdma_engine sdma[SDMA_ENGINES_MAX];
	struct receive_context rcv[RCV_CONTEXTS_MAX];
	struct fabric_port port;
	struct opfn_override opfn;
	struct fault *fault;
	struct ledger *ledger;
	struct lie *lie;
	unsigned int complaints;
	u64 complaints_left_out;
	u64 complaint_time;
};

/**
 * hfi_new() - make an HFI, reset, without guest memory and without a peer
 * @config: its sizes, which are checked
 * @loop: for its timers; must outlive the HFI
 *
 * Return: the HFI; NULL if a size is out of range or memory is short
 * (which has been logged).
 */
struct hfi *hfi_new(const struct hfi_config *config, struct loop *loop);

/**
 * hfi_free() - free an HFI; a peer is left without one
 * @hfi: the HFI, or NULL
 */
void hfi_free(struct hfi *hfi);

/**
 * hfi_connect() - join two HFIs by a cable
 * @a: one
 * @b: the other; may be @a, for a loop
 */
void hfi_connect(struct hfi *a, struct hfi *b);

/**
 * hfi_reset() - reset the chip: FLR, device reset, client gone
 * @hfi: the HFI; GUID, counters, faults to inject and the OPFN override
 *	stay, and so do guest memory and eventfds
 */
void hfi_reset(struct hfi *hfi);

#endif
