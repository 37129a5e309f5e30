/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LIE_H
#define HFISIM_LIE_H

#include "packet.h"

/*
 * Lies: packets behind a KDETH prefix that no driver sent and that arrive at
 * an HFI as if its peer had. Some are made up, others are copies of what came
 * from the peer lately with a few fields changed.
 *
 * The chip treats them like any others, but for one thing: who knows flow and
 * generation of a segment that is granted now may write to it, and that is not
 * what a lie is to show. So a lie that would pass the flow table is kept back,
 * unless hits are asked for.
 */

struct hfi;
struct lie;
struct text;

#define LIE_RANGES	8	/* of QPs, of opcodes */
#define LIE_OPCODES	8	/* e0 to e7, those of TID RDMA */

/**
 * enum lie_basis - what a lie is made of
 * @LIE_BOTH: one or the other
 * @LIE_RANDOM: nothing: every field is random
 * @LIE_REAL: a packet that came from the peer lately, as far as there is one
 */
enum lie_basis {
	LIE_BOTH,
	LIE_RANDOM,
	LIE_REAL,
	LIE_BASES,
};

/** lie_basis_name - as the commands spell them */
extern const char *const lie_basis_name[LIE_BASES];

/**
 * enum lie_way - where the chip is told to put a lie
 * @LIE_ANYWHERE: to either
 * @LIE_EAGER: to the eager buffers: TID control 0
 * @LIE_EXPECTED: where its TID names memory
 */
enum lie_way {
	LIE_ANYWHERE,
	LIE_EAGER,
	LIE_EXPECTED,
	LIE_WAYS,
};

/** lie_way_name - as the commands spell them */
extern const char *const lie_way_name[LIE_WAYS];

/**
 * struct lie_range - some numbers
 * @first: the first
 * @last: the last
 */
struct lie_range {
	u32 first;
	u32 last;
};

/**
 * struct lie_ranges - numbers to choose from
 * @range: each is as likely as any other, and so is each number in it
 * @count: how many ranges
 */
struct lie_ranges {
	struct lie_range range[LIE_RANGES];
	unsigned int count;
};

/**
 * struct lie_order - what lies to tell
 * @count: how many
 * @every: one behind so many packets of the peer with a KDETH prefix; 0: by
 *	the clock
 * @seed: what is random follows from it
 * @basis: what they are made of
 * @way: eager or expected
 * @qp: QPs that they name as theirs
 * @opcode: opcodes; none: those of @basis
 * @hits: tell those that pass the flow table as well
 */
struct lie_order {
	u32 count;
	u32 every;
	u64 seed;
	enum lie_basis basis;
	enum lie_way way;
	struct lie_ranges qp;
	struct lie_ranges opcode;
	bool hits;
};

/**
 * struct lie_counters - lies so far
 * @told: those that arrived, by opcode, other opcodes than e0 to e7 last
 * @kept_back: those among them that would have passed the flow table
 * @in_grant: stores of those which passed it, to memory that was granted
 * @refused: stores which they asked for, but nothing was granted there
 */
struct lie_counters {
	u64 told[LIE_OPCODES + 1];
	u64 kept_back;
	u64 in_grant;
	u64 refused;
};

/**
 * lie_new() - make the liar of an HFI, which says nothing yet
 * @hfi: the HFI that is lied to
 *
 * Called by hfi_new(), which stores the result in hfi->lie.
 *
 * Return: the liar, NULL when memory is short.
 */
struct lie *lie_new(struct hfi *hfi);

/**
 * lie_free() - free a liar
 * @lie: the liar, or NULL
 */
void lie_free(struct lie *lie);

/**
 * lie_start() - tell lies from now on, instead of those ordered before
 * @hfi: the HFI that is lied to
 * @order: which
 */
void lie_start(struct hfi *hfi, const struct lie_order *order);

/**
 * lie_stop() - tell no more lies
 * @hfi: the HFI that is lied to
 */
void lie_stop(struct hfi *hfi);

/**
 * lie_left() - number of lies still to tell
 * @hfi: the HFI that is lied to
 * Return: the number.
 */
u32 lie_left(const struct hfi *hfi);

/**
 * lie_heard() - a packet of the peer has arrived
 * @hfi: the HFI that receives
 * @packet: parsed, of route KIND_EXPECTED or KIND_KDETH_EAGER; borrowed
 *
 * Called by fabric_send(). Remembers the packet to make lies of it, and tells
 * one if it is due.
 */
void lie_heard(struct hfi *hfi, const struct packet *packet);

/**
 * lie_may_hit() - may a lie pass the flow table?
 * @hfi: the HFI that is lied to
 * Return: true if hits were ordered.
 */
bool lie_may_hit(const struct hfi *hfi);

/**
 * lie_print() - print the counters as a JSON object
 * @hfi: the HFI that is lied to
 * @text: what it is added to; "left" comes beside struct lie_counters
 */
void lie_print(const struct hfi *hfi, struct text *text);

/**
 * lie_find() - look one of those numbers up
 * @hfi: the HFI that is lied to
 * @name: as lie_print() spells it, or "told": all of them together
 * @value: set to the number
 *
 * Return: false if there is no such number.
 */
bool lie_find(const struct hfi *hfi, const char *name, u64 *value);

#endif
