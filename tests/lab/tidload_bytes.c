// SPDX-License-Identifier: GPL-2.0
/*
 * What every byte of a transfer must be, and where none may land any more.
 */
#include <stdio.h>
#include <string.h>

#include "tidload.h"

#define GUARD_SEED	0x5a17b0d1e5c0ffeeull
#define WORD_STEP	0x9e3779b97f4a7c15ull

/**
 * mix() - a number that looks like chance, from one that does not
 * @x: any number
 *
 * Return: another number; never the same one for two.
 */
__u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Bytes that depend on a seed and on their position, at any alignment */
static void pattern_fill(__u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed;
	size_t i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(p + i, &word, sizeof(word));
		word += WORD_STEP;
	}
	memcpy(p + i, &word, length - i);
}

static size_t first_wrong(const __u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed;
	size_t i;

	for (i = 0; i < length; i++) {
		if (i && i % sizeof(word) == 0)
			word += WORD_STEP;
		if (p[i] != (__u8)(word >> i % sizeof(word) * 8))
			break;
	}
	return i;
}

/* Position of the first byte that pattern_fill() would not have written */
static size_t pattern_differs(const __u8 *p, size_t length, __u64 seed)
{
	__u64 word = seed, found, wrong = 0;
	size_t i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(&found, p + i, sizeof(found));
		wrong |= found ^ word;
		word += WORD_STEP;
	}
	if (!wrong && !memcmp(p + i, &word, length - i))
		return length;
	return first_wrong(p, length, seed);
}

/* Is a byte, and what is left of its word, what pattern_fill() writes there? */
static bool pattern_holds(const __u8 *p, size_t at, __u64 seed)
{
	__u64 word = seed + at / sizeof(word) * WORD_STEP;

	return !memcmp(p + at, (__u8 *)&word + at % sizeof(word),
		       sizeof(word) - at % sizeof(word));
}

/**
 * slot_data() - where the transfer of a slot starts in a buffer
 * @c: the connection
 * @hfi: 0 or 1, whose buffer
 * @slot: the slot
 *
 * Return: its first byte; GUARD_BYTES before and behind it are ours as well.
 */
__u8 *slot_data(const struct conn *c, unsigned int hfi, unsigned int slot)
{
	return c->buf[hfi].map + slot * c->stride + GUARD_BYTES +
	       c->slots[slot].offset;
}

/**
 * slot_target() - the HFI whose memory a slot's operation writes
 * @s: the slot
 *
 * Return: 0 or 1.
 */
unsigned int slot_target(const struct slot *s)
{
	return s->op == OP_READ ? s->from : !s->from;
}

/**
 * slot_prepare() - lay out the bytes that an operation moves, and the guards
 * @c: the connection
 * @slot: a slot that is about to be posted
 */
void slot_prepare(struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];
	unsigned int to = slot_target(s);
	__u8 *dst = slot_data(c, to, slot);

	s->seed = mix((__u64)c->id << 48 ^ (__u64)slot << 40 ^
		      c->posted);
	pattern_fill(slot_data(c, !to, slot), s->length, s->seed);
	pattern_fill(dst - GUARD_BYTES, GUARD_BYTES, GUARD_SEED);
	pattern_fill(dst + s->length, GUARD_BYTES, GUARD_SEED);
}

static void complain(struct conn *c, const struct slot *s, const char *what,
		     size_t at)
{
	fprintf(stderr, "tidload: wrong: QP %u, %s of %zu bytes: %s byte %zu\n",
		c->id, s->op == OP_READ ? "READ" : "WRITE", s->length, what,
		at);
}

/**
 * slot_right() - look at all that an operation moved or was to leave alone
 * @c: the connection
 * @slot: a slot whose operation has completed well
 *
 * Return: true if every byte is what it must be.
 */
bool slot_right(struct conn *c, unsigned int slot)
{
	const struct slot *s = &c->slots[slot];
	unsigned int to = slot_target(s);
	const __u8 *src = slot_data(c, !to, slot);
	const __u8 *dst = slot_data(c, to, slot);
	size_t at;

	at = pattern_differs(dst, s->length, s->seed);
	if (at < s->length) {
		complain(c, s, "first wrong", at);
		return false;
	}
	at = pattern_differs(src, s->length, s->seed);
	if (at < s->length) {
		complain(c, s, "source changed at", at);
		return false;
	}
	at = pattern_differs(dst - GUARD_BYTES, GUARD_BYTES, GUARD_SEED);
	if (at < GUARD_BYTES) {
		complain(c, s, "guard before it changed at", at);
		return false;
	}
	at = pattern_differs(dst + s->length, GUARD_BYTES, GUARD_SEED);
	if (at < GUARD_BYTES) {
		complain(c, s, "guard behind it changed at", at);
		return false;
	}
	return true;
}

/**
 * slot_seal() - from now on nothing may land where a slot's operation wrote to
 * @c: the connection
 * @slot: a slot whose operation has ended, or whose target has
 *
 * The bytes that it had to move are no longer there to be looked at.
 */
void slot_seal(struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];

	pattern_fill(slot_data(c, slot_target(s), slot) - GUARD_BYTES,
		     s->length + 2 * GUARD_BYTES, GUARD_SEED);
	s->checked = false;
	s->sealed = true;
}

/**
 * slot_unseal() - has anything landed since slot_seal()?
 * @c: the connection
 * @slot: a slot, sealed or not
 *
 * Return: true if nothing has.
 */
bool slot_unseal(struct conn *c, unsigned int slot)
{
	struct slot *s = &c->slots[slot];
	const __u8 *data = slot_data(c, slot_target(s), slot);
	size_t length = s->length + 2 * GUARD_BYTES, at;

	if (!s->sealed)
		return true;
	s->sealed = false;
	at = pattern_differs(data - GUARD_BYTES, length, GUARD_SEED);
	if (at == length)
		return true;
	if (at >= GUARD_BYTES && at < length - GUARD_BYTES &&
	    pattern_holds(data, at - GUARD_BYTES, s->seed))
		complain(c, s, "its own data landed after the end at",
			 at - GUARD_BYTES);
	else
		complain(c, s, "something landed after the end at guard +", at);
	return false;
}
