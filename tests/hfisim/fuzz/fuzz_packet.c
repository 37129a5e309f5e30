// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: packets on the wire
 *
 * The first byte chooses bits of RcvCtxtCtrl, faults and lies. Then come packets,
 * each with two bytes of length and one of PBC flags in front.
 */
#include <stdlib.h>
#include <string.h>

#include "regs.h"
#include "rig.h"

#define MODE_FLOWS	0x01
#define MODE_DONT_DROP	0x02
#define MODE_ONE_PACKET	0x04
#define MODE_TAIL	0x08
#define MODE_HOLD	0x10
#define MODE_FAULTS	0x20
#define MODE_OPFN	0x40
#define MODE_LIES	0x80

static u64 control_of(u32 mode)
{
	u64 control = 0;

	if (mode & MODE_FLOWS)
		control |= RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK;
	if (mode & MODE_DONT_DROP)
		control |= RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK |
			   RCV_CTXT_CTRL_DONT_DROP_EGR_FULL_SMASK;
	if (mode & MODE_ONE_PACKET)
		control |= RCV_CTXT_CTRL_ONE_PACKET_PER_EGR_BUFFER_SMASK;
	if (mode & MODE_TAIL)
		control |= RCV_CTXT_CTRL_TAIL_UPD_SMASK;
	return control;
}

static void add_faults(struct hfi *hfi)
{
	struct fault_rule rule = { .filter = FILTER_ALL, .every = 3 };

	fault_inject(hfi, FAULT_CORRUPT, &rule);
	rule.every = 4;
	fault_inject(hfi, FAULT_DUPLICATE, &rule);
	rule.every = 5;
	fault_inject(hfi, FAULT_REORDER, &rule);
	rule.every = 7;
	rule.delay = 1;
	fault_inject(hfi, FAULT_DELAY, &rule);
}

/* A lie behind every packet, also for flows that are in use. */
static void add_lies(struct hfi *hfi)
{
	const struct lie_order order = {
		.count = 1000, .every = 1, .seed = 1, .hits = true,
		.qp = { { { 0, 0xffffff } }, 1 },
	};

	lie_start(hfi, &order);
}

/* The packet lies in memory of its own size, so that an overrun is seen. */
static void send(struct rig *rig, struct input *input)
{
	u32 length = input_number(input, 2);
	u64 pbc = input_number(input, 1);
	struct packet packet = { .length = length };

	if (packet.length > PACKET_MAX)
		packet.length %= PACKET_MAX;
	if (packet.length > input->left)
		packet.length = input->left;
	packet.data = malloc(packet.length ? packet.length : 1);
	memcpy(packet.data, input->data, packet.length);
	input->data += packet.length;
	input->left -= packet.length;
	packet.pbc = (packet.length + 8) / 4 | (pbc & 0xf) << 12 |
		     (pbc & 0x10 ? PBC_FLAG_BYPASS : 0) | (pbc & 0x20 ? PBC_FLAG_DC_INFO : 0);
	fabric_send(rig->hfi[1], &packet);
	free(packet.data);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct input input = { .data = data, .left = size };
	struct rig *rig = rig_start();
	u32 mode = input_number(&input, 1);

	rig_contexts(rig, control_of(mode));
	if (mode & MODE_HOLD)
		fault_hold(rig->hfi[0], FILTER_ALL);
	if (mode & MODE_FAULTS)
		add_faults(rig->hfi[0]);
	if (mode & MODE_LIES)
		add_lies(rig->hfi[0]);
	if (mode & MODE_OPFN)
		opfn_set(&rig->hfi[1]->opfn, "max_len", 4096);
	while (input.left)
		send(rig, &input);
	fault_release(rig->hfi[0]);
	fault_off(rig->hfi[0]);
	rig_drain(rig);
	rig_drain(rig);
	return 0;
}
