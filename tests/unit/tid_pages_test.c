// SPDX-License-Identifier: GPL-2.0
/* Splitting a segment's pages into page sets that the device takes. */

#include <linux/slab.h>

#include "checks.h"
#include "suites.h"

#define MAX_SET_PAGES	512	/* 2 MiB */
#define ROUNDS		2000

/* One more than a segment needs, to notice a write behind the end. */
#define MAX_SETS	(FX_SEG_PAGES + 2)
#define GUARD		0x5a

/**
 * struct split - one try
 * @fx: the fixture
 * @flow: the segment
 * @index: pages as indices in the arena
 * @pages: the same as the code under test gets them
 * @npages: how many
 * @sets: the result
 * @nsets: its length
 */
struct split {
	struct fx *fx;
	struct tid_rdma_flow *flow;
	u16 index[FX_SEG_PAGES];
	struct page *pages[FX_SEG_PAGES];
	u32 npages;
	struct tid_rdma_pageset sets[MAX_SETS];
	u32 nsets;
};

static struct split *split_create(struct ktap_test *test)
{
	struct split *s = kzalloc_obj(*s);

	s->fx = test->priv;
	s->flow = &fx_qp_create(s->fx)->req->flows[0];
	return s;
}

static void split_run(struct split *s, bool mtu_8k)
{
	u32 i;

	for (i = 0; i < s->npages; i++)
		s->pages[i] = s->fx->hw->arena + s->index[i];
	memset(s->sets, GUARD, sizeof(s->sets));
	if (mtu_8k)
		s->nsets = tid_rdma_find_phys_blocks_8k(s->flow, s->pages,
							s->npages, s->sets);
	else
		s->nsets = tid_rdma_find_phys_blocks_4k(s->flow, s->pages,
							s->npages, s->sets);
}

static bool adjacent(struct split *s, u32 first, u32 count)
{
	u32 i;

	for (i = 1; i < count; i++)
		if (s->index[first + i] != s->index[first] + i)
			return false;
	return true;
}

/* Every set is one that the device takes, and all pages are there in order. */
static void expect_legal(struct split *s)
{
	struct ktap_test *test = s->fx->test;
	u8 *guard = (u8 *)&s->sets[s->nsets];
	u32 i, next = 0;

	EXPECT_EQ(test, s->nsets & 1, 0);
	if (!EXPECT_LE(test, s->nsets, FX_SEG_PAGES))
		return;
	for (i = 0; i < s->nsets; i++) {
		u32 count = s->sets[i].count, idx = s->sets[i].idx;

		if (!count)
			continue;
		EXPECT_EQ(test, idx, next);
		EXPECT_EQ(test, count & (count - 1), 0);
		EXPECT_LE(test, count, MAX_SET_PAGES);
		if (!EXPECT_LE(test, idx + count, s->npages))
			return;
		EXPECT_TRUE(test, adjacent(s, idx, count));
		next = idx + count;
	}
	EXPECT_EQ(test, next, s->npages);
	EXPECT_EQ(test, *guard, GUARD);
}

/* The fewest sets: each run of adjacent pages takes a set for each bit. */
static u32 fewest_sets(struct split *s)
{
	u32 start, end, n = 0;

	for (start = 0; start < s->npages; start = end) {
		end = start + 1;
		while (end < s->npages && adjacent(s, start, end - start + 1))
			end++;
		n += hweight32(end - start);
	}
	return n;
}

/* A packet of 8 KiB is in one pair of TIDs; only the last may be half full. */
static void expect_whole_packets(struct split *s)
{
	u32 i, before = 0;

	for (i = 0; i + 1 < s->nsets; i += 2) {
		u32 pair = s->sets[i].count + s->sets[i + 1].count;

		EXPECT_NE(s->fx->test, s->sets[i].count, 0);
		EXPECT_EQ(s->fx->test, before & 1, 0);
		before += pair;
	}
}

static void randomize(struct split *s)
{
	u32 i, next = 0, left = 0, longest = 1 + fx_random(s->fx, 40);

	s->npages = 1 + fx_random(s->fx, FX_SEG_PAGES);
	for (i = 0; i < s->npages; i++) {
		if (!left || next == FAKE_ARENA_PAGES) {
			left = 1 + fx_random(s->fx, longest);
			next = fx_random(s->fx, FAKE_ARENA_PAGES);
		}
		s->index[i] = next++;
		left--;
	}
}

static void no_pages_make_no_sets(struct ktap_test *test)
{
	struct split *s = split_create(test);

	split_run(s, false);
	EXPECT_EQ(test, s->nsets, 0);
	split_run(s, true);
	EXPECT_EQ(test, s->nsets, 0);
	kfree(s);
}

static void contiguous_pages_make_the_largest_sets(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < FX_SEG_PAGES; i++)
		s->index[i] = 3 + i;
	s->npages = FX_SEG_PAGES;
	for (i = 0; i < 2; i++) {
		split_run(s, i);
		EXPECT_EQ(test, s->nsets, 2);
		EXPECT_EQ(test, s->sets[0].idx, 0);
		EXPECT_EQ(test, s->sets[0].count, 64);
		EXPECT_EQ(test, s->sets[1].count, 0);
	}
	kfree(s);
}

static void scattered_pages_make_a_set_each(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < FX_SEG_PAGES; i++)
		s->index[i] = 200 - 3 * i;
	s->npages = FX_SEG_PAGES;
	for (i = 0; i < 2; i++) {
		split_run(s, i);
		EXPECT_EQ(test, s->nsets, 64);
		expect_legal(s);
	}
	kfree(s);
}

static void descending_pages_are_not_adjacent(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < 6; i++)
		s->index[i] = 9 - i;
	s->npages = 6;
	for (i = 0; i < 2; i++) {
		split_run(s, i);
		EXPECT_EQ(test, s->nsets, 6);
		expect_legal(s);
	}
	kfree(s);
}

static void every_length_of_a_run_is_split_4k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < FX_SEG_PAGES; i++)
		s->index[i] = i;
	for (s->npages = 1; s->npages <= FX_SEG_PAGES; s->npages++) {
		split_run(s, false);
		expect_legal(s);
		EXPECT_EQ(test, s->nsets, round_up(hweight32(s->npages), 2));
	}
	kfree(s);
}

static void every_length_of_a_run_is_split_8k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < FX_SEG_PAGES; i++)
		s->index[i] = i;
	for (s->npages = 1; s->npages <= FX_SEG_PAGES; s->npages++) {
		split_run(s, true);
		expect_legal(s);
		expect_whole_packets(s);
		EXPECT_LE(test, s->nsets, 2 + round_up(hweight32(s->npages), 2));
	}
	kfree(s);
}

static void random_pages_are_split_4k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		randomize(s);
		split_run(s, false);
		expect_legal(s);
		EXPECT_EQ(test, s->nsets, round_up(fewest_sets(s), 2));
		if (test->failures)
			break;
	}
	kfree(s);
}

static void random_pages_are_split_8k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		randomize(s);
		split_run(s, true);
		expect_legal(s);
		expect_whole_packets(s);
		if (test->failures)
			break;
	}
	kfree(s);
}

static void a_pair_across_a_gap_is_two_single_pages_8k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	static const u16 index[] = { 0, 1, 2, 3, 4, 9, 10, 11 };
	static const u8 counts[] = { 4, 0, 1, 1, 2, 0 };
	u32 i;

	memcpy(s->index, index, sizeof(index));
	s->npages = ARRAY_SIZE(index);
	split_run(s, true);
	expect_legal(s);
	if (EXPECT_EQ(test, s->nsets, ARRAY_SIZE(counts)))
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			EXPECT_EQ(test, s->sets[i].count, counts[i]);
	kfree(s);
}

static void a_gap_between_pairs_ends_the_run_8k(struct ktap_test *test)
{
	struct split *s = split_create(test);
	static const u16 index[] = { 0, 1, 6, 7, 8, 9 };
	static const u8 counts[] = { 2, 0, 4, 0 };
	u32 i;

	memcpy(s->index, index, sizeof(index));
	s->npages = ARRAY_SIZE(index);
	split_run(s, true);
	expect_legal(s);
	if (EXPECT_EQ(test, s->nsets, ARRAY_SIZE(counts)))
		for (i = 0; i < ARRAY_SIZE(counts); i++)
			EXPECT_EQ(test, s->sets[i].count, counts[i]);
	kfree(s);
}

static void flush_appends_an_even_number_of_sets(struct ktap_test *test)
{
	struct tid_rdma_pageset list[16];
	static const u8 counts[] = { 4, 2, 1, 0 };
	u32 i, idx = 5;

	memset(list, GUARD, sizeof(list));
	EXPECT_EQ(test, tid_flush_pages(list, &idx, 7, 2), 6);
	EXPECT_EQ(test, idx, 12);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(test, list[2 + i].count, counts[i]);
	EXPECT_EQ(test, list[2].idx, 5);
	EXPECT_EQ(test, list[3].idx, 9);
	EXPECT_EQ(test, list[4].idx, 11);
	EXPECT_EQ(test, *(u8 *)&list[1], GUARD);
	EXPECT_EQ(test, *(u8 *)&list[6], GUARD);
}

static void flush_of_no_pages_appends_nothing(struct ktap_test *test)
{
	struct tid_rdma_pageset list[2];
	u32 idx = 5;

	EXPECT_EQ(test, tid_flush_pages(list, &idx, 0, 0), 0);
	EXPECT_EQ(test, idx, 5);
}

static const struct ktap_case cases[] = {
	KTAP_CASE(no_pages_make_no_sets),
	KTAP_CASE(contiguous_pages_make_the_largest_sets),
	KTAP_CASE(scattered_pages_make_a_set_each),
	KTAP_CASE(descending_pages_are_not_adjacent),
	KTAP_CASE(every_length_of_a_run_is_split_4k),
	KTAP_CASE(every_length_of_a_run_is_split_8k),
	KTAP_CASE(random_pages_are_split_4k),
	KTAP_CASE(random_pages_are_split_8k),
	KTAP_CASE(a_pair_across_a_gap_is_two_single_pages_8k),
	KTAP_CASE(a_gap_between_pairs_ends_the_run_8k),
	KTAP_CASE(flush_appends_an_even_number_of_sets),
	KTAP_CASE(flush_of_no_pages_appends_nothing),
};

const struct ktap_suite tid_pages_suite = {
	.name = "tid_pages",
	.init = fx_init,
	.exit = fx_exit,
	.cases = cases,
	.ncases = ARRAY_SIZE(cases),
};
