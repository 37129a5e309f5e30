/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_FAULT_H
#define HFISIM_FAULT_H

#include "packet.h"

/*
 * Faults and the hold queue: both act on expected packets when they arrive
 * at an HFI, before the receive side sees them. First the faults, as if the
 * wire did it, then the hold queue: a packet which was delayed is parked
 * when its delay is over, a duplicated one is parked twice.
 *
 * A packet suffers one fault at most. When two are due, the one which comes
 * first in enum fault_action happens and the other stays due for the next
 * packet.
 */

struct hfi;
struct fault;

/* packets that are parked at one time, in bytes; more are dropped */
#define FAULT_PARKED_MAX	(64u * 1024 * 1024)

/* a packet waits so long for another one to change places with */
#define FAULT_REORDER_US	20000

/**
 * enum fault_filter - which expected packets are meant
 * @FILTER_ALL: all of them
 * @FILTER_READ_RESP: KIND_READ_RESP
 * @FILTER_WRITE_DATA: KIND_WRITE_DATA
 */
enum fault_filter {
	FILTER_ALL,
	FILTER_READ_RESP,
	FILTER_WRITE_DATA,
	FILTER_COUNT,
};

/** fault_filter_name - the filters as the commands spell them */
extern const char *const fault_filter_name[FILTER_COUNT];

/**
 * enum fault_action - what is done to a packet
 * @FAULT_DROP: it is lost
 * @FAULT_CORRUPT: its last payload byte is changed, which the ICRC shows: it
 *	is stored, but with an error in the RHF, as the chip does it
 * @FAULT_DUPLICATE: it arrives twice, one right behind the other
 * @FAULT_REORDER: it changes places with the next expected packet that
 *	arrives, or arrives by itself after FAULT_REORDER_US
 * @FAULT_DELAY: it arrives later, behind what has come in between
 */
enum fault_action {
	FAULT_DROP,
	FAULT_CORRUPT,
	FAULT_DUPLICATE,
	FAULT_REORDER,
	FAULT_DELAY,
	FAULT_COUNT,
};

/** fault_action_name - the actions as the commands spell them */
extern const char *const fault_action_name[FAULT_COUNT];

/**
 * struct fault_rule - a fault to inject
 * @filter: which packets count and suffer
 * @every: the last of so many packets suffers; 0 for no fault
 * @count: so many packets suffer, 0 for no limit
 * @delay: for FAULT_DELAY, in microseconds
 */
struct fault_rule {
	enum fault_filter filter;
	u32 every;
	u32 count;
	u64 delay;
};

/**
 * fault_new() - make the fault injector of an HFI, with nothing to inject
 * @hfi: the HFI that receives
 *
 * Called by hfi_new(), which stores the result in hfi->fault.
 *
 * Return: the injector, NULL when memory is short.
 */
struct fault *fault_new(struct hfi *hfi);

/**
 * fault_free() - free a fault injector and the packets it has parked
 * @fault: the injector, or NULL
 */
void fault_free(struct fault *fault);

/**
 * fault_reset() - throw away the parked packets when the receiver is reset
 * @hfi: the HFI; what is to be injected stays
 */
void fault_reset(struct hfi *hfi);

/**
 * fault_expected() - look at an expected packet that arrives
 * @hfi: the HFI that receives
 * @packet: parsed, of route KIND_EXPECTED; borrowed, its data may be changed
 *
 * Called by fabric_send() for each packet of route KIND_EXPECTED. To let
 * the packet through do nothing and return false. To do anything else
 * return true: the fabric then forgets the packet, and it is up to the
 * injector to call fabric_arrive() for what shall arrive, now (twice, or
 * in another order) or later, with packets of its own (packet_copy()).
 *
 * Return: true if the injector has taken care of the packet.
 */
bool fault_expected(struct hfi *hfi, struct packet *packet);

/**
 * fault_inject() - inject a fault from now on
 * @hfi: the HFI that receives
 * @action: what to do; takes the place of an earlier rule for it
 * @rule: to which packets; @rule->every packets are counted from now
 */
void fault_inject(struct hfi *hfi, enum fault_action action, const struct fault_rule *rule);

/**
 * fault_off() - inject no more faults
 * @hfi: the HFI that receives; packets which are late arrive now
 */
void fault_off(struct hfi *hfi);

/**
 * fault_hold() - park the packets that arrive from now on
 * @hfi: the HFI that receives
 * @filter: which packets; other ones pass them by. Those which are parked
 *	already stay parked.
 */
void fault_hold(struct hfi *hfi, enum fault_filter filter);

/**
 * fault_release() - let all parked packets arrive, in order, and stop parking
 * @hfi: the HFI that receives
 * Return: number of packets.
 */
u32 fault_release(struct hfi *hfi);

/**
 * fault_release_some() - let the oldest parked packets arrive, keep parking
 * @hfi: the HFI that receives
 * @count: so many, or as many as there are
 * Return: number of packets.
 */
u32 fault_release_some(struct hfi *hfi, u32 count);

/**
 * fault_discard() - throw the parked packets away and stop parking
 * @hfi: the HFI that receives
 * Return: number of packets.
 */
u32 fault_discard(struct hfi *hfi);

/**
 * fault_held() - number of parked packets
 * @hfi: the HFI that receives
 * Return: packets that the hold command has parked.
 */
u32 fault_held(const struct hfi *hfi);

#endif
