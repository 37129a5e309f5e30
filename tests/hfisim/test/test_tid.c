// SPDX-License-Identifier: GPL-2.0
/*
 * TID decoding and storing by it
 */
#include "bench.h"

#define EVEN	1
#define ODD	2
#define PAIR	3
#define PAGE	4096u

static struct bench *ready(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	return bench;
}

static struct tid_target decode(struct bench *bench, u32 kdeth, u32 length)
{
	struct tid_target target;

	expected_decode(bench->hfi[0], CONTEXT, kdeth, length, &target);
	return target;
}

static void assert_part(const struct tid_part *part, u32 index, u64 address, u32 length)
{
	assert_int_equal(part->entry, TID_FIRST + index);
	assert_true(part->valid);
	assert_true(part->address == address);
	assert_int_equal(part->length, length);
}

static void even_names_the_first_entry_of_the_pair(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 10, PAGES, 1);
	bench_tid(bench, 11, PAGES + PAGE, 1);
	target = decode(bench, kdeth_word(EVEN, 5, 0, 4), PAGE);
	assert_false(target.error);
	assert_int_equal(target.count, 1);
	assert_part(&target.part[0], 10, PAGES, PAGE);
}

static void odd_names_the_second_entry_of_the_pair(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 10, PAGES, 1);
	bench_tid(bench, 11, PAGES + PAGE, 1);
	target = decode(bench, kdeth_word(ODD, 5, 0, 4), PAGE);
	assert_false(target.error);
	assert_int_equal(target.count, 1);
	assert_part(&target.part[0], 11, PAGES + PAGE, PAGE);
}

static void pair_goes_on_in_the_second_entry(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 10, PAGES, 1);
	bench_tid(bench, 11, PAGES + 8 * PAGE, 1);
	target = decode(bench, kdeth_word(PAIR, 5, 0, 4), 2 * PAGE);
	assert_false(target.error);
	assert_int_equal(target.count, 2);
	assert_part(&target.part[0], 10, PAGES, PAGE);
	assert_part(&target.part[1], 11, PAGES + 8 * PAGE, PAGE);
}

static void pair_may_start_in_the_second_entry(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 10, PAGES, 1);
	bench_tid(bench, 11, PAGES + 8 * PAGE, 1);
	target = decode(bench, kdeth_word(PAIR, 5, (PAGE + 128) / 64, 64), 256);
	assert_false(target.error);
	assert_int_equal(target.count, 1);
	assert_part(&target.part[0], 11, PAGES + 8 * PAGE + 128, 256);
}

static void pair_splits_where_the_first_entry_ends(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 2);
	bench_tid(bench, 1, PAGES + 8 * PAGE, 1);
	target = decode(bench, kdeth_word(PAIR, 0, (2 * PAGE - 100) / 4, 4), 300);
	assert_false(target.error);
	assert_int_equal(target.count, 2);
	assert_part(&target.part[0], 0, PAGES + 2 * PAGE - 100, 100);
	assert_part(&target.part[1], 1, PAGES + 8 * PAGE, 200);
}

static void offset_counts_in_4_bytes(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 1);
	target = decode(bench, kdeth_word(EVEN, 0, 3, 4), 64);
	assert_part(&target.part[0], 0, PAGES + 12, 64);
	assert_int_equal(target.part[0].offset, 12);
}

static void offset_counts_in_64_bytes(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 7);
	target = decode(bench, kdeth_word(EVEN, 0, 4095, 64), 64);
	assert_part(&target.part[0], 0, PAGES + 4095 * 64, 64);
}

static void size_of_the_entry_is_a_power_of_two(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 3);
	target = decode(bench, kdeth_word(EVEN, 0, 0, 4), 4 * PAGE);
	assert_false(target.error);
	target = decode(bench, kdeth_word(EVEN, 0, 0, 4), 4 * PAGE + 4);
	assert_true(target.error);
	assert_part(&target.part[0], 0, PAGES, 4 * PAGE);
}

static void offset_behind_the_entry_is_an_error(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 1, PAGES + PAGE, 1);
	target = decode(bench, kdeth_word(EVEN, 0, PAGE / 4, 4), 4);
	assert_true(target.error);
	assert_int_equal(target.count, 0);
}

static void invalid_entry_is_an_error(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target = decode(bench, kdeth_word(EVEN, 0, 0, 4), 64);

	assert_true(target.error);
	assert_int_equal(target.count, 1);
	assert_false(target.part[0].valid);
	assert_int_equal(target.part[0].entry, TID_FIRST);
}

static void invalid_second_entry_is_an_error_of_the_second_part(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, 0, PAGES, 1);
	target = decode(bench, kdeth_word(PAIR, 0, 0, 4), PAGE + 64);
	assert_true(target.error);
	assert_int_equal(target.count, 2);
	assert_true(target.part[0].valid);
	assert_false(target.part[1].valid);
	assert_int_equal(target.part[1].length, 64);
}

static void tid_outside_the_share_is_an_error_even_if_the_entry_is_valid(void **state)
{
	struct bench *bench = ready(state);
	struct tid_target target;

	bench_tid(bench, TID_COUNT, PAGES, 1);
	target = decode(bench, kdeth_word(EVEN, TID_COUNT / 2, 0, 4), 64);
	assert_true(target.error);
	assert_false(target.part[0].valid);
	bench_tid(bench, TID_COUNT - 1, PAGES, 1);
	target = decode(bench, kdeth_word(ODD, TID_COUNT / 2 - 1, 0, 4), 64);
	assert_false(target.error);
}

static void share_never_reaches_beyond_the_array(void **state)
{
	struct bench *bench = ready(state);
	struct hfi *hfi = bench->hfi[0];
	u32 first;

	csr_write(hfi, RCV_TID_CTRL + KERNEL_STRIDE * CONTEXT,
		  (hfi->config.rcv_array / 8 - 1) | 511ULL << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	assert_int_equal(expected_share(hfi, CONTEXT, &first), 8);
	csr_write(hfi, RCV_TID_CTRL + KERNEL_STRIDE * CONTEXT,
		  8191 | 511ULL << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	assert_int_equal(expected_share(hfi, CONTEXT, &first), 0);
}

static void row_without_write_enable_is_ignored(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	csr_write(bench->hfi[0], RCV_ARRAY + 8 * TID_FIRST, 0);
	assert_int_equal(rcvarray_get(bench->hfi[0], TID_FIRST).size, PAGE);
}

static void store(struct bench *bench, u32 kdeth, u32 payload)
{
	const struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW, .psn = 1,
		.kdeth = kdeth, .payload = payload, .fill = 0x33,
	};

	receive(bench, expected_packet(&args));
}

static void payload_is_stored_in_both_entries(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 1, PAGES + 4 * PAGE, 1);
	store(bench, kdeth_word(PAIR, 0, (PAGE - 1024) / 64, 64), 4096);
	assert_pattern(bench_memory(bench, PAGES + PAGE - 1024), 0x33, 0, 1024);
	assert_pattern(bench_memory(bench, PAGES + 4 * PAGE), 0x33, 1024, 3072);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 2);
	assert_false(rhf_at(bench, 0) & RHF_TID_ERROR);
	assert_int_equal(*bench_memory(bench, PAGES + PAGE), 0);
	assert_int_equal(*bench_memory(bench, PAGES + 4 * PAGE + 3072), 0);
}

static void invalid_entry_sets_tid_error_and_stores_nothing(void **state)
{
	struct bench *bench = ready(state);

	store(bench, kdeth_word(EVEN, 0, 0, 4), 64);
	assert_true(rhf_at(bench, 0) & RHF_TID_ERROR);
	assert_int_equal(bench->hfi[0]->counters.invalid_entry_writes, 1);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 0);
}

static void entry_outside_memory_sets_tid_error_and_stores_nothing(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, MEMORY + MEMORY_SIZE - PAGE, 2);
	store(bench, kdeth_word(EVEN, 0, (PAGE - 32) / 4, 4), 64);
	assert_true(rhf_at(bench, 0) & RHF_TID_ERROR);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 0);
	assert_int_equal(bench->hfi[0]->counters.protocol_errors, 1);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(even_names_the_first_entry_of_the_pair),
		BENCH_TEST(odd_names_the_second_entry_of_the_pair),
		BENCH_TEST(pair_goes_on_in_the_second_entry),
		BENCH_TEST(pair_may_start_in_the_second_entry),
		BENCH_TEST(pair_splits_where_the_first_entry_ends),
		BENCH_TEST(offset_counts_in_4_bytes),
		BENCH_TEST(offset_counts_in_64_bytes),
		BENCH_TEST(size_of_the_entry_is_a_power_of_two),
		BENCH_TEST(offset_behind_the_entry_is_an_error),
		BENCH_TEST(invalid_entry_is_an_error),
		BENCH_TEST(invalid_second_entry_is_an_error_of_the_second_part),
		BENCH_TEST(tid_outside_the_share_is_an_error_even_if_the_entry_is_valid),
		BENCH_TEST(share_never_reaches_beyond_the_array),
		BENCH_TEST(row_without_write_enable_is_ignored),
		BENCH_TEST(payload_is_stored_in_both_entries),
		BENCH_TEST(invalid_entry_sets_tid_error_and_stores_nothing),
		BENCH_TEST(entry_outside_memory_sets_tid_error_and_stores_nothing),
	};

	return cmocka_run_group_tests_name("tid", tests, NULL, NULL);
}
