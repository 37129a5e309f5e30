// SPDX-License-Identifier: GPL-2.0
/*
 * Ledger of grants
 */
#include <string.h>

#include "bench.h"
#include "text.h"

static struct bench *ready(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	return bench;
}

static u64 late(struct bench *bench)
{
	return bench->hfi[0]->counters.late_writes;
}

static u64 invalid(struct bench *bench)
{
	return bench->hfi[0]->counters.invalid_entry_writes;
}

/* Fails unless the ledger, as JSON, has (or has not) a piece of text. */
static void assert_ledger(struct bench *bench, const char *piece, bool has)
{
	struct text text = { 0 };

	ledger_print(bench->hfi[0], &text);
	if (!!strstr(text.data, piece) != has)
		fail_msg("%s in %s", piece, text.data);
	text_free(&text);
}

static void write_to_a_granted_page_is_in_order(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 0);
	assert_int_equal(invalid(bench), 0);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 1);
	assert_ledger(bench, "context", false);
}

static void write_after_the_entry_was_invalidated_is_late(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 0, 0, 0);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 1);
	assert_int_equal(invalid(bench), 1);
	assert_ledger(bench, "\"context\":3,\"entry\":128,\"address\":\"0x10040000\",\"length\":64",
		      true);
	assert_ledger(bench, "\"given_again\":false", true);
	assert_ledger(bench, "\"given_back\":null", false);
}

static void late_write_changes_no_memory(void **state)
{
	struct bench *bench = ready(state);
	u32 i;

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 0, 0, 0);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	for (i = 0; i < 4096; i++)
		assert_int_equal(bench_memory(bench, PAGES)[i], 0);
}

static void write_to_an_entry_that_was_never_valid_is_invalid_not_late(void **state)
{
	struct bench *bench = ready(state);

	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 0);
	assert_int_equal(invalid(bench), 1);
	assert_ledger(bench, "never did", true);
}

static void page_given_again_is_in_order_through_the_new_entry(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 2, PAGES, 1);
	bench_tid(bench, 2, 0, 0);
	bench_tid(bench, 0, PAGES, 1);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 0);
}

static void old_entry_of_a_page_given_again_is_late(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 0, 0, 0);
	bench_tid(bench, 2, PAGES, 1);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 1);
	assert_ledger(bench, "\"given_again\":true", true);
}

static void packet_held_while_its_entry_was_written_again_is_late(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	fault_hold(bench->hfi[0], FILTER_ALL);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	bench_tid(bench, 0, 0, 0);
	bench_tid(bench, 0, PAGES + 0x1000, 1);
	fault_release(bench->hfi[0]);
	assert_int_equal(late(bench), 1);
	assert_int_equal(invalid(bench), 0);
	assert_ledger(bench, "after the packet came", true);
}

static void packet_held_while_other_entries_were_written_is_in_order(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	fault_hold(bench->hfi[0], FILTER_ALL);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	bench_tid(bench, 2, PAGES + 0x1000, 1);
	fault_release(bench->hfi[0]);
	assert_int_equal(late(bench), 0);
}

static void packet_that_waited_for_room_while_its_entry_was_written_again_is_late(void **state)
{
	struct bench *bench = *state;
	u32 i;

	bench_context(bench, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	bench_tid(bench, 0, PAGES, 1);
	for (i = 0; i < QUEUE_ENTRIES; i++)
		send_expected(bench, i, OPCODE_TID_READ_RESP);
	assert_int_equal(bench->hfi[0]->port.waiting.count, 1);
	bench_tid(bench, 0, PAGES + 0x1000, 1);
	move_head(bench, 4);
	assert_int_equal(bench->hfi[0]->port.waiting.count, 0);
	assert_int_equal(late(bench), 1);
}

static void chip_reset_forgets_all_grants(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 0, 0, 0);
	ledger_reset(bench->hfi[0]);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 0);
	assert_int_equal(invalid(bench), 1);
}

static void entry_in_the_share_of_another_context_is_recorded(void **state)
{
	struct bench *bench = ready(state);

	bench_tid(bench, 0, PAGES, 1);
	/* now context 2 and context 3 change their shares */
	csr_write(bench->hfi[0], RCV_TID_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	csr_write(bench->hfi[0], RCV_TID_CTRL + KERNEL_STRIDE * (CONTEXT - 1),
		  TID_FIRST / 8 | (u64)(TID_COUNT / 8) << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	bench_tid(bench, 0, PAGES, 1);
	csr_write(bench->hfi[0], RCV_TID_CTRL + KERNEL_STRIDE * CONTEXT,
		  TID_FIRST / 8 | (u64)(TID_COUNT / 8) << RCV_TID_CTRL_TID_PAIR_CNT_SHIFT);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_ledger(bench, "share of another context", true);
	assert_int_equal(late(bench), 0);
}

static void only_the_newest_records_are_kept(void **state)
{
	struct bench *bench = ready(state);
	struct text text = { 0 };
	u32 records = 0;
	char *at;
	u32 i;

	for (i = 0; i < 1000; i++) {
		send_expected(bench, i, OPCODE_TID_READ_RESP);
		move_head(bench, (i + 1) % QUEUE_ENTRIES);
	}
	ledger_print(bench->hfi[0], &text);
	for (at = text.data; (at = strstr(at, "\"psn\":")); at++)
		records++;
	assert_int_equal(records, 256);
	assert_null(strstr(text.data, "\"psn\":743,"));
	assert_non_null(strstr(text.data, "[{\"context\":3"));
	assert_non_null(strstr(text.data, "\"psn\":744,"));
	assert_non_null(strstr(text.data, "\"psn\":999,"));
	text_free(&text);
}

static void more_pages_than_the_hash_holds_do_no_harm(void **state)
{
	struct bench *bench = ready(state);
	u64 page;

	for (page = 0; page < 200000; page++) {
		bench_tid(bench, 2 + page % 60, page << 12, 1);
		bench_tid(bench, 2 + page % 60, 0, 0);
	}
	bench_tid(bench, 0, PAGES, 1);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	bench_tid(bench, 0, 0, 0);
	send_expected(bench, 2, OPCODE_TID_READ_RESP);
	assert_int_equal(late(bench), 1);
	assert_ledger(bench, "\"given_back\":null", false);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(write_to_a_granted_page_is_in_order),
		BENCH_TEST(write_after_the_entry_was_invalidated_is_late),
		BENCH_TEST(late_write_changes_no_memory),
		BENCH_TEST(write_to_an_entry_that_was_never_valid_is_invalid_not_late),
		BENCH_TEST(page_given_again_is_in_order_through_the_new_entry),
		BENCH_TEST(old_entry_of_a_page_given_again_is_late),
		BENCH_TEST(packet_held_while_its_entry_was_written_again_is_late),
		BENCH_TEST(packet_held_while_other_entries_were_written_is_in_order),
		BENCH_TEST(packet_that_waited_for_room_while_its_entry_was_written_again_is_late),
		BENCH_TEST(chip_reset_forgets_all_grants),
		BENCH_TEST(entry_in_the_share_of_another_context_is_recorded),
		BENCH_TEST(only_the_newest_records_are_kept),
		BENCH_TEST(more_pages_than_the_hash_holds_do_no_harm),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
