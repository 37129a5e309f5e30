// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt block
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench.h"

#define SOURCE		(SOURCE_RCV_AVAILABLE + CONTEXT)
#define WORD		(SOURCE / 64 * 8)
#define BIT_OF_SOURCE	BIT_ULL(SOURCE % 64)
#define VECTOR		9u

/* An eventfd for a vector; it stays the HFI's. */
static int vector_fd(struct hfi *hfi, unsigned int vector)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	assert_true(fd >= 0);
	interrupt_set_eventfd(hfi, vector, fd);
	return fd;
}

/* Signals since the last look. */
static u64 signals(int fd)
{
	u64 count;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static void mask(struct hfi *hfi, bool on)
{
	csr_write(hfi, CCE_INT_MASK + WORD, on ? BIT_OF_SOURCE : 0);
}

static void clear(struct hfi *hfi)
{
	csr_write(hfi, CCE_INT_CLEAR + WORD, BIT_OF_SOURCE);
}

static u64 status(struct hfi *hfi)
{
	return csr_read(hfi, CCE_INT_STATUS + WORD) & BIT_OF_SOURCE;
}

/* HFI 0 with SOURCE mapped to VECTOR and enabled. */
static struct hfi *ready(void **state, int *fd)
{
	struct bench *bench = *state;
	struct hfi *hfi = bench->hfi[0];

	csr_write(hfi, CCE_INT_MAP + SOURCE / 8 * 8, (u64)VECTOR << SOURCE % 8 * 8);
	mask(hfi, true);
	*fd = vector_fd(hfi, VECTOR);
	return hfi;
}

static void change_from_0_to_1_fires_once(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	interrupt_raise(hfi, SOURCE);
	interrupt_raise(hfi, SOURCE);
	assert_int_equal(signals(fd), 1);
	assert_true(status(hfi));
	assert_int_equal(hfi->counters.interrupts, 1);
}

static void clear_lets_it_fire_again(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	interrupt_raise(hfi, SOURCE);
	clear(hfi);
	assert_false(status(hfi));
	interrupt_raise(hfi, SOURCE);
	assert_int_equal(signals(fd), 2);
}

static void masked_source_sets_status_and_stays_silent(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	mask(hfi, false);
	interrupt_raise(hfi, SOURCE);
	assert_true(status(hfi));
	assert_int_equal(signals(fd), 0);
}

static void unmasking_a_pending_source_fires(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	mask(hfi, false);
	interrupt_raise(hfi, SOURCE);
	mask(hfi, true);
	assert_int_equal(signals(fd), 1);
	mask(hfi, true);
	assert_int_equal(signals(fd), 0);
}

static void clear_while_masked_leaves_nothing_pending(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	mask(hfi, false);
	interrupt_raise(hfi, SOURCE);
	clear(hfi);
	mask(hfi, true);
	assert_int_equal(signals(fd), 0);
}

static void force_raises(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	csr_write(hfi, CCE_INT_FORCE + WORD, BIT_OF_SOURCE);
	assert_int_equal(signals(fd), 1);
	assert_true(status(hfi));
}

static void status_cannot_be_written(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	csr_write(hfi, CCE_INT_STATUS + WORD, BIT_OF_SOURCE);
	assert_false(status(hfi));
	interrupt_raise(hfi, SOURCE);
	csr_write(hfi, CCE_INT_STATUS + WORD, 0);
	assert_true(status(hfi));
}

static void map_chooses_the_vector(void **state)
{
	int fd, other;
	struct hfi *hfi = ready(state, &fd);

	other = vector_fd(hfi, 200);
	csr_write(hfi, CCE_INT_MAP + SOURCE / 8 * 8, 200ULL << SOURCE % 8 * 8);
	interrupt_raise(hfi, SOURCE);
	assert_int_equal(signals(fd), 0);
	assert_int_equal(signals(other), 1);
}

static void each_source_of_a_word_has_its_own_bit(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	interrupt_raise(hfi, SOURCE + 1);
	assert_false(status(hfi));
	assert_int_equal(signals(fd), 0);
	assert_true(csr_read(hfi, CCE_INT_STATUS + WORD) & BIT_OF_SOURCE << 1);
}

static void vector_without_eventfd_is_harmless(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	interrupt_set_eventfd(hfi, VECTOR, -1);
	interrupt_raise(hfi, SOURCE);
	assert_true(status(hfi));
	assert_int_equal(hfi->counters.interrupts, 0);
}

static void error_source_follows_its_flags(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);
	const u64 bit = BIT_ULL(SOURCE_SDMA_ERROR);
	u64 flag = SEND_DMA_ENG_ERR_STATUS_SDMA_HALT_ERR_SMASK;

	csr_set(hfi, SEND_DMA_ENG_ERR_STATUS, flag);
	interrupt_levels(hfi);
	assert_false(csr_read(hfi, CCE_INT_STATUS) & bit);
	csr_write(hfi, SEND_DMA_ENG_ERR_MASK, flag);
	assert_true(csr_read(hfi, CCE_INT_STATUS) & bit);
	/* the cause is still there: clearing the source raises it again */
	csr_write(hfi, CCE_INT_CLEAR, bit);
	assert_true(csr_read(hfi, CCE_INT_STATUS) & bit);
	csr_write(hfi, SEND_DMA_ENG_ERR_CLEAR, flag);
	csr_write(hfi, CCE_INT_CLEAR, bit);
	assert_false(csr_read(hfi, CCE_INT_STATUS) & bit);
}

static void highest_source_is_in_range(void **state)
{
	int fd;
	struct hfi *hfi = ready(state, &fd);

	csr_write(hfi, CCE_INT_FORCE + 8 * (INTERRUPT_WORDS - 1), BIT_ULL(63));
	assert_true(csr_read(hfi, CCE_INT_STATUS + 8 * (INTERRUPT_WORDS - 1)) == BIT_ULL(63));
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(change_from_0_to_1_fires_once),
		BENCH_TEST(clear_lets_it_fire_again),
		BENCH_TEST(masked_source_sets_status_and_stays_silent),
		BENCH_TEST(unmasking_a_pending_source_fires),
		BENCH_TEST(clear_while_masked_leaves_nothing_pending),
		BENCH_TEST(force_raises),
		BENCH_TEST(status_cannot_be_written),
		BENCH_TEST(map_chooses_the_vector),
		BENCH_TEST(each_source_of_a_word_has_its_own_bit),
		BENCH_TEST(vector_without_eventfd_is_harmless),
		BENCH_TEST(error_source_follows_its_flags),
		BENCH_TEST(highest_source_is_in_range),
	};

	return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
