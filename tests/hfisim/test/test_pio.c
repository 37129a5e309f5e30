// SPDX-License-Identifier: GPL-2.0
/*
 * PIO block assembly and credit return
 */
#include <string.h>

#include "bench.h"

#define SENDER		5u		/* send context of HFI 1 */
#define DEPTH		16u		/* its blocks */
#define QPN		2u
#define RC_SEND_ONLY	0x04

static struct hfi *ready(void **state)
{
	struct bench *bench = *state;
	struct hfi *hfi = bench->hfi[1];

	bench_context(bench, 0);
	csr_write(hfi, SEND_CTXT_CREDIT_RETURN_ADDR + KERNEL_STRIDE * SENDER, CREDITS);
	csr_write(hfi, SEND_CTXT_CTRL + KERNEL_STRIDE * SENDER,
		  (u64)DEPTH << SEND_CTXT_CTRL_CTXT_DEPTH_SHIFT |
		  SEND_CTXT_CTRL_CTXT_ENABLE_SMASK);
	return hfi;
}

/* A packet of so many bytes from the LRH on, as blocks with its PBC in front. */
static u32 make_blocks(u8 *blocks, u32 psn, u32 length, u64 pbc)
{
	struct packet *packet = ib_packet(RC_SEND_ONLY, QPN, psn, length);
	u32 bytes = length + 8;

	pbc |= bytes / 4;
	memcpy(blocks, &pbc, 8);
	memcpy(blocks + 8, packet->data, length);
	packet_free(packet);
	return (bytes + PIO_BLOCK - 1) / PIO_BLOCK;
}

static void write_block(struct hfi *hfi, u32 block, const u8 *data, bool start)
{
	u32 i;

	for (i = 0; i < PIO_BLOCK; i += 8)
		assert_int_equal(bar_write(hfi, PIO_BASE + (start ? PIO_SOP_DISTANCE : 0) +
					   SENDER * PIO_CONTEXT_SIZE +
					   block % DEPTH * PIO_BLOCK + i, data + i, 8), 0);
}

/* Writes a whole packet from a block on. Return: blocks. */
static u32 write_packet(struct hfi *hfi, u32 block, u32 psn, u32 length, u64 pbc)
{
	u8 data[16 * PIO_BLOCK] = { 0 };
	u32 blocks = make_blocks(data, psn, length, pbc);
	u32 i;

	for (i = 0; i < blocks; i++)
		write_block(hfi, block + i, data + i * PIO_BLOCK, !i);
	return blocks;
}

static u32 credits(struct bench *bench)
{
	return get_le64(bench->memory[1] + (CREDITS - MEMORY) + (SENDER & 7) * 8) &
	       CREDIT_COUNT_MASK;
}

static u64 credit_word(struct bench *bench)
{
	return get_le64(bench->memory[1] + (CREDITS - MEMORY) + (SENDER & 7) * 8);
}

static void packet_of_one_block_is_sent(void **state)
{
	struct hfi *hfi = ready(state);

	write_packet(hfi, 0, 42, 40, 0);
	assert_int_equal(queue_tail(*state), 1);
	assert_int_equal(psn_at(*state, 0), 42);
	assert_int_equal(hfi->counters.tx_packets, 1);
}

static void packet_waits_for_its_last_byte(void **state)
{
	struct hfi *hfi = ready(state);
	u8 data[4 * PIO_BLOCK] = { 0 };

	assert_int_equal(make_blocks(data, 1, 180, 0), 3);
	write_block(hfi, 0, data, true);
	write_block(hfi, 1, data + PIO_BLOCK, false);
	assert_int_equal(queue_tail(*state), 0);
	write_block(hfi, 2, data + 2 * PIO_BLOCK, false);
	assert_int_equal(queue_tail(*state), 1);
}

static void blocks_may_come_in_any_order(void **state)
{
	struct hfi *hfi = ready(state);
	u8 data[4 * PIO_BLOCK] = { 0 };

	make_blocks(data, 1, 180, 0);
	write_block(hfi, 2, data + 2 * PIO_BLOCK, false);
	write_block(hfi, 1, data + PIO_BLOCK, false);
	assert_int_equal(queue_tail(*state), 0);
	write_block(hfi, 0, data, true);
	assert_int_equal(queue_tail(*state), 1);
	assert_pattern(bench_memory(*state, EAGER_BUFFERS), RC_SEND_ONLY, 20, 160);
}

static void second_packet_waits_for_the_first(void **state)
{
	struct hfi *hfi = ready(state);
	u8 data[PIO_BLOCK] = { 0 };

	make_blocks(data, 1, 40, 0);
	write_packet(hfi, 1, 2, 40, 0);
	assert_int_equal(queue_tail(*state), 0);
	write_block(hfi, 0, data, true);
	assert_int_equal(queue_tail(*state), 2);
	assert_int_equal(psn_at(*state, 0), 1);
	assert_int_equal(psn_at(*state, 1), 2);
}

static void packet_wraps_around_the_end_of_the_context(void **state)
{
	struct hfi *hfi = ready(state);
	u32 block = 0;

	while (block < DEPTH - 1)
		block += write_packet(hfi, block, block, 40, 0);
	write_packet(hfi, block, 99, 180, 0);
	assert_int_equal(queue_tail(*state), DEPTH);
	assert_int_equal(psn_at(*state, DEPTH - 1), 99);
	assert_pattern(payload_at(*state, DEPTH - 1), RC_SEND_ONLY, 20, 160);
}

static void blocks_sent_come_back_as_credits(void **state)
{
	struct hfi *hfi = ready(state);

	write_packet(hfi, 0, 1, 40, 0);
	assert_int_equal(credits(*state), 1);
	write_packet(hfi, 1, 2, 180, 0);
	assert_int_equal(credits(*state), 4);
	assert_int_equal(csr_read(hfi, SEND_CTXT_CREDIT_STATUS + KERNEL_STRIDE * SENDER) &
			 CREDIT_COUNT_MASK, 4);
}

static void pbc_may_ask_for_a_credit_return(void **state)
{
	struct hfi *hfi = ready(state);

	write_packet(hfi, 0, 1, 40, 0);
	assert_false(credit_word(*state) & CREDIT_DUE_TO_PBC);
	write_packet(hfi, 1, 2, 40, PBC_FLAG_CREDIT_RETURN);
	assert_true(credit_word(*state) & CREDIT_DUE_TO_PBC);
}

static void force_returns_credits(void **state)
{
	struct hfi *hfi = ready(state);

	csr_write(hfi, SEND_CTXT_CREDIT_FORCE + KERNEL_STRIDE * SENDER,
		  SEND_CTXT_CREDIT_FORCE_FORCE_RETURN_SMASK);
	assert_int_equal(credit_word(*state), CREDIT_DUE_TO_FORCE);
}

static void credit_interrupt_comes_only_when_asked_for(void **state)
{
	struct hfi *hfi = ready(state);
	u32 source = SOURCE_SEND_CREDIT + SENDER;
	u32 word = CCE_INT_STATUS + source / 64 * 8;

	write_packet(hfi, 0, 1, 40, 0);
	assert_false(csr_read(hfi, word) & BIT_ULL(source % 64));
	csr_write(hfi, SEND_CTXT_CREDIT_CTRL + KERNEL_STRIDE * SENDER,
		  SEND_CTXT_CREDIT_CTRL_CREDIT_INTR_SMASK);
	write_packet(hfi, 1, 2, 40, 0);
	assert_true(csr_read(hfi, word) & BIT_ULL(source % 64));
}

static void blocked_wire_keeps_the_credits(void **state)
{
	struct bench *bench = *state;
	struct hfi *hfi = ready(state);
	u32 i;

	bench_context(bench, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	for (i = 0; i < QUEUE_ENTRIES + 3; i++)
		write_packet(hfi, i, i, 20, 0);
	assert_int_equal(queue_tail(bench), QUEUE_ENTRIES - 1);
	assert_int_equal(credits(bench), QUEUE_ENTRIES);
	move_head(bench, 10);
	assert_int_equal(credits(bench), QUEUE_ENTRIES + 3);
	assert_int_equal(psn_at(bench, 2), QUEUE_ENTRIES + 2);
}

static void disabled_context_sends_nothing(void **state)
{
	struct hfi *hfi = ready(state);

	csr_write(hfi, SEND_CTXT_CTRL + KERNEL_STRIDE * SENDER,
		  (u64)DEPTH << SEND_CTXT_CTRL_CTXT_DEPTH_SHIFT);
	write_packet(hfi, 0, 1, 40, 0);
	assert_int_equal(hfi->counters.tx_packets, 0);
}

static void oversized_packet_stops_the_context(void **state)
{
	struct hfi *hfi = ready(state);
	u8 data[PIO_BLOCK] = { 0xff, 0x0f };

	write_block(hfi, 0, data, true);
	assert_int_equal(hfi->counters.tx_packets, 0);
	assert_int_equal(hfi->counters.protocol_errors, 1);
	assert_true(csr_read(hfi, SEND_CTXT_STATUS + KERNEL_STRIDE * SENDER) &
		    SEND_CTXT_STATUS_CTXT_HALTED_SMASK);
}

static void write_behind_the_last_context_is_refused(void **state)
{
	struct hfi *hfi = ready(state);
	u8 data[8] = { 0 };

	bar_write(hfi, PIO_BASE + hfi->config.send_contexts * PIO_CONTEXT_SIZE, data, 8);
	assert_int_equal(hfi->counters.protocol_errors, 1);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(packet_of_one_block_is_sent),
		BENCH_TEST(packet_waits_for_its_last_byte),
		BENCH_TEST(blocks_may_come_in_any_order),
		BENCH_TEST(second_packet_waits_for_the_first),
		BENCH_TEST(packet_wraps_around_the_end_of_the_context),
		BENCH_TEST(blocks_sent_come_back_as_credits),
		BENCH_TEST(pbc_may_ask_for_a_credit_return),
		BENCH_TEST(force_returns_credits),
		BENCH_TEST(credit_interrupt_comes_only_when_asked_for),
		BENCH_TEST(blocked_wire_keeps_the_credits),
		BENCH_TEST(disabled_context_sends_nothing),
		BENCH_TEST(oversized_packet_stops_the_context),
		BENCH_TEST(write_behind_the_last_context_is_refused),
	};

	return cmocka_run_group_tests_name("pio", tests, NULL, NULL);
}
