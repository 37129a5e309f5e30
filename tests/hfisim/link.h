/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LINK_H
#define HFISIM_LINK_H

#include "loop.h"
#include "types.h"

struct hfi;

#define DC8051_DATA_SIZE	4096

/* physical states as DC_DC8051_STS_CUR_STATE shows them (chip.h, PLS_*) */
enum physical_state {
	PHYSICAL_POLLING = 0x20,
	PHYSICAL_DISABLED = 0x30,
	PHYSICAL_VERIFYCAP = 0x46,
	PHYSICAL_CONFIGLT = 0x48,
	PHYSICAL_LINKUP = 0x50,
	PHYSICAL_OFFLINE_QUIET = 0x90,
};

/* logical states in DCC_CFG_PORT_CONFIG (chip.h, LSTATE_*) */
enum logical_state {
	LOGICAL_DOWN = 1,
	LOGICAL_INIT = 2,
	LOGICAL_ARMED = 3,
	LOGICAL_ACTIVE = 4,
};

/**
 * struct link - the 8051 that runs the link
 * @data: its data memory, where configuration fields are kept
 * @running: firmware has been started
 * @idle_message: last SMA idle message that came from the peer
 * @cable_out: the control socket took the link down
 * @timer: next step of the negotiation
 */
struct link {
	u8 data[DC8051_DATA_SIZE];
	bool running;
	u64 idle_message;
	bool cable_out;
	struct loop_timer timer;
};

/**
 * link_reset() - power-on state: link off, 8051 ready
 * @hfi: the HFI; its peer sees the link go down
 */
void link_reset(struct hfi *hfi);

/**
 * link_is_up() - packets can go over the wire
 * @hfi: the HFI
 * Return: true if both ends are in the physical state LinkUp.
 */
bool link_is_up(const struct hfi *hfi);

/**
 * link_set_cable() - pull the cable out or put it in
 * @hfi: either end
 * @in: false takes the link down on both HFIs and keeps it down; true lets
 *	them negotiate again
 */
void link_set_cable(struct hfi *hfi, bool in);

/**
 * link_cable_in() - see link_set_cable()
 * @hfi: either end
 * Return: true unless the cable was pulled out.
 */
bool link_cable_in(const struct hfi *hfi);

/**
 * link_message_read() - the driver has read the 8051's message register
 * @hfi: the HFI
 */
void link_message_read(struct hfi *hfi);

/**
 * link_csr_write() - write a register of the 8051, DCC or LCB block
 * @hfi: the HFI
 * @offset: in BAR 0, a multiple of 8
 * @value: what is written
 *
 * Return: true if the register has an effect and has been written.
 */
bool link_csr_write(struct hfi *hfi, u32 offset, u64 value);

#endif
