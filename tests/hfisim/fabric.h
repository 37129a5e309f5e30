/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_FABRIC_H
#define HFISIM_FABRIC_H

#include "packet.h"

struct hfi;

/**
 * struct fabric_port - the receiving end of the wire at an HFI
 * @waiting: packets that arrived and found no room, oldest first
 * @draining: fabric_resume() is at work
 */
struct fabric_port {
	struct packet_queue waiting;
	bool draining;
};

/**
 * fabric_send() - put a packet on the wire
 * @hfi: the HFI that sends
 * @packet: with @pbc, @data and @length; borrowed
 *
 * Parses it, applies opfn_rewrite(), counts it, asks fault_expected() of
 * the receiver and delivers it. Lost if the link is down.
 */
void fabric_send(struct hfi *hfi, struct packet *packet);

/**
 * fabric_arrive() - deliver a packet
 * @hfi: the HFI that receives
 * @packet: parsed; borrowed
 *
 * Behind the packets that wait for room, if there are any. A packet on
 * VL15 never waits: it is stored or dropped.
 */
void fabric_arrive(struct hfi *hfi, struct packet *packet);

/**
 * fabric_blocked() - the peer has no room
 * @hfi: the HFI that wants to send
 * Return: true if packets to the peer would have to wait.
 */
bool fabric_blocked(const struct hfi *hfi);

/**
 * fabric_resume() - an HFI may have room again
 * @hfi: the HFI that receives
 *
 * Delivers what waits; when nothing waits any more, lets the peer's
 * engines and send contexts go on.
 */
void fabric_resume(struct hfi *hfi);

/**
 * fabric_reset() - the receiver is reset: what waits is lost
 * @hfi: the HFI that receives
 */
void fabric_reset(struct hfi *hfi);

#endif
