// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

#define AETH_TYPE(byte)		((byte) >> 5)
#define AETH_RNR_NAK		1
#define AETH_RNR_TIMER(byte)	((byte) & 0x1f)
#define BTH_BYTES		12

static u8 kdeth_prefix(const struct hfi *hfi)
{
	return (u8)(csr_get(hfi, RCV_BTH_QP) >> RCV_BTH_QP_KDETH_QP_SHIFT);
}

static void count_rnr_nak(struct hfi *hfi, const struct packet *packet)
{
	u8 syndrome;

	if (packet->opcode != OPCODE_RC_ACK || packet->length <= packet->bth + BTH_BYTES)
		return;
	syndrome = packet->data[packet->bth + BTH_BYTES];
	if (AETH_TYPE(syndrome) == AETH_RNR_NAK)
		hfi->counters.rnr_nak[AETH_RNR_TIMER(syndrome)]++;
}

void fabric_send(struct hfi *hfi, struct packet *packet)
{
	struct hfi *peer = hfi->peer;
	enum packet_kind route;

	hfi->counters.tx_packets++;
	if (!link_is_up(hfi)) {
		hfi_log(hfi, LOG_DEBUG, "packet lost: the link is down");
		return;
	}
	route = packet_parse(packet, kdeth_prefix(peer));
	if (route != KIND_BYPASS && route != KIND_MALFORMED) {
		opfn_rewrite(hfi, packet);
		count_rnr_nak(hfi, packet);
	}
	hfi_log(hfi, LOG_DEBUG, "sends %s opcode 0x%02x qp 0x%x psn 0x%x, %u bytes",
		packet_kind_name[route], packet->opcode, packet->qpn,
		packet->psn, packet->length);
	peer->counters.kinds[route]++;
	if (packet->message != KIND_NONE)
		peer->counters.kinds[packet->message]++;
	if (route == KIND_EXPECTED || route == KIND_KDETH_EAGER)
		lie_heard(peer, packet);
	if (route == KIND_EXPECTED && fault_expected(peer, packet))
		return;
	fabric_arrive(peer, packet);
}

static void keep_waiting(struct hfi *hfi, const struct packet *packet)
{
	struct packet *copy = packet_copy(packet);

	if (!copy) {
		hfi->counters.rx_dropped++;
		hfi_log(hfi, LOG_ERROR, "packet lost: out of memory");
		return;
	}
	if (!copy->arrived)
		copy->arrived = ledger_clock(hfi);
	packet_enqueue(&hfi->port.waiting, copy);
}

void fabric_arrive(struct hfi *hfi, struct packet *packet)
{
	bool management = packet->route == KIND_VL15;

	if (hfi->port.waiting.first && !management) {
		keep_waiting(hfi, packet);
		return;
	}
	if (receive_packet(hfi, packet) != RECEIVE_STALL)
		return;
	if (management) {
		hfi->counters.rx_dropped++;
		return;
	}
	hfi->counters.stalls++;
	keep_waiting(hfi, packet);
}

bool fabric_blocked(const struct hfi *hfi)
{
	return hfi->peer->port.waiting.first;
}

static void let_senders_go_on(struct hfi *hfi)
{
	unsigned int i;

	for (i = 0; i < hfi->config.send_contexts; i++)
		pio_run(hfi, i);
	for (i = 0; i < hfi->config.sdma_engines; i++)
		sdma_run(hfi, i);
}

void fabric_resume(struct hfi *hfi)
{
	struct packet_queue *waiting = &hfi->port.waiting;

	if (!waiting->first || hfi->port.draining)
		return;
	hfi->port.draining = true;
	while (waiting->first &&
	       receive_packet(hfi, waiting->first) != RECEIVE_STALL)
		packet_free(packet_dequeue(waiting));
	hfi->port.draining = false;
	if (!waiting->first)
		let_senders_go_on(hfi->peer);
}

void fabric_reset(struct hfi *hfi)
{
	bool waited = hfi->port.waiting.first;

	hfi->counters.rx_dropped += hfi->port.waiting.count;
	packet_purge(&hfi->port.waiting);
	if (waited)
		let_senders_go_on(hfi->peer);
}
