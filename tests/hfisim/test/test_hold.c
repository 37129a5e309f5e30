// SPDX-License-Identifier: GPL-2.0
/*
 * Hold, release, discard
 */
#include "bench.h"

static void send_psns(struct bench *bench, u32 first, u32 last)
{
	while (first <= last)
		send_expected(bench, first++, OPCODE_TID_READ_RESP);
}

static struct bench *ready(void **state, u64 control)
{
	struct bench *bench = *state;

	bench_context(bench, control);
	bench_tid(bench, 0, PAGES, 1);
	return bench;
}

static void held_packets_do_not_arrive(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 5);
	assert_int_equal(queue_tail(bench), 0);
	assert_int_equal(fault_held(bench->hfi[0]), 5);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 0);
}

static void release_keeps_the_order(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 i;

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 5);
	assert_int_equal(fault_release(bench->hfi[0]), 5);
	send_psns(bench, 6, 6);
	assert_int_equal(queue_tail(bench), 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(psn_at(bench, i), i + 1);
	assert_int_equal(fault_held(bench->hfi[0]), 0);
}

static void release_of_n_keeps_holding(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 5);
	assert_int_equal(fault_release_some(bench->hfi[0], 2), 2);
	assert_int_equal(queue_tail(bench), 2);
	assert_int_equal(psn_at(bench, 1), 2);
	send_psns(bench, 6, 6);
	assert_int_equal(queue_tail(bench), 2);
	assert_int_equal(fault_held(bench->hfi[0]), 4);
}

static void release_of_more_than_held_lets_all_through(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 2);
	assert_int_equal(fault_release_some(bench->hfi[0], 100), 2);
	assert_int_equal(queue_tail(bench), 2);
}

static void discard_loses_the_packets_and_stops_holding(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 3);
	assert_int_equal(fault_discard(bench->hfi[0]), 3);
	assert_int_equal(queue_tail(bench), 0);
	send_psns(bench, 4, 4);
	assert_int_equal(queue_tail(bench), 1);
	assert_int_equal(psn_at(bench, 0), 4);
}

static void other_kinds_pass_by(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_READ_RESP);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	send_expected(bench, 2, OPCODE_TID_WRITE_DATA);
	send_expected(bench, 3, OPCODE_TID_WRITE_DATA_LAST);
	assert_int_equal(fault_held(bench->hfi[0]), 1);
	assert_int_equal(queue_tail(bench), 2);
	assert_int_equal(psn_at(bench, 0), 2);
}

static void eager_packets_are_never_held(void **state)
{
	struct bench *bench = ready(state, 0);
	struct packet *packet = ib_packet(0x04, 2, 1, 60);

	fault_hold(bench->hfi[0], FILTER_ALL);
	fabric_send(bench->hfi[1], packet);
	packet_free(packet);
	assert_int_equal(queue_tail(bench), 1);
	assert_int_equal(fault_held(bench->hfi[0]), 0);
}

static void reset_throws_held_packets_away_and_keeps_holding(void **state)
{
	struct bench *bench = ready(state, 0);

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 3);
	fault_reset(bench->hfi[0]);
	assert_int_equal(fault_held(bench->hfi[0]), 0);
	send_psns(bench, 4, 4);
	assert_int_equal(fault_held(bench->hfi[0]), 1);
}

static void faults_come_before_the_hold_queue(void **state)
{
	struct bench *bench = ready(state, 0);
	const struct fault_rule rule = { .filter = FILTER_ALL, .every = 2 };

	fault_inject(bench->hfi[0], FAULT_DUPLICATE, &rule);
	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 2);
	assert_int_equal(fault_held(bench->hfi[0]), 3);
}

static void released_packets_wait_for_room_in_order(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	u32 i;

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 40);
	fault_release(bench->hfi[0]);
	send_psns(bench, 41, 45);
	assert_int_equal(queue_tail(bench), QUEUE_ENTRIES - 1);
	for (i = 0; i < QUEUE_ENTRIES - 1; i++)
		assert_int_equal(psn_at(bench, i), i + 1);
	move_head(bench, QUEUE_ENTRIES - 1);
	assert_int_equal(queue_tail(bench), 45 - QUEUE_ENTRIES);
	assert_int_equal(psn_at(bench, QUEUE_ENTRIES - 1), QUEUE_ENTRIES);
	for (i = 0; i < 45 - QUEUE_ENTRIES; i++)
		assert_int_equal(psn_at(bench, i), QUEUE_ENTRIES + 1 + i);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 0);
}

static void released_packet_raises_the_interrupt(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 word = SOURCE_RCV_AVAILABLE / 64;

	fault_hold(bench->hfi[0], FILTER_ALL);
	send_psns(bench, 1, 1);
	assert_false(csr_read(bench->hfi[0], CCE_INT_STATUS + 8 * word) & BIT_ULL(CONTEXT));
	fault_release(bench->hfi[0]);
	assert_true(csr_read(bench->hfi[0], CCE_INT_STATUS + 8 * word) & BIT_ULL(CONTEXT));
}

static void hold_queue_has_a_limit(void **state)
{
	struct bench *bench = ready(state, 0);
	struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW, .payload = 8192,
		.kdeth = kdeth_word(1, 0, 0, 4),
	};
	struct packet *packet = expected_packet(&args);
	u32 most = FAULT_PARKED_MAX / packet->length;
	u32 i;

	fault_hold(bench->hfi[0], FILTER_ALL);
	for (i = 0; i <= most; i++)
		fabric_send(bench->hfi[1], packet);
	assert_in_range(fault_held(bench->hfi[0]), most / 2, most);
	assert_int_not_equal(bench->hfi[0]->counters.rx_dropped, 0);
	packet_free(packet);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(held_packets_do_not_arrive),
		BENCH_TEST(release_keeps_the_order),
		BENCH_TEST(release_of_n_keeps_holding),
		BENCH_TEST(release_of_more_than_held_lets_all_through),
		BENCH_TEST(discard_loses_the_packets_and_stops_holding),
		BENCH_TEST(other_kinds_pass_by),
		BENCH_TEST(eager_packets_are_never_held),
		BENCH_TEST(reset_throws_held_packets_away_and_keeps_holding),
		BENCH_TEST(faults_come_before_the_hold_queue),
		BENCH_TEST(released_packets_wait_for_room_in_order),
		BENCH_TEST(released_packet_raises_the_interrupt),
		BENCH_TEST(hold_queue_has_a_limit),
	};

	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
