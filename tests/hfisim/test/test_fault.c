// SPDX-License-Identifier: GPL-2.0
/*
 * Faults on the wire
 */
#include "bench.h"

static void send_psn(struct bench *bench, u32 psn)
{
	send_expected(bench, psn, OPCODE_TID_READ_RESP);
}

static void send_psns(struct bench *bench, u32 first, u32 last)
{
	while (first <= last)
		send_psn(bench, first++);
}

static void assert_arrived(struct bench *bench, const u32 *psn, u32 count)
{
	u32 i;

	assert_int_equal(queue_tail(bench), count);
	for (i = 0; i < count; i++)
		assert_int_equal(psn_at(bench, i), psn[i]);
}

#define ASSERT_ARRIVED(bench, ...)						\
	do {									\
		const u32 psn[] = { __VA_ARGS__ };				\
										\
		assert_arrived(bench, psn, ARRAY_SIZE(psn));			\
	} while (0)

static struct bench *ready(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	bench_tid(bench, 0, PAGES, 1);
	return bench;
}

static void inject(struct bench *bench, enum fault_action action, u32 every, u32 count)
{
	const struct fault_rule rule = {
		.filter = FILTER_ALL, .every = every, .count = count,
		.delay = action == FAULT_DELAY ? 30000 : 0,
	};

	fault_inject(bench->hfi[0], action, &rule);
}

static void run_for(struct bench *bench, u64 microseconds)
{
	u64 end = loop_now() + microseconds * 1000;

	while (loop_now() < end)
		assert_int_equal(loop_once(bench->loop, 1), 0);
}

static void nothing_is_changed_without_a_fault(void **state)
{
	struct bench *bench = ready(state);

	send_psns(bench, 1, 4);
	ASSERT_ARRIVED(bench, 1, 2, 3, 4);
}

static void drop_loses_each_third_packet(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DROP, 3, 0);
	send_psns(bench, 1, 7);
	ASSERT_ARRIVED(bench, 1, 2, 4, 5, 7);
	assert_int_equal(bench->hfi[0]->counters.faults.drop, 2);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 0);
}

static void count_ends_a_fault(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DROP, 2, 1);
	send_psns(bench, 1, 6);
	ASSERT_ARRIVED(bench, 1, 3, 4, 5, 6);
}

static void off_ends_a_fault(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DROP, 1, 0);
	send_psn(bench, 1);
	fault_off(bench->hfi[0]);
	send_psn(bench, 2);
	ASSERT_ARRIVED(bench, 2);
}

static void filter_spares_other_packets(void **state)
{
	struct bench *bench = ready(state);
	const struct fault_rule rule = { .filter = FILTER_WRITE_DATA, .every = 2 };

	fault_inject(bench->hfi[0], FAULT_DROP, &rule);
	send_expected(bench, 1, OPCODE_TID_WRITE_DATA);
	send_expected(bench, 2, OPCODE_TID_READ_RESP);
	send_expected(bench, 3, OPCODE_TID_WRITE_DATA_LAST);
	ASSERT_ARRIVED(bench, 1, 2);
}

static void duplicate_arrives_right_behind(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DUPLICATE, 2, 0);
	send_psns(bench, 1, 3);
	ASSERT_ARRIVED(bench, 1, 2, 2, 3);
	assert_int_equal(bench->hfi[0]->counters.faults.duplicate, 1);
}

static void reorder_swaps_with_the_next_packet(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_REORDER, 2, 0);
	send_psns(bench, 1, 5);
	ASSERT_ARRIVED(bench, 1, 3, 2, 5, 4);
	assert_int_equal(bench->hfi[0]->counters.faults.reorder, 2);
}

static void reorder_of_each_packet_swaps_pairs(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_REORDER, 1, 0);
	send_psns(bench, 1, 4);
	ASSERT_ARRIVED(bench, 2, 1, 4, 3);
}

static void reorder_gives_up_when_nothing_follows(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_REORDER, 1, 1);
	send_psn(bench, 1);
	assert_int_equal(queue_tail(bench), 0);
	run_for(bench, 2 * FAULT_REORDER_US);
	ASSERT_ARRIVED(bench, 1);
}

static void delay_lets_later_packets_overtake(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DELAY, 1, 2);
	send_psns(bench, 1, 4);
	ASSERT_ARRIVED(bench, 3, 4);
	run_for(bench, 60000);
	ASSERT_ARRIVED(bench, 3, 4, 1, 2);
	assert_int_equal(bench->hfi[0]->counters.faults.delay, 2);
}

static void off_lets_late_packets_arrive(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DELAY, 1, 1);
	send_psns(bench, 1, 2);
	fault_off(bench->hfi[0]);
	ASSERT_ARRIVED(bench, 2, 1);
}

static void reset_forgets_late_packets(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DELAY, 1, 1);
	send_psn(bench, 1);
	fault_reset(bench->hfi[0]);
	run_for(bench, 60000);
	assert_int_equal(queue_tail(bench), 0);
}

static void corrupt_shows_as_icrc_error(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_CORRUPT, 1, 1);
	send_psns(bench, 1, 2);
	assert_int_equal(queue_tail(bench), 2);
	assert_true(rhf_at(bench, 0) & RHF_ICRC_ERROR);
	assert_false(rhf_at(bench, 1) & RHF_ICRC_ERROR);
	assert_int_equal(bench->hfi[0]->counters.faults.corrupt, 1);
}

static void corrupt_payload_differs_in_its_last_byte(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_CORRUPT, 1, 1);
	send_psn(bench, 1);
	assert_pattern(bench_memory(bench, PAGES), 1, 0, 63);
	assert_int_not_equal(*bench_memory(bench, PAGES + 63), pattern_at(1, 63));
}

static void corrupt_packet_leaves_the_flow_alone(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK);
	bench_tid(bench, 0, PAGES, 1);
	bench_flow(bench, 7, 1, FLOW_VALID);
	inject(bench, FAULT_CORRUPT, 1, 1);
	send_psn(bench, 7 << 11 | 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), 1);
	send_psn(bench, 7 << 11 | 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), 2);
}

static void corrupt_packet_is_never_suppressed(void **state)
{
	struct bench *bench = *state;
	struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW, .psn = 7 << 11, .payload = 64,
		.kdeth = kdeth_word(1, 0, 0, 4) | KDETH_FLAG_SUPPRESS,
	};
	struct packet *packet = expected_packet(&args);

	bench_context(bench, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK);
	bench_tid(bench, 0, PAGES, 1);
	bench_flow(bench, 7, 0, FLOW_VALID | FLOW_SUPPRESS);
	inject(bench, FAULT_CORRUPT, 1, 1);
	fabric_send(bench->hfi[1], packet);
	packet_free(packet);
	assert_int_equal(queue_tail(bench), 1);
	assert_int_equal(bench->hfi[0]->counters.suppressed_headers, 0);
}

static void packet_suffers_one_fault_and_the_other_stays_due(void **state)
{
	struct bench *bench = ready(state);

	inject(bench, FAULT_DROP, 2, 1);
	inject(bench, FAULT_DUPLICATE, 2, 1);
	send_psns(bench, 1, 4);
	ASSERT_ARRIVED(bench, 1, 3, 3, 4);
}

static void other_hfi_is_not_affected(void **state)
{
	struct bench *bench = ready(state);
	const struct fault_rule rule = { .filter = FILTER_ALL, .every = 1 };

	fault_inject(bench->hfi[1], FAULT_DROP, &rule);
	send_psn(bench, 1);
	ASSERT_ARRIVED(bench, 1);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(nothing_is_changed_without_a_fault),
		BENCH_TEST(drop_loses_each_third_packet),
		BENCH_TEST(count_ends_a_fault),
		BENCH_TEST(off_ends_a_fault),
		BENCH_TEST(filter_spares_other_packets),
		BENCH_TEST(duplicate_arrives_right_behind),
		BENCH_TEST(reorder_swaps_with_the_next_packet),
		BENCH_TEST(reorder_of_each_packet_swaps_pairs),
		BENCH_TEST(reorder_gives_up_when_nothing_follows),
		BENCH_TEST(delay_lets_later_packets_overtake),
		BENCH_TEST(off_lets_late_packets_arrive),
		BENCH_TEST(reset_forgets_late_packets),
		BENCH_TEST(corrupt_shows_as_icrc_error),
		BENCH_TEST(corrupt_payload_differs_in_its_last_byte),
		BENCH_TEST(corrupt_packet_leaves_the_flow_alone),
		BENCH_TEST(corrupt_packet_is_never_suppressed),
		BENCH_TEST(packet_suffers_one_fault_and_the_other_stays_due),
		BENCH_TEST(other_hfi_is_not_affected),
	};

	return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
