// SPDX-License-Identifier: GPL-2.0
/*
 * SDMA descriptor chains
 */
#include <string.h>

#include "bench.h"

#define ENGINE		2u
#define RING_SIZE	64u
#define QPN		2u
#define RC_SEND_ONLY	0x04

static void put_le64(u8 *to, u64 value)
{
	memcpy(to, &value, sizeof(value));
}

static u8 *sender_memory(struct bench *bench, u64 address)
{
	return bench->memory[1] + (address - MEMORY);
}

static void engine_write(struct bench *bench, u32 offset, u64 value)
{
	csr_write(bench->hfi[1], offset + KERNEL_STRIDE * ENGINE, value);
}

static u64 engine_read(struct bench *bench, u32 offset)
{
	return csr_read(bench->hfi[1], offset + KERNEL_STRIDE * ENGINE);
}

static struct bench *ready(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	engine_write(bench, SEND_DMA_BASE_ADDR, DMA_RING);
	engine_write(bench, SEND_DMA_LEN_GEN, RING_SIZE / 64 << SEND_DMA_LEN_GEN_LENGTH_SHIFT);
	engine_write(bench, SEND_DMA_HEAD_ADDR, DMA_HEAD);
	engine_write(bench, SEND_DMA_CTRL,
		     SEND_DMA_CTRL_SDMA_ENABLE_SMASK | SEND_DMA_CTRL_SDMA_INT_ENABLE_SMASK);
	return bench;
}

static void put_desc(struct bench *bench, u32 index, u64 address, u32 bytes, u64 flags)
{
	put_le64(sender_memory(bench, DMA_RING + index % RING_SIZE * 16),
		 address | (u64)bytes << 48 | flags);
	put_le64(sender_memory(bench, DMA_RING + index % RING_SIZE * 16 + 8), 0);
}

/* Puts a packet, PBC in front, into the sender's memory. Return: its bytes. */
static u32 put_packet(struct bench *bench, u64 address, u32 psn, u32 length)
{
	struct packet *packet = ib_packet(RC_SEND_ONLY, QPN, psn, length);

	put_le64(sender_memory(bench, address), (length + 8) / 4);
	memcpy(sender_memory(bench, address + 8), packet->data, length);
	packet_free(packet);
	return length + 8;
}

static void tail(struct bench *bench, u32 index)
{
	engine_write(bench, SEND_DMA_TAIL, index % RING_SIZE);
}

/* A packet in one descriptor. */
static void put_simple(struct bench *bench, u32 index, u32 psn)
{
	u64 address = DMA_DATA + index % RING_SIZE * 128;

	put_desc(bench, index, address, put_packet(bench, address, psn, 60),
		 SDMA_DESC_FIRST | SDMA_DESC_LAST);
}

static u64 published_head(struct bench *bench)
{
	return get_le64(sender_memory(bench, DMA_HEAD));
}

static void assert_halted_by(struct bench *bench, u64 error)
{
	assert_true(engine_read(bench, SEND_DMA_ENG_ERR_STATUS) & error);
	assert_true(engine_read(bench, SEND_DMA_STATUS) & SEND_DMA_STATUS_ENG_HALTED_SMASK);
	assert_int_equal(bench->hfi[1]->counters.tx_packets, 0);
	assert_int_not_equal(bench->hfi[1]->counters.protocol_errors, 0);
}

static void packet_in_one_descriptor_is_sent(void **state)
{
	struct bench *bench = ready(state);

	put_simple(bench, 0, 42);
	tail(bench, 1);
	assert_int_equal(queue_tail(bench), 1);
	assert_int_equal(psn_at(bench, 0), 42);
	assert_int_equal(published_head(bench), 1);
	assert_int_equal(engine_read(bench, SEND_DMA_HEAD), 1);
}

static void chain_is_joined(void **state)
{
	struct bench *bench = ready(state);
	u32 bytes = put_packet(bench, DMA_DATA, 1, 200);
	u64 payload = DMA_DATA + 0x1000;

	/* header from one place, payload from two others */
	memcpy(sender_memory(bench, payload), sender_memory(bench, DMA_DATA + 28), 100);
	memcpy(sender_memory(bench, payload + 0x1000), sender_memory(bench, DMA_DATA + 128),
	       bytes - 128);
	memset(sender_memory(bench, DMA_DATA + 28), 0, bytes - 28);
	put_desc(bench, 0, DMA_DATA, 28, SDMA_DESC_FIRST);
	put_desc(bench, 1, payload, 100, 0);
	put_desc(bench, 2, payload + 0x1000, bytes - 128, SDMA_DESC_LAST);
	tail(bench, 3);
	assert_int_equal(queue_tail(bench), 1);
	assert_pattern(bench_memory(bench, EAGER_BUFFERS), RC_SEND_ONLY, 20, 180);
	assert_int_equal(published_head(bench), 3);
}

static void packet_waits_for_its_last_descriptor(void **state)
{
	struct bench *bench = ready(state);
	u32 bytes = put_packet(bench, DMA_DATA, 1, 60);

	put_desc(bench, 0, DMA_DATA, 28, SDMA_DESC_FIRST);
	put_desc(bench, 1, DMA_DATA + 28, bytes - 28, SDMA_DESC_LAST);
	tail(bench, 1);
	assert_int_equal(queue_tail(bench), 0);
	tail(bench, 2);
	assert_int_equal(queue_tail(bench), 1);
}

static void ring_wraps_around(void **state)
{
	struct bench *bench = ready(state);
	u32 i;

	for (i = 0; i < RING_SIZE + 10; i++) {
		put_simple(bench, i, i);
		tail(bench, i + 1);
		move_head(bench, (i + 1) % QUEUE_ENTRIES);
	}
	assert_int_equal(published_head(bench), 10);
	assert_int_equal(bench->hfi[0]->counters.rx_packets, RING_SIZE + 10);
}

static void chain_may_cross_the_end_of_the_ring(void **state)
{
	struct bench *bench = ready(state);
	u32 bytes, i;

	for (i = 0; i < RING_SIZE - 1; i++) {
		put_simple(bench, i, i);
		tail(bench, i + 1);
		move_head(bench, (i + 1) % QUEUE_ENTRIES);
	}
	bytes = put_packet(bench, DMA_DATA, 77, 60);
	put_desc(bench, RING_SIZE - 1, DMA_DATA, 28, SDMA_DESC_FIRST);
	put_desc(bench, RING_SIZE, DMA_DATA + 28, bytes - 28, SDMA_DESC_LAST);
	tail(bench, RING_SIZE + 1);
	assert_int_equal(psn_at(bench, (RING_SIZE - 1) % QUEUE_ENTRIES), 77);
	assert_int_equal(published_head(bench), 1);
}

static void batch_raises_one_interrupt(void **state)
{
	struct bench *bench = ready(state);
	u32 source = SOURCE_SDMA + ENGINE;

	put_simple(bench, 0, 1);
	put_simple(bench, 1, 2);
	tail(bench, 2);
	assert_true(csr_read(bench->hfi[1], CCE_INT_STATUS + source / 64 * 8) &
		    BIT_ULL(source % 64));
	assert_int_equal(queue_tail(bench), 2);
}

static void blocked_wire_stops_the_engine(void **state)
{
	struct bench *bench = ready(state);
	u32 i;

	bench_context(bench, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	for (i = 0; i < QUEUE_ENTRIES + 3; i++)
		put_simple(bench, i, i);
	tail(bench, QUEUE_ENTRIES + 3);
	assert_int_equal(queue_tail(bench), QUEUE_ENTRIES - 1);
	assert_int_equal(published_head(bench), QUEUE_ENTRIES);
	move_head(bench, 10);
	assert_int_equal(published_head(bench), QUEUE_ENTRIES + 3);
	assert_int_equal(psn_at(bench, 2), QUEUE_ENTRIES + 2);
}

static void halted_engine_sends_nothing(void **state)
{
	struct bench *bench = ready(state);

	engine_write(bench, SEND_DMA_CTRL,
		     SEND_DMA_CTRL_SDMA_ENABLE_SMASK | SEND_DMA_CTRL_SDMA_HALT_SMASK);
	put_simple(bench, 0, 1);
	tail(bench, 1);
	assert_int_equal(queue_tail(bench), 0);
	assert_true(engine_read(bench, SEND_DMA_STATUS) & SEND_DMA_STATUS_ENG_HALTED_SMASK);
	engine_write(bench, SEND_DMA_CTRL, SEND_DMA_CTRL_SDMA_ENABLE_SMASK);
	assert_int_equal(queue_tail(bench), 1);
}

static void cleanup_puts_the_head_to_zero(void **state)
{
	struct bench *bench = ready(state);

	put_simple(bench, 0, 1);
	tail(bench, 1);
	engine_write(bench, SEND_DMA_CTRL,
		     SEND_DMA_CTRL_SDMA_CLEANUP_SMASK | SEND_DMA_CTRL_SDMA_HALT_SMASK);
	assert_true(engine_read(bench, SEND_DMA_STATUS) & SEND_DMA_STATUS_ENG_CLEANED_UP_SMASK);
	assert_int_equal(published_head(bench), 0);
}

static void descriptor_outside_memory_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);

	put_desc(bench, 0, MEMORY + MEMORY_SIZE - 8, 64, SDMA_DESC_FIRST | SDMA_DESC_LAST);
	tail(bench, 1);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_MEM_READ_ERR_SMASK);
}

static void ring_outside_memory_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);

	engine_write(bench, SEND_DMA_BASE_ADDR, MEMORY + MEMORY_SIZE - 512);
	tail(bench, 1);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_MEM_READ_ERR_SMASK);
}

static void tail_outside_the_ring_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);

	engine_write(bench, SEND_DMA_TAIL, RING_SIZE);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_TAIL_OUT_OF_BOUNDS_ERR_SMASK);
}

static void chain_without_a_first_descriptor_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);

	put_desc(bench, 0, DMA_DATA, put_packet(bench, DMA_DATA, 1, 60), SDMA_DESC_LAST);
	tail(bench, 1);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_FIRST_DESC_ERR_SMASK);
}

static void oversized_packet_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);

	put_desc(bench, 0, DMA_DATA, 0x3fff, SDMA_DESC_FIRST);
	put_desc(bench, 1, DMA_DATA, 0x3fff, SDMA_DESC_LAST);
	tail(bench, 2);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_TOO_LONG_ERR_SMASK);
}

static void pbc_longer_than_the_chain_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);
	u32 bytes = put_packet(bench, DMA_DATA, 1, 60);

	put_desc(bench, 0, DMA_DATA, bytes - 4, SDMA_DESC_FIRST | SDMA_DESC_LAST);
	tail(bench, 1);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_LENGTH_MISMATCH_ERR_SMASK);
}

static void endless_chain_halts_the_engine(void **state)
{
	struct bench *bench = ready(state);
	u32 i;

	engine_write(bench, SEND_DMA_LEN_GEN, 4u << SEND_DMA_LEN_GEN_LENGTH_SHIFT);
	for (i = 0; i < 250; i++) {
		put_le64(sender_memory(bench, DMA_RING + i * 16),
			 DMA_DATA | 1ULL << 48 | (i ? 0 : SDMA_DESC_FIRST));
		put_le64(sender_memory(bench, DMA_RING + i * 16 + 8), 0);
	}
	engine_write(bench, SEND_DMA_TAIL, 250);
	assert_halted_by(bench, SEND_DMA_ENG_ERR_STATUS_SDMA_PACKET_DESC_OVERFLOW_ERR_SMASK);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(packet_in_one_descriptor_is_sent),
		BENCH_TEST(chain_is_joined),
		BENCH_TEST(packet_waits_for_its_last_descriptor),
		BENCH_TEST(ring_wraps_around),
		BENCH_TEST(chain_may_cross_the_end_of_the_ring),
		BENCH_TEST(batch_raises_one_interrupt),
		BENCH_TEST(blocked_wire_stops_the_engine),
		BENCH_TEST(halted_engine_sends_nothing),
		BENCH_TEST(cleanup_puts_the_head_to_zero),
		BENCH_TEST(descriptor_outside_memory_halts_the_engine),
		BENCH_TEST(ring_outside_memory_halts_the_engine),
		BENCH_TEST(tail_outside_the_ring_halts_the_engine),
		BENCH_TEST(chain_without_a_first_descriptor_halts_the_engine),
		BENCH_TEST(oversized_packet_halts_the_engine),
		BENCH_TEST(pbc_longer_than_the_chain_halts_the_engine),
		BENCH_TEST(endless_chain_halts_the_engine),
	};

	return cmocka_run_group_tests_name("sdma", tests, NULL, NULL);
}
