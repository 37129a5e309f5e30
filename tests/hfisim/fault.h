/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_FAULT_H
#define HFISIM_FAULT_H

#include "packet.h"

/*
 * Faults and the hold queue: both act on expected packets when they arrive
 * at an HFI, before the receive side sees them.
 */

struct hfi;

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
 * fault_held() - number of parked packets
 * @hfi: the HFI that receives
 * Return: packets that the hold command has parked.
 */
u32 fault_held(const struct hfi *hfi);

#endif
