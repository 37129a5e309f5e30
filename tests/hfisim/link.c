// SPDX-License-Identifier: GPL-2.0
#include "csr.h"
#include "regs.h"

/*
 * The 8051 and its firmware: link negotiation as the driver sees it
 * (chip.c: do_8051_command(), handle_verify_cap(), handle_8051_interrupt()).
 * The steps of a real negotiation that the driver takes no part in are left
 * out: Polling goes to VerifyCap as soon as both ends poll.
 */

/* time of one step of the negotiation, in microseconds */
#define STEP_US		2000

/*
 * Time that an end polls before it finds the other one. A real link takes
 * seconds, and the driver relies on that: it starts the link before it has
 * registered its IB device, and crashes in ib_query_port() on a link that is
 * up in between.
 */
#define POLLING_US	1000000

/* host commands (HCMD_*) and their result (HCMD_SUCCESS) */
enum host_command {
	COMMAND_LOAD_CONFIG = 0x01,
	COMMAND_READ_CONFIG = 0x02,
	COMMAND_CHANGE_PHYSICAL_STATE = 0x03,
	COMMAND_SEND_IDLE_MESSAGE = 0x04,
	COMMAND_MISC = 0x05,
	COMMAND_READ_IDLE_MESSAGE = 0x06,
	COMMAND_READ_LCB = 0x07,
	COMMAND_WRITE_LCB = 0x08,
	COMMAND_INTERFACE_TEST = 0xff,
};

#define COMMAND_SUCCESS		2
#define COMMAND_NOT_SUPPORTED	3

/* messages to the host, in DC_DC8051_DBG_ERR_INFO_SET_BY_8051 */
enum host_message {
	MESSAGE_SMA = 0x004,
	MESSAGE_VERIFY_CAP = 0x040,
	MESSAGE_LINK_UP = 0x080,
	MESSAGE_LINK_DOWN = 0x100,
};

/* general configuration fields in the data memory, 4 bytes each */
enum config_field {
	FIELD_TX_SETTINGS = 0x06,
	FIELD_LOCAL_PHY = 0x07,
	FIELD_LOCAL_FABRIC = 0x08,
	FIELD_LOCAL_LINK_MODE = 0x09,
	FIELD_LOCAL_DEVICE = 0x0a,
	FIELD_LOCAL_LNI = 0x0c,
	FIELD_MISC_STATUS = 0x0e,
	FIELD_REMOTE_PHY = 0x0f,
	FIELD_REMOTE_FABRIC = 0x10,
	FIELD_REMOTE_LINK_WIDTH = 0x11,
	FIELD_LINK_QUALITY = 0x14,
	FIELD_REMOTE_DEVICE = 0x15,
	FIELD_DOWN_REASON = 0x16,
};

#define GENERAL_FIELDS		0x17
#define LANE_FIELDS		8
#define LANE_GENERAL		4	/* "lane" of the general fields */

#define FIRMWARE_VERSION	0x011b0000u	/* 1.27 */
#define FIRMWARE_READY		0xa0ULL
#define LANES_ALL		0xfu
#define LANES_RX_SHIFT		16
#define MAX_RATE_SHIFT		24
#define WIDTHS_4X_ACTIVE	0x4400u	/* transmitters, receivers: 4 each */
#define WIDTHS_ACTIVE_MASK	0xff00u
#define QUALITY_EXCELLENT	(5u << 24)
#define QUICK_LINKUP		0xe2

/* why the link went down (LDR_*) */
#define REASON_ACTIVE_LOW	0x0a
#define REASON_IDLE_MESSAGE	0x0b
#define REASON_HOST_REQUEST	0x0c
#define REMOTE_REASON_SHIFT	16
#define REMOTE_REASON_MASK	0x00ff0000u

static u32 field_get(const struct hfi *hfi, enum config_field field)
{
	return get_le32(hfi->link.data + 4 * field);
}

static void field_set(struct hfi *hfi, enum config_field field, u32 value)
{
	memcpy(hfi->link.data + 4 * field, &value, sizeof(value));
}

static u32 physical_state(const struct hfi *hfi)
{
	return csr_get(hfi, DC_DC8051_STS_CUR_STATE) &
	       DC_DC8051_STS_CUR_STATE_PORT_MASK;
}

static void set_physical_state(struct hfi *hfi, u32 state)
{
	u64 firmware = hfi->link.running ? FIRMWARE_READY : 0;

	csr_set(hfi, DC_DC8051_STS_CUR_STATE,
		firmware << DC_DC8051_STS_CUR_STATE_FIRMWARE_SHIFT | state);
}

static void set_logical_state(struct hfi *hfi, enum logical_state state)
{
	u64 config = csr_get(hfi, DCC_CFG_PORT_CONFIG);

	config &= ~DCC_CFG_PORT_CONFIG_LINK_STATE_SMASK;
	config |= (u64)state << DCC_CFG_PORT_CONFIG_LINK_STATE_SHIFT;
	csr_set(hfi, DCC_CFG_PORT_CONFIG, config);
}

static void send_message(struct hfi *hfi, enum host_message message)
{
	u64 info = csr_get(hfi, DC_DC8051_DBG_ERR_INFO_SET_BY_8051);
	u64 flags = csr_get(hfi, DC_DC8051_ERR_FLG);

	csr_set(hfi, DC_DC8051_DBG_ERR_INFO_SET_BY_8051, info | message);
	csr_set(hfi, DC_DC8051_ERR_FLG,
		flags | DC_DC8051_ERR_FLG_SET_BY_8051_SMASK);
	interrupt_levels(hfi);
}

void link_message_read(struct hfi *hfi)
{
	csr_set(hfi, DC_DC8051_DBG_ERR_INFO_SET_BY_8051, 0);
}

static void firmware_start(struct hfi *hfi)
{
	struct link *link = &hfi->link;

	memset(link->data, 0, sizeof(link->data));
	field_set(hfi, FIELD_MISC_STATUS, FIRMWARE_VERSION);
	field_set(hfi, FIELD_LOCAL_LNI, LANES_ALL << LANES_RX_SHIFT);
	link->running = true;
	link->idle_message = 0;
	set_physical_state(hfi, PHYSICAL_OFFLINE_QUIET);
}

bool link_is_up(const struct hfi *hfi)
{
	return physical_state(hfi) == PHYSICAL_LINKUP &&
	       physical_state(hfi->peer) == PHYSICAL_LINKUP;
}

/* the physical layer of one end goes down */
static void go_down(struct hfi *hfi, u32 state, u32 reason)
{
	loop_timer_cancel(hfi->loop, &hfi->link.timer);
	set_physical_state(hfi, state);
	set_logical_state(hfi, LOGICAL_DOWN);
	csr_set(hfi, DC_LCB_STS_LINK_TRANSFER_ACTIVE, 0);
	/* the driver asks for Offline before it reads why the link was lost */
	if (reason)
		field_set(hfi, FIELD_DOWN_REASON, reason);
}

/* the other end went down first */
static void lose_link(struct hfi *hfi, u32 reason)
{
	if (physical_state(hfi) < PHYSICAL_VERIFYCAP ||
	    physical_state(hfi) > PHYSICAL_LINKUP)
		return;
	hfi_log(hfi, LOG_NOTICE, "link down");
	go_down(hfi, PHYSICAL_OFFLINE_QUIET, reason);
	send_message(hfi, MESSAGE_LINK_DOWN);
}

static void exchange_capabilities(struct hfi *hfi)
{
	const struct hfi *peer = hfi->peer;
	u32 rate = field_get(peer, FIELD_TX_SETTINGS) >> MAX_RATE_SHIFT & 0xff;
	u32 widths = field_get(peer, FIELD_LOCAL_LINK_MODE) & 0xffff;

	field_set(hfi, FIELD_REMOTE_PHY, field_get(peer, FIELD_LOCAL_PHY));
	field_set(hfi, FIELD_REMOTE_FABRIC, field_get(peer, FIELD_LOCAL_FABRIC));
	field_set(hfi, FIELD_REMOTE_LINK_WIDTH, widths | rate << 16);
	field_set(hfi, FIELD_REMOTE_DEVICE, field_get(peer, FIELD_LOCAL_DEVICE));
	field_set(hfi, FIELD_LOCAL_LNI,
		  field_get(hfi, FIELD_LOCAL_LNI) | LANES_ALL << LANES_RX_SHIFT);
	set_physical_state(hfi, PHYSICAL_VERIFYCAP);
	hfi_log(hfi, LOG_INFO, "link: VerifyCap");
	send_message(hfi, MESSAGE_VERIFY_CAP);
}

static void come_up(struct hfi *hfi)
{
	u32 mode = field_get(hfi, FIELD_LOCAL_LINK_MODE) & ~WIDTHS_ACTIVE_MASK;

	field_set(hfi, FIELD_LOCAL_LINK_MODE, mode | WIDTHS_4X_ACTIVE);
	field_set(hfi, FIELD_LINK_QUALITY, QUALITY_EXCELLENT);
	csr_set(hfi, DC_DC8051_STS_REMOTE_GUID, hfi->peer->guid);
	csr_set(hfi, DC_DC8051_STS_REMOTE_NODE_TYPE, 0);	/* an HFI */
	csr_set(hfi, DC_DC8051_STS_REMOTE_PORT_NO, 1);
	csr_set(hfi, DC_DC8051_STS_REMOTE_FM_SECURITY, 1);
	csr_set(hfi, DC_LCB_STS_LINK_TRANSFER_ACTIVE, 1);
	set_physical_state(hfi, PHYSICAL_LINKUP);
	set_logical_state(hfi, LOGICAL_INIT);
	hfi_log(hfi, LOG_NOTICE, "link up");
	send_message(hfi, MESSAGE_LINK_UP);
}

static bool both_in(const struct hfi *hfi, u32 state)
{
	return physical_state(hfi) == state && physical_state(hfi->peer) == state;
}

/* do @step to both ends of the wire */
static void for_both(struct hfi *hfi, void (*step)(struct hfi *hfi))
{
	step(hfi);
	if (hfi->peer != hfi)
		step(hfi->peer);
}

static void link_step(struct loop_timer *timer)
{
	struct link *link = container_of(timer, struct link, timer);
	struct hfi *hfi = container_of(link, struct hfi, link);

	if (!link_cable_in(hfi))
		return;
	/* the end that takes longer does it for both */
	if (hfi->peer->link.timer.deadline)
		return;
	if (both_in(hfi, PHYSICAL_POLLING)) {
		/* the functional simulator knows no negotiation */
		if (hfi->config.icode == 3)
			for_both(hfi, come_up);
		else
			for_both(hfi, exchange_capabilities);
	} else if (both_in(hfi, PHYSICAL_CONFIGLT)) {
		for_both(hfi, come_up);
	}
}

static void change_physical_state(struct hfi *hfi, u64 data)
{
	u32 state = data & 0xff, before = physical_state(hfi);
	u32 remote_reason = (u32)(data >> 8) & 0xff;
	u64 time = STEP_US;

	hfi_log(hfi, LOG_INFO, "link: the driver asks for state 0x%x, was 0x%x",
		state, before);
	switch (state) {
	case QUICK_LINKUP:
	case PHYSICAL_POLLING:
		set_physical_state(hfi, PHYSICAL_POLLING);
		time = POLLING_US;
		break;
	case PHYSICAL_LINKUP:
		set_physical_state(hfi, PHYSICAL_CONFIGLT);
		break;
	case PHYSICAL_DISABLED:
	case PHYSICAL_OFFLINE_QUIET:
		if (before == PHYSICAL_LINKUP)
			hfi_log(hfi, LOG_NOTICE, "link taken down");
		go_down(hfi, state, before == PHYSICAL_LINKUP ?
			REASON_HOST_REQUEST : 0);
		if (hfi->peer == hfi)
			return;
		if (physical_state(hfi->peer) == PHYSICAL_LINKUP)
			field_set(hfi->peer, FIELD_LINK_QUALITY,
				  QUALITY_EXCELLENT |
				  remote_reason << REMOTE_REASON_SHIFT);
		lose_link(hfi->peer, REASON_IDLE_MESSAGE);
		return;
	default:
		hfi_complain(hfi, "unknown physical link state 0x%x", state);
		return;
	}
	loop_timer_set(hfi->loop, &hfi->link.timer, time);
}

static void load_config(struct hfi *hfi, u64 data)
{
	u32 field = (data >> 40) & 0xff, lane = (data >> 32) & 0xff;
	u32 index = field, value = (u32)data;

	if (lane < LANE_GENERAL)
		index += GENERAL_FIELDS + lane * LANE_FIELDS;
	if (index >= DC8051_DATA_SIZE / 4) {
		hfi_complain(hfi, "8051 configuration field %u of lane %u does not exist",
			     field, lane);
		return;
	}
	memcpy(hfi->link.data + 4 * index, &value, sizeof(value));
}

/* the upper 16 bits of a result have a register of their own */
static u64 read_lcb(struct hfi *hfi, u64 data)
{
	u64 value = csr_get(hfi, DC_LCB_CFG_RUN + 8 * (data & 0xff));
	u64 request = csr_get(hfi, DC_DC8051_CFG_EXT_DEV_1);

	request &= ~DC_DC8051_CFG_EXT_DEV_1_REQ_DATA_SMASK;
	request |= value >> 48 << DC_DC8051_CFG_EXT_DEV_1_REQ_DATA_SHIFT;
	csr_set(hfi, DC_DC8051_CFG_EXT_DEV_1, request);
	return value;
}

static void write_lcb(struct hfi *hfi, u64 data)
{
	u64 top = csr_get(hfi, DC_DC8051_CFG_EXT_DEV_0) >>
		  DC_DC8051_CFG_EXT_DEV_0_RETURN_CODE_SHIFT & 0xffffff;

	csr_write(hfi, DC_LCB_CFG_RUN + 8 * (data & 0xff),
		  (data >> 8 & 0xffffffffffULL) | top << 40);
}

static void host_command(struct hfi *hfi, u64 command)
{
	u32 type = command >> DC_DC8051_CFG_HOST_CMD_0_REQ_TYPE_SHIFT & 0xff;
	u64 data = command >> DC_DC8051_CFG_HOST_CMD_0_REQ_DATA_SHIFT;
	u64 code = COMMAND_SUCCESS, response = 0;

	switch (type) {
	case COMMAND_LOAD_CONFIG:
		load_config(hfi, data);
		break;
	case COMMAND_CHANGE_PHYSICAL_STATE:
		change_physical_state(hfi, data);
		break;
	case COMMAND_SEND_IDLE_MESSAGE:
		if (!link_is_up(hfi))
			break;
		hfi->peer->link.idle_message = data;
		send_message(hfi->peer, MESSAGE_SMA);
		break;
	case COMMAND_READ_IDLE_MESSAGE:
		response = hfi->link.idle_message;
		break;
	case COMMAND_READ_LCB:
		response = read_lcb(hfi, data);
		break;
	case COMMAND_WRITE_LCB:
		write_lcb(hfi, data);
		break;
	case COMMAND_READ_CONFIG:
	case COMMAND_MISC:
	case COMMAND_INTERFACE_TEST:
		break;
	default:
		hfi_complain(hfi, "unknown 8051 command 0x%x", type);
		code = COMMAND_NOT_SUPPORTED;
	}
	response &= DC_DC8051_CFG_HOST_CMD_1_RSP_DATA_MASK;
	csr_set(hfi, DC_DC8051_CFG_HOST_CMD_1,
		DC_DC8051_CFG_HOST_CMD_1_COMPLETED_SMASK |
		code << DC_DC8051_CFG_HOST_CMD_1_RETURN_CODE_SHIFT |
		response << DC_DC8051_CFG_HOST_CMD_1_RSP_DATA_SHIFT);
}

static void write_reset(struct hfi *hfi, u64 value)
{
	bool hold = value & DC_DC8051_CFG_RST_M8051W_SMASK;

	csr_set(hfi, DC_DC8051_CFG_RST, value);
	if (hold && hfi->link.running) {
		hfi->link.running = false;
		go_down(hfi, PHYSICAL_OFFLINE_QUIET, REASON_HOST_REQUEST);
		if (hfi->peer != hfi)
			lose_link(hfi->peer, REASON_ACTIVE_LOW);
	} else if (!hold && !hfi->link.running) {
		firmware_start(hfi);
	}
}

static void write_ram_access(struct hfi *hfi, u64 value)
{
	u32 address = value & DC_DC8051_CFG_RAM_ACCESS_CTRL_ADDRESS_MASK & ~7u;
	u64 word = 0;

	csr_set(hfi, DC_DC8051_CFG_RAM_ACCESS_CTRL, value);
	if (!(value & DC_DC8051_CFG_RAM_ACCESS_CTRL_READ_ENA_SMASK))
		return;
	if (address <= DC8051_DATA_SIZE - sizeof(word))
		memcpy(&word, hfi->link.data + address, sizeof(word));
	csr_set(hfi, DC_DC8051_CFG_RAM_ACCESS_RD_DATA, word);
}

bool link_csr_write(struct hfi *hfi, u32 offset, u64 value)
{
	switch (offset) {
	case DC_DC8051_CFG_HOST_CMD_0:
		csr_set(hfi, offset, value);
		if (!(value & DC_DC8051_CFG_HOST_CMD_0_REQ_NEW_SMASK))
			csr_set(hfi, DC_DC8051_CFG_HOST_CMD_1, 0);
		else
			host_command(hfi, value);
		return true;
	case DC_DC8051_CFG_RST:
		write_reset(hfi, value);
		return true;
	case DC_DC8051_CFG_RAM_ACCESS_CTRL:
		write_ram_access(hfi, value);
		return true;
	case CCE_DC_CTRL:
		if (value & CCE_DC_CTRL_DC_RESET_SMASK)
			link_reset(hfi);
		csr_set(hfi, offset, value);
		return true;
	case DC_DC8051_STS_CUR_STATE:
	case DC_DC8051_CFG_LOCAL_GUID:
	case DC_DC8051_CFG_RAM_ACCESS_STATUS:
	case DC_LCB_STS_LINK_TRANSFER_ACTIVE:
		return true;
	default:
		return false;
	}
}

void link_reset(struct hfi *hfi)
{
	hfi->link.timer.expired = link_step;
	hfi->link.running = true;
	go_down(hfi, PHYSICAL_OFFLINE_QUIET, 0);
	firmware_start(hfi);
	if (hfi->peer != hfi)
		lose_link(hfi->peer, REASON_ACTIVE_LOW);
}

bool link_cable_in(const struct hfi *hfi)
{
	return !hfi->link.cable_out && !hfi->peer->link.cable_out;
}

void link_set_cable(struct hfi *hfi, bool in)
{
	hfi->link.cable_out = !in;
	hfi->peer->link.cable_out = !in;
	if (in) {
		loop_timer_set(hfi->loop, &hfi->link.timer, STEP_US);
		return;
	}
	lose_link(hfi, REASON_ACTIVE_LOW);
	if (hfi->peer != hfi)
		lose_link(hfi->peer, REASON_ACTIVE_LOW);
}
