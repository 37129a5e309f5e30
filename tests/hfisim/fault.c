// SPDX-License-Identifier: GPL-2.0
/*
 * Faults on the wire and the hold queue, for expected packets
 */
#include <stdlib.h>

#include "hfi.h"

/**
 * struct rule - a fault that is being injected
 * @rule: as it was ordered
 * @seen: matching packets since the last one that suffered
 * @done: packets that have suffered
 */
struct rule {
	struct fault_rule rule;
	u32 seen;
	u32 done;
};

/**
 * struct delayed - a packet that arrives later
 * @packet: the packet
 * @due: when, in ns of loop_now()
 * @next: the one that arrives after it
 */
struct delayed {
	struct packet *packet;
	u64 due;
	struct delayed *next;
};

/**
 * struct fault - the fault injector of an HFI
 * @hfi: the HFI that receives
 * @rule: one for each action
 * @holding: packets are being parked
 * @hold: which
 * @parked: the parked packets
 * @parked_bytes: memory they take
 * @swapped: packet that waits for one to change places with, or NULL
 * @swap_timer: lets it arrive by itself
 * @delayed: packets that arrive later, the next one first
 * @delay_timer: runs while there are any
 */
struct fault {
	struct hfi *hfi;
	struct rule rule[FAULT_COUNT];
	bool holding;
	enum fault_filter hold;
	struct packet_queue parked;
	u64 parked_bytes;
	struct packet *swapped;
	struct loop_timer swap_timer;
	struct delayed *delayed;
	struct loop_timer delay_timer;
};

const char *const fault_filter_name[FILTER_COUNT] = {
	[FILTER_ALL] = "all",
	[FILTER_READ_RESP] = "read_resp",
	[FILTER_WRITE_DATA] = "write_data",
};

const char *const fault_action_name[FAULT_COUNT] = {
	[FAULT_DROP] = "drop",
	[FAULT_CORRUPT] = "corrupt",
	[FAULT_DUPLICATE] = "duplicate",
	[FAULT_REORDER] = "reorder",
	[FAULT_DELAY] = "delay",
};

static bool matches(enum fault_filter filter, const struct packet *packet)
{
	switch (filter) {
	case FILTER_READ_RESP:
		return packet->message == KIND_READ_RESP;
	case FILTER_WRITE_DATA:
		return packet->message == KIND_WRITE_DATA;
	default:
		return true;
	}
}

static u64 packet_bytes(const struct packet *packet)
{
	return sizeof(*packet) + packet->length;
}

/* A packet that stays for a while remembers when it came. */
static struct packet *keep(struct fault *fault, const struct packet *packet)
{
	struct packet *copy = packet_copy(packet);

	if (!copy) {
		hfi_complain(fault->hfi, "out of memory, an expected packet is lost");
		fault->hfi->counters.rx_dropped++;
	} else if (!copy->arrived) {
		copy->arrived = ledger_clock(fault->hfi);
	}
	return copy;
}

static void park(struct fault *fault, const struct packet *packet)
{
	struct packet *copy;

	if (fault->parked_bytes + packet_bytes(packet) > FAULT_PARKED_MAX) {
		hfi_complain(fault->hfi, "%u packets are held and no more can be: one is lost",
			     fault->parked.count);
		fault->hfi->counters.rx_dropped++;
		return;
	}
	copy = keep(fault, packet);
	if (!copy)
		return;
	fault->parked_bytes += packet_bytes(copy);
	packet_enqueue(&fault->parked, copy);
}

static struct packet *unpark(struct fault *fault)
{
	struct packet *packet = packet_dequeue(&fault->parked);

	if (packet)
		fault->parked_bytes -= packet_bytes(packet);
	return packet;
}

/* The wire is done with the packet: it is held or goes on to be received. */
static void arrive(struct fault *fault, struct packet *packet)
{
	if (fault->holding && matches(fault->hold, packet))
		park(fault, packet);
	else
		fabric_arrive(fault->hfi, packet);
}

static void arrive_and_free(struct fault *fault, struct packet *packet)
{
	arrive(fault, packet);
	packet_free(packet);
}

static void swapped_arrive(struct fault *fault)
{
	struct packet *packet = fault->swapped;

	if (!packet)
		return;
	fault->swapped = NULL;
	loop_timer_cancel(fault->hfi->loop, &fault->swap_timer);
	arrive_and_free(fault, packet);
}

static void swap_expired(struct loop_timer *timer)
{
	swapped_arrive(container_of(timer, struct fault, swap_timer));
}

static void delay_timer_set(struct fault *fault)
{
	u64 now = loop_now();
	u64 due;

	if (!fault->delayed) {
		loop_timer_cancel(fault->hfi->loop, &fault->delay_timer);
		return;
	}
	due = fault->delayed->due;
	loop_timer_set(fault->hfi->loop, &fault->delay_timer,
		       due > now ? (due - now + 999) / 1000 : 0);
}

static struct packet *delayed_take(struct fault *fault)
{
	struct delayed *first = fault->delayed;
	struct packet *packet = first->packet;

	fault->delayed = first->next;
	free(first);
	return packet;
}

static void delay_expired(struct loop_timer *timer)
{
	struct fault *fault = container_of(timer, struct fault, delay_timer);
	u64 now = loop_now();

	while (fault->delayed && fault->delayed->due <= now)
		arrive_and_free(fault, delayed_take(fault));
	delay_timer_set(fault);
}

static void delay(struct fault *fault, const struct packet *packet)
{
	struct delayed *later = calloc(1, sizeof(*later));
	struct delayed **place = &fault->delayed;

	if (later)
		later->packet = keep(fault, packet);
	if (!later || !later->packet) {
		free(later);
		return;
	}
	later->due = loop_now() + fault->rule[FAULT_DELAY].rule.delay * 1000;
	while (*place && (*place)->due <= later->due)
		place = &(*place)->next;
	later->next = *place;
	*place = later;
	delay_timer_set(fault);
}

static void swap(struct fault *fault, const struct packet *packet)
{
	fault->swapped = keep(fault, packet);
	if (fault->swapped)
		loop_timer_set(fault->hfi->loop, &fault->swap_timer, FAULT_REORDER_US);
}

static void duplicate(struct fault *fault, struct packet *packet)
{
	struct packet *copy = keep(fault, packet);

	arrive(fault, packet);
	if (copy)
		arrive_and_free(fault, copy);
}

static void corrupt(struct packet *packet)
{
	if (packet->length)
		packet->data[packet->length - 1] ^= 0xff;
	packet->icrc_error = true;
}

/* The action that is due for a packet, FAULT_COUNT if there is none. */
static enum fault_action next_action(struct fault *fault, const struct packet *packet)
{
	enum fault_action chosen = FAULT_COUNT;
	unsigned int i;

	for (i = 0; i < FAULT_COUNT; i++) {
		struct rule *rule = &fault->rule[i];

		if (!rule->rule.every || !matches(rule->rule.filter, packet))
			continue;
		if (rule->seen < rule->rule.every)
			rule->seen++;
		if (rule->seen < rule->rule.every || chosen != FAULT_COUNT)
			continue;
		if (i == FAULT_REORDER && fault->swapped)
			continue;
		chosen = i;
		rule->seen = 0;
		rule->done++;
		if (rule->done == rule->rule.count)
			rule->rule.every = 0;
	}
	return chosen;
}

bool fault_expected(struct hfi *hfi, struct packet *packet)
{
	struct fault *fault = hfi->fault;
	struct fault_counters *counters = &hfi->counters.faults;

	switch (next_action(fault, packet)) {
	case FAULT_DROP:
		counters->drop++;
		return true;
	case FAULT_DELAY:
		counters->delay++;
		delay(fault, packet);
		return true;
	case FAULT_REORDER:
		counters->reorder++;
		swap(fault, packet);
		return true;
	case FAULT_DUPLICATE:
		counters->duplicate++;
		duplicate(fault, packet);
		break;
	case FAULT_CORRUPT:
		counters->corrupt++;
		corrupt(packet);
		arrive(fault, packet);
		break;
	default:
		if (!fault->swapped && !fault->holding)
			return false;
		arrive(fault, packet);
		break;
	}
	swapped_arrive(fault);
	return true;
}

void fault_inject(struct hfi *hfi, enum fault_action action, const struct fault_rule *rule)
{
	hfi->fault->rule[action] = (struct rule){ .rule = *rule };
}

void fault_off(struct hfi *hfi)
{
	struct fault *fault = hfi->fault;
	unsigned int i;

	for (i = 0; i < FAULT_COUNT; i++)
		fault->rule[i] = (struct rule){ 0 };
	swapped_arrive(fault);
	while (fault->delayed)
		arrive_and_free(fault, delayed_take(fault));
	delay_timer_set(fault);
}

void fault_hold(struct hfi *hfi, enum fault_filter filter)
{
	hfi->fault->holding = true;
	hfi->fault->hold = filter;
}

u32 fault_release_some(struct hfi *hfi, u32 count)
{
	struct packet *packet;
	u32 released = 0;

	while (released < count && (packet = unpark(hfi->fault))) {
		fabric_arrive(hfi, packet);
		packet_free(packet);
		released++;
	}
	return released;
}

u32 fault_release(struct hfi *hfi)
{
	u32 released = fault_release_some(hfi, UINT32_MAX);

	/* not before: what arrives meanwhile must not overtake */
	hfi->fault->holding = false;
	return released;
}

u32 fault_discard(struct hfi *hfi)
{
	struct fault *fault = hfi->fault;
	u32 count = fault->parked.count;

	fault->holding = false;
	packet_purge(&fault->parked);
	fault->parked_bytes = 0;
	return count;
}

u32 fault_held(const struct hfi *hfi)
{
	return hfi->fault->parked.count;
}

static void forget_packets(struct fault *fault)
{
	packet_purge(&fault->parked);
	fault->parked_bytes = 0;
	packet_free(fault->swapped);
	fault->swapped = NULL;
	while (fault->delayed)
		packet_free(delayed_take(fault));
	loop_timer_cancel(fault->hfi->loop, &fault->swap_timer);
	loop_timer_cancel(fault->hfi->loop, &fault->delay_timer);
}

void fault_reset(struct hfi *hfi)
{
	forget_packets(hfi->fault);
}

struct fault *fault_new(struct hfi *hfi)
{
	struct fault *fault = calloc(1, sizeof(*fault));

	if (!fault)
		return NULL;
	fault->hfi = hfi;
	fault->swap_timer.expired = swap_expired;
	fault->delay_timer.expired = delay_expired;
	return fault;
}

void fault_free(struct fault *fault)
{
	if (!fault)
		return;
	forget_packets(fault);
	free(fault);
}
