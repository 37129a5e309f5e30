// SPDX-License-Identifier: GPL-2.0
/*
 * Flow table verdicts
 */
#include "bench.h"

#define GENERATION	0x12345u
#define SEQUENCE	100u
#define ROW		((u64)GENERATION << 11 | SEQUENCE)
#define PSN		(GENERATION << 11 | SEQUENCE)
#define KEEP		(FLOW_KEEP_AFTER_SEQ_ERR | FLOW_KEEP_ON_GEN_ERR)
#define RTE(rhf)	((u32)((rhf) >> RHF_TYPE_ERROR_SHIFT) & 7)
#define FILL		0x21

static void right_packet_moves_the_sequence_on(void **state)
{
	struct flow_verdict verdict = expected_flow(ROW | FLOW_VALID, PSN, false);

	(void)state;
	assert_int_equal(verdict.error, FLOW_OK);
	assert_true(verdict.write);
	assert_false(verdict.suppress);
	assert_false(verdict.drop);
	assert_true(verdict.row == ((ROW + 1) | FLOW_VALID));
}

static void sequence_wraps_within_the_generation(void **state)
{
	u64 row = (u64)GENERATION << 11 | 0x7ff | FLOW_VALID;
	struct flow_verdict verdict = expected_flow(row, GENERATION << 11 | 0x7ff, false);

	(void)state;
	assert_int_equal(verdict.error, FLOW_OK);
	assert_int_equal(FLOW_SEQUENCE(verdict.row), 0);
	assert_int_equal(FLOW_GENERATION(verdict.row), GENERATION);
}

static void header_is_suppressed_if_packet_and_row_agree(void **state)
{
	u64 row = ROW | FLOW_VALID;

	(void)state;
	assert_true(expected_flow(row | FLOW_SUPPRESS, PSN, true).suppress);
	assert_false(expected_flow(row | FLOW_SUPPRESS, PSN, false).suppress);
	assert_false(expected_flow(row, PSN, true).suppress);
}

static void wrong_sequence_is_stored_with_an_error(void **state)
{
	struct flow_verdict verdict = expected_flow(ROW | FLOW_VALID | KEEP | FLOW_SUPPRESS,
						    PSN + 1, true);

	(void)state;
	assert_int_equal(verdict.error, FLOW_SEQUENCE_ERROR);
	assert_true(verdict.write);
	assert_false(verdict.suppress);
	assert_int_equal(FLOW_SEQUENCE(verdict.row), SEQUENCE);
	assert_true(verdict.row & FLOW_SEQ_MISMATCH);
}

static void after_a_sequence_error_the_right_packet_is_one_too(void **state)
{
	struct flow_verdict verdict = expected_flow(ROW | FLOW_VALID | KEEP | FLOW_SUPPRESS |
						    FLOW_SEQ_MISMATCH, PSN, true);

	(void)state;
	assert_int_equal(verdict.error, FLOW_SEQUENCE_ERROR);
	assert_true(verdict.write);
	assert_false(verdict.suppress);
	assert_int_equal(FLOW_SEQUENCE(verdict.row), SEQUENCE);
}

static void a_packet_that_comes_again_after_an_error_is_not_stored(void **state)
{
	u64 row = ROW | FLOW_VALID | KEEP;
	struct flow_verdict ahead = expected_flow(row, PSN + 1, false);
	struct flow_verdict missing = expected_flow(ahead.row, PSN, false);
	struct flow_verdict again = expected_flow(missing.row, PSN, false);
	struct flow_verdict next = expected_flow(again.row, PSN + 1, false);

	(void)state;
	assert_true(ahead.write);
	assert_true(missing.write);
	assert_false(again.write);
	assert_int_equal(again.error, FLOW_SEQUENCE_ERROR);
	assert_true(next.write);
	assert_int_equal(FLOW_SEQUENCE(next.row), SEQUENCE);
}

static void wrong_generation_is_not_stored(void **state)
{
	struct flow_verdict verdict = expected_flow(ROW | FLOW_VALID | KEEP | FLOW_SUPPRESS,
						    PSN + (1 << 11), true);

	(void)state;
	assert_int_equal(verdict.error, FLOW_GENERATION_ERROR);
	assert_false(verdict.write);
	assert_false(verdict.suppress);
	assert_int_equal(FLOW_SEQUENCE(verdict.row), SEQUENCE);
}

static void invalid_row_is_a_generation_error(void **state)
{
	struct flow_verdict verdict = expected_flow(ROW | KEEP, PSN, false);

	(void)state;
	assert_int_equal(verdict.error, FLOW_GENERATION_ERROR);
	assert_false(verdict.write);
}

static void generation_has_20_bits(void **state)
{
	u64 row = 0xfffffULL << 11 | FLOW_VALID;

	(void)state;
	assert_int_equal(expected_flow(row, 0x7ffff800, false).error, FLOW_OK);
	assert_int_equal(expected_flow(row, 0x3ffff800, false).error, FLOW_GENERATION_ERROR);
}

static void row_that_does_not_keep_drops_on_a_generation_error(void **state)
{
	(void)state;
	assert_true(expected_flow(ROW | FLOW_VALID, PSN + (1 << 11), false).drop);
	assert_false(expected_flow(ROW | FLOW_VALID | FLOW_KEEP_ON_GEN_ERR, PSN + (1 << 11),
				   false).drop);
}

static struct bench *ready(void **state, u64 flags)
{
	struct bench *bench = *state;

	bench_context(bench, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK);
	bench_tid(bench, 0, PAGES, 1);
	bench_flow(bench, GENERATION, SEQUENCE, FLOW_VALID | KEEP | flags);
	return bench;
}

static void receive_psn(struct bench *bench, u32 psn, bool suppress)
{
	const struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW, .psn = psn, .payload = 64,
		.fill = FILL, .kdeth = kdeth_word(1, 0, 0, 4) |
				       (suppress ? KDETH_FLAG_SUPPRESS : 0),
	};

	receive(bench, expected_packet(&args));
}

static void suppressed_packet_is_stored_without_header_or_interrupt(void **state)
{
	struct bench *bench = ready(state, FLOW_SUPPRESS);
	u32 word = CCE_INT_STATUS + SOURCE_RCV_AVAILABLE / 64 * 8;

	receive_psn(bench, PSN, true);
	assert_int_equal(queue_tail(bench), 0);
	assert_pattern(bench_memory(bench, PAGES), FILL, 0, 64);
	assert_int_equal(bench->hfi[0]->counters.suppressed_headers, 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), SEQUENCE + 1);
	assert_true(csr_read(bench->hfi[0], word) == 0);
}

static void sequence_error_is_in_the_flags_and_the_data_in_memory(void **state)
{
	struct bench *bench = ready(state, FLOW_SUPPRESS);

	receive_psn(bench, PSN + 3, true);
	assert_int_equal(RTE(rhf_at(bench, 0)), FLOW_SEQUENCE_ERROR);
	assert_pattern(bench_memory(bench, PAGES), FILL, 0, 64);
	assert_int_equal(bench->hfi[0]->counters.sequence_errors, 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), SEQUENCE);
}

static void generation_error_is_in_the_flags_and_no_data_in_memory(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_psn(bench, PSN - (1 << 11), false);
	assert_int_equal(RTE(rhf_at(bench, 0)), FLOW_GENERATION_ERROR);
	assert_int_equal(*bench_memory(bench, PAGES), 0);
	assert_int_equal(bench->hfi[0]->counters.generation_errors, 1);
	assert_int_equal(bench->hfi[0]->counters.expected_writes, 0);
}

static void suppressed_packet_with_a_tid_error_makes_a_header(void **state)
{
	struct bench *bench = ready(state, FLOW_SUPPRESS);

	bench_tid(bench, 0, 0, 0);
	receive_psn(bench, PSN, true);
	assert_int_equal(queue_tail(bench), 1);
	assert_true(rhf_at(bench, 0) & RHF_TID_ERROR);
}

static void flows_of_the_qp_are_independent(void **state)
{
	struct bench *bench = ready(state, 0);
	const struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW + 1, .psn = PSN, .payload = 64,
		.kdeth = kdeth_word(1, 0, 0, 4),
	};

	/* the row of that one was never written: invalid, and it keeps nothing */
	receive(bench, expected_packet(&args));
	assert_int_equal(queue_tail(bench), 0);
	assert_int_equal(*bench_memory(bench, PAGES), 0);
	assert_int_equal(bench->hfi[0]->counters.generation_errors, 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), SEQUENCE);
}

static void table_is_not_asked_while_it_is_off(void **state)
{
	struct bench *bench = ready(state, 0);

	bench_context(bench, 0);
	csr_write(bench->hfi[0], RCV_CTXT_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	bench_context(bench, 0);
	receive_psn(bench, 7, false);
	assert_int_equal(RTE(rhf_at(bench, 0)), FLOW_OK);
	assert_pattern(bench_memory(bench, PAGES), FILL, 0, 64);
}

static void packet_that_waits_for_room_leaves_the_flow_alone(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 i;

	csr_write(bench->hfi[0], RCV_CTXT_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	bench_context(bench, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK |
		      RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	for (i = 0; i < QUEUE_ENTRIES; i++)
		receive_psn(bench, PSN + i, false);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), SEQUENCE + QUEUE_ENTRIES - 1);
	move_head(bench, 1);
	assert_int_equal(FLOW_SEQUENCE(bench_flow_row(bench)), SEQUENCE + QUEUE_ENTRIES);
	assert_int_equal(bench->hfi[0]->counters.sequence_errors, 0);
}

int main(void)
{
	TEST_LIST tests[] = {
		cmocka_unit_test(right_packet_moves_the_sequence_on),
		cmocka_unit_test(sequence_wraps_within_the_generation),
		cmocka_unit_test(header_is_suppressed_if_packet_and_row_agree),
		cmocka_unit_test(wrong_sequence_is_stored_with_an_error),
		cmocka_unit_test(after_a_sequence_error_the_right_packet_is_one_too),
		cmocka_unit_test(a_packet_that_comes_again_after_an_error_is_not_stored),
		cmocka_unit_test(wrong_generation_is_not_stored),
		cmocka_unit_test(invalid_row_is_a_generation_error),
		cmocka_unit_test(generation_has_20_bits),
		cmocka_unit_test(row_that_does_not_keep_drops_on_a_generation_error),
		BENCH_TEST(suppressed_packet_is_stored_without_header_or_interrupt),
		BENCH_TEST(sequence_error_is_in_the_flags_and_the_data_in_memory),
		BENCH_TEST(generation_error_is_in_the_flags_and_no_data_in_memory),
		BENCH_TEST(suppressed_packet_with_a_tid_error_makes_a_header),
		BENCH_TEST(flows_of_the_qp_are_independent),
		BENCH_TEST(table_is_not_asked_while_it_is_off),
		BENCH_TEST(packet_that_waits_for_room_leaves_the_flow_alone),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
