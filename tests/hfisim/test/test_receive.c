// SPDX-License-Identifier: GPL-2.0
/*
 * Receive header flags, and where header and payload are placed
 */
#include "bench.h"

#define QPN		2u
#define RC_SEND_ONLY	0x04
#define RC_HEADER	20u
#define RHF_LENGTH(rhf)		((u32)(rhf) & 0xfff)
#define RHF_TYPE(rhf)		((u32)((rhf) >> RHF_TYPE_SHIFT) & 7)
#define RHF_SEQUENCE(rhf)	((u32)((rhf) >> RHF_SEQUENCE_SHIFT) & 0xf)
#define RHF_EAGER_INDEX(rhf)	((u32)((rhf) >> RHF_EAGER_INDEX_SHIFT) & 0x7ff)
#define RHF_EAGER_OFFSET(rhf)	((u32)((rhf) >> RHF_EAGER_OFFSET_SHIFT) & 0xfff)
#define RHF_HEADER_OFFSET(rhf)	((u32)((rhf) >> RHF_HEADER_OFFSET_SHIFT) & 0x1ff)
#define RHF_ERRORS(rhf)		((rhf) >> 53)

static struct bench *ready(void **state, u64 control)
{
	struct bench *bench = *state;

	bench_context(bench, control);
	return bench;
}

static void receive_ib(struct bench *bench, u32 psn, u32 payload)
{
	receive(bench, ib_packet(RC_SEND_ONLY, QPN, psn, RC_HEADER + payload));
}

static bool available(struct bench *bench)
{
	u32 word = CCE_INT_STATUS + SOURCE_RCV_AVAILABLE / 64 * 8;

	return csr_read(bench->hfi[0], word) & BIT_ULL((SOURCE_RCV_AVAILABLE + CONTEXT) % 64);
}

static void header_ends_where_the_flags_begin(void **state)
{
	struct bench *bench = ready(state, 0);
	struct packet *packet = ib_packet(RC_SEND_ONLY, QPN, 1, RC_HEADER + 100);

	fabric_arrive(bench->hfi[0], packet);
	assert_int_equal(RHF_HEADER_OFFSET(rhf_at(bench, 0)), ENTRY_DWORDS - 2 - RC_HEADER / 4);
	assert_memory_equal(header_at(bench, 0), packet->data, RC_HEADER);
	packet_free(packet);
}

static void length_includes_the_icrc(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 100);
	assert_int_equal(RHF_LENGTH(rhf_at(bench, 0)), (RC_HEADER + 100 + 4) / 4);
	assert_int_equal(RHF_ERRORS(rhf_at(bench, 0)), 0);
}

static void type_says_how_the_packet_came(void **state)
{
	struct bench *bench = ready(state, 0);
	const struct expected_args args = {
		.opcode = OPCODE_TID_READ_REQ, .psn = 1, .payload = 0,
	};

	receive_ib(bench, 1, 0);
	receive(bench, expected_packet(&args));
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	assert_int_equal(RHF_TYPE(rhf_at(bench, 0)), RHF_IB);
	assert_int_equal(RHF_TYPE(rhf_at(bench, 1)), RHF_EAGER);
	assert_int_equal(RHF_TYPE(rhf_at(bench, 2)), RHF_EXPECTED);
}

static void sequence_runs_from_1_to_13(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 i;

	for (i = 0; i < 14; i++)
		receive_ib(bench, i, 0);
	assert_int_equal(RHF_SEQUENCE(rhf_at(bench, 0)), 1);
	assert_int_equal(RHF_SEQUENCE(rhf_at(bench, 12)), 13);
	assert_int_equal(RHF_SEQUENCE(rhf_at(bench, 13)), 1);
}

static void sequence_starts_anew_when_the_context_is_enabled(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 0);
	csr_write(bench->hfi[0], RCV_CTXT_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	bench_context(bench, 0);
	assert_int_equal(queue_tail(bench), 0);
	receive_ib(bench, 2, 0);
	assert_int_equal(RHF_SEQUENCE(rhf_at(bench, 0)), 1);
}

static void packet_without_payload_takes_no_eager_buffer(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 0);
	assert_false(rhf_at(bench, 0) & RHF_USE_EAGER);
}

static void payload_goes_to_the_eager_buffer(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 100);
	assert_true(rhf_at(bench, 0) & RHF_USE_EAGER);
	assert_int_equal(RHF_EAGER_INDEX(rhf_at(bench, 0)), 0);
	assert_int_equal(RHF_EAGER_OFFSET(rhf_at(bench, 0)), 0);
	assert_pattern(bench_memory(bench, EAGER_BUFFERS), RC_SEND_ONLY, RC_HEADER, 100);
}

static void next_packet_starts_at_a_64_byte_step(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 60);	/* with the ICRC exactly one step */
	receive_ib(bench, 2, 64);
	receive_ib(bench, 3, 4);
	assert_int_equal(RHF_EAGER_OFFSET(rhf_at(bench, 1)), 1);
	assert_int_equal(RHF_EAGER_OFFSET(rhf_at(bench, 2)), 3);
	assert_pattern(bench_memory(bench, EAGER_BUFFERS + 64), RC_SEND_ONLY, RC_HEADER, 64);
}

static void packet_that_does_not_fit_goes_to_the_next_buffer(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 3000);
	receive_ib(bench, 2, 2000);
	assert_int_equal(RHF_EAGER_INDEX(rhf_at(bench, 1)), 1);
	assert_int_equal(RHF_EAGER_OFFSET(rhf_at(bench, 1)), 0);
	assert_pattern(bench_memory(bench, EAGER_BUFFERS + EAGER_SIZE), RC_SEND_ONLY,
		       RC_HEADER, 2000);
}

static void one_packet_a_buffer_when_asked_for(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_ONE_PACKET_PER_EGR_BUFFER_SMASK);

	receive_ib(bench, 1, 4);
	receive_ib(bench, 2, 4);
	assert_int_equal(RHF_EAGER_INDEX(rhf_at(bench, 1)), 1);
}

static void full_eager_buffers_drop(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 i;

	for (i = 0; i < EAGER_COUNT; i++)
		receive_ib(bench, i, 4000);
	assert_int_equal(queue_tail(bench), EAGER_COUNT - 1);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 1);
}

static void full_eager_buffers_stall_when_they_must_not_drop(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_DONT_DROP_EGR_FULL_SMASK);
	u32 i;

	for (i = 0; i < EAGER_COUNT + 1; i++)
		receive_ib(bench, i, 4000);
	assert_int_equal(queue_tail(bench), EAGER_COUNT - 1);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 0);
	assert_int_equal(bench->hfi[0]->counters.stalls, 1);
	csr_write(bench->hfi[0], RCV_EGR_INDEX_HEAD + USER_STRIDE * CONTEXT, 3);
	assert_int_equal(queue_tail(bench), EAGER_COUNT + 1);
	assert_int_equal(psn_at(bench, EAGER_COUNT), EAGER_COUNT);
}

static void packet_with_room_does_not_overtake_one_without(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_DONT_DROP_EGR_FULL_SMASK);
	u32 i;

	for (i = 0; i < EAGER_COUNT; i++)
		receive_ib(bench, i, 4000);
	receive_ib(bench, EAGER_COUNT, 0);
	assert_int_equal(queue_tail(bench), EAGER_COUNT - 1);
	csr_write(bench->hfi[0], RCV_EGR_INDEX_HEAD + USER_STRIDE * CONTEXT, 3);
	assert_int_equal(queue_tail(bench), EAGER_COUNT + 1);
	assert_int_equal(psn_at(bench, EAGER_COUNT - 1), EAGER_COUNT - 1);
	assert_int_equal(psn_at(bench, EAGER_COUNT), EAGER_COUNT);
}

static void full_header_queue_drops(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 i;

	for (i = 0; i < QUEUE_ENTRIES + 5; i++)
		receive_ib(bench, i, 0);
	assert_int_equal(queue_tail(bench), QUEUE_ENTRIES - 1);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 6);
}

static void full_header_queue_stalls_when_it_must_not_drop(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	u32 i;

	for (i = 0; i < QUEUE_ENTRIES + 5; i++)
		receive_ib(bench, i, 0);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 0);
	move_head(bench, 2);
	assert_int_equal(queue_tail(bench), 1);
	move_head(bench, 20);
	assert_int_equal(queue_tail(bench), 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(psn_at(bench, i), QUEUE_ENTRIES + i);
}

static void tail_is_written_to_memory_when_asked_for(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_TAIL_UPD_SMASK);

	receive_ib(bench, 1, 0);
	assert_int_equal(get_le64(bench_memory(bench, HEADER_TAIL)), ENTRY_DWORDS);
}

static void arrival_raises_the_interrupt(void **state)
{
	struct bench *bench = ready(state, 0);

	assert_false(available(bench));
	receive_ib(bench, 1, 0);
	assert_true(available(bench));
}

static void head_short_of_the_tail_raises_the_interrupt_again(void **state)
{
	struct bench *bench = ready(state, 0);
	u32 word = SOURCE_RCV_AVAILABLE / 64 * 8;

	receive_ib(bench, 1, 0);
	receive_ib(bench, 2, 0);
	csr_write(bench->hfi[0], CCE_INT_CLEAR + word, ~0ULL);
	move_head(bench, 1);
	assert_true(available(bench));
	csr_write(bench->hfi[0], CCE_INT_CLEAR + word, ~0ULL);
	move_head(bench, 2);
	assert_false(available(bench));
}

static void disabled_context_takes_nothing(void **state)
{
	struct bench *bench = ready(state, 0);

	csr_write(bench->hfi[0], RCV_CTXT_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	receive_ib(bench, 1, 0);
	assert_int_equal(queue_tail(bench), 0);
	assert_false(available(bench));
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 1);
}

static void disabled_port_takes_nothing(void **state)
{
	struct bench *bench = ready(state, 0);

	csr_write(bench->hfi[0], RCV_CTRL, 0);
	receive_ib(bench, 1, 0);
	assert_int_equal(queue_tail(bench), 0);
}

static void sc_bit_4_is_in_the_flags(void **state)
{
	struct bench *bench = ready(state, 0);
	struct packet *packet = ib_packet(RC_SEND_ONLY, QPN, 1, RC_HEADER);

	packet->pbc |= PBC_FLAG_DC_INFO;
	packet_parse(packet, KDETH_PREFIX);
	receive(bench, packet);
	receive_ib(bench, 2, 0);
	assert_true(rhf_at(bench, 0) & RHF_DC_INFO);
	assert_false(rhf_at(bench, 1) & RHF_DC_INFO);
}

static void vl15_and_multicast_have_contexts_of_their_own(void **state)
{
	struct bench *bench = ready(state, 0);
	struct packet *packet = ib_packet(0x64, 0, 1, 60);

	csr_write(bench->hfi[0], RCV_VL15, 1);
	csr_write(bench->hfi[0], RCV_MULTICAST, 7);
	packet->data[0] = 15 << 4;
	packet_parse(packet, KDETH_PREFIX);
	assert_int_equal(receive_context_of(bench->hfi[0], packet), 1);
	packet->data[0] = 0;
	packet->data[2] = 0xc0;
	packet_parse(packet, KDETH_PREFIX);
	assert_int_equal(receive_context_of(bench->hfi[0], packet), 7);
	packet->data[2] = 0xff;
	packet->data[3] = 0xff;
	packet_parse(packet, KDETH_PREFIX);
	assert_int_equal(packet->route, KIND_EAGER);
	packet_free(packet);
}

static void kdeth_context_that_does_not_exist_is_no_context(void **state)
{
	struct bench *bench = ready(state, 0);
	const struct expected_args args = { .opcode = OPCODE_TID_READ_REQ, .psn = 1 };
	struct packet *packet = expected_packet(&args);

	packet->data[15] = 255;
	packet_parse(packet, KDETH_PREFIX);
	assert_int_equal(packet->route, KIND_KDETH_EAGER);
	assert_true(receive_context_of(bench->hfi[0], packet) < 0);
	receive(bench, packet);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 1);
}

/* What is in the header queue after a packet with a job key. */
static u32 received_with(struct bench *bench, u16 key)
{
	const struct expected_args args = { .opcode = OPCODE_TID_ACK, .psn = 1 };
	struct packet *packet = expected_packet(&args);

	packet->data[24] = (u8)key;
	packet->data[25] = (u8)(key >> 8);
	receive(bench, packet);
	return queue_tail(bench);
}

static void wrong_job_key_drops_where_one_is_wanted(void **state)
{
	struct bench *bench = ready(state, 0);

	assert_int_equal(received_with(bench, 0x21), 1);
	csr_write(bench->hfi[0], RCV_KEY_CTRL + KERNEL_STRIDE * CONTEXT,
		  RCV_KEY_CTRL_JOB_KEY_ENABLE_SMASK | 0x120);
	assert_int_equal(received_with(bench, 0x120), 2);
	assert_int_equal(received_with(bench, 0x121), 2);
	assert_int_equal(received_with(bench, 0x20), 2);
	assert_int_equal(bench->hfi[0]->counters.job_key_errors, 2);
	receive_ib(bench, 1, 0);
	assert_int_equal(queue_tail(bench), 3);
}

static void header_queue_outside_memory_drops(void **state)
{
	struct bench *bench = ready(state, 0);

	csr_write(bench->hfi[0], RCV_HDR_ADDR + KERNEL_STRIDE * CONTEXT,
		  MEMORY + MEMORY_SIZE - 64);
	receive_ib(bench, 1, 0);
	assert_int_equal(queue_tail(bench), 0);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 1);
	assert_int_equal(bench->hfi[0]->counters.protocol_errors, 1);
}

static void eager_buffer_outside_memory_drops(void **state)
{
	struct bench *bench = ready(state, 0);

	csr_write(bench->hfi[0], RCV_ARRAY + 8 * EAGER_FIRST,
		  RCV_ARRAY_RT_WRITE_ENABLE_SMASK | 1ULL << RCV_ARRAY_RT_BUF_SIZE_SHIFT |
		  (MEMORY + MEMORY_SIZE) >> 12);
	receive_ib(bench, 1, 64);
	assert_int_equal(queue_tail(bench), 0);
	assert_int_equal(bench->hfi[0]->counters.protocol_errors, 1);
}

static void packet_larger_than_an_eager_buffer_drops(void **state)
{
	struct bench *bench = ready(state, 0);

	receive_ib(bench, 1, 5000);
	assert_int_equal(queue_tail(bench), 0);
	assert_int_equal(bench->hfi[0]->counters.rx_dropped, 1);
	receive_ib(bench, 2, 64);
	assert_int_equal(queue_tail(bench), 1);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(header_ends_where_the_flags_begin),
		BENCH_TEST(length_includes_the_icrc),
		BENCH_TEST(type_says_how_the_packet_came),
		BENCH_TEST(sequence_runs_from_1_to_13),
		BENCH_TEST(sequence_starts_anew_when_the_context_is_enabled),
		BENCH_TEST(packet_without_payload_takes_no_eager_buffer),
		BENCH_TEST(payload_goes_to_the_eager_buffer),
		BENCH_TEST(next_packet_starts_at_a_64_byte_step),
		BENCH_TEST(packet_that_does_not_fit_goes_to_the_next_buffer),
		BENCH_TEST(one_packet_a_buffer_when_asked_for),
		BENCH_TEST(full_eager_buffers_drop),
		BENCH_TEST(full_eager_buffers_stall_when_they_must_not_drop),
		BENCH_TEST(packet_with_room_does_not_overtake_one_without),
		BENCH_TEST(full_header_queue_drops),
		BENCH_TEST(full_header_queue_stalls_when_it_must_not_drop),
		BENCH_TEST(tail_is_written_to_memory_when_asked_for),
		BENCH_TEST(arrival_raises_the_interrupt),
		BENCH_TEST(head_short_of_the_tail_raises_the_interrupt_again),
		BENCH_TEST(disabled_context_takes_nothing),
		BENCH_TEST(disabled_port_takes_nothing),
		BENCH_TEST(sc_bit_4_is_in_the_flags),
		BENCH_TEST(vl15_and_multicast_have_contexts_of_their_own),
		BENCH_TEST(kdeth_context_that_does_not_exist_is_no_context),
		BENCH_TEST(wrong_job_key_drops_where_one_is_wanted),
		BENCH_TEST(header_queue_outside_memory_drops),
		BENCH_TEST(eager_buffer_outside_memory_drops),
		BENCH_TEST(packet_larger_than_an_eager_buffer_drops),
	};

	return cmocka_run_group_tests_name("receive", tests, NULL, NULL);
}
