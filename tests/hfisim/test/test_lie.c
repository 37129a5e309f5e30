// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that lie
 */
#include <string.h>

#include "bench.h"

#define LIES		400u
#define GENERATION	0x123u
#define SEQUENCE	5u
#define PSN		(GENERATION << 11 | SEQUENCE)
#define FLOW_FLAGS	(FLOW_VALID | FLOW_KEEP_AFTER_SEQ_ERR | FLOW_KEEP_ON_GEN_ERR)
#define VERBS_QP(header)	get_be32((header) + 52)
#define KDETH(header)		get_le32((header) + 20)

static const struct lie_ranges nobody = { { { 0x800000, 0x80ffff } }, 1 };

static struct bench *ready(void **state, u64 control)
{
	struct bench *bench = *state;

	bench_context(bench, control);
	bench_tid(bench, 0, PAGES, 1);
	bench_flow(bench, GENERATION, SEQUENCE, FLOW_FLAGS);
	return bench;
}

/* An empty header queue, as the first time. */
static void restart(struct bench *bench)
{
	csr_write(bench->hfi[0], RCV_CTXT_CTRL + KERNEL_STRIDE * CONTEXT, 0);
	bench_context(bench, 0);
	move_head(bench, 0);
}

static void run_until_told(struct bench *bench)
{
	unsigned int i;

	for (i = 0; i < 10000 && lie_left(bench->hfi[0]); i++)
		loop_once(bench->loop, 1);
	assert_int_equal(lie_left(bench->hfi[0]), 0);
}

static void tell(struct bench *bench, struct lie_order *order)
{
	if (!order->qp.count)
		order->qp = nobody;
	lie_start(bench->hfi[0], order);
	run_until_told(bench);
}

/*
 * The driver takes a header; how many it has taken so far is in *taken. Those of
 * packets that are too short for it are taken and not returned.
 */
static const u8 *next_header(struct bench *bench, u32 *taken)
{
	u32 index = *taken % QUEUE_ENTRIES;

	if (queue_tail(bench) == index)
		return NULL;
	*taken += 1;
	move_head(bench, *taken % QUEUE_ENTRIES);
	return (rhf_at(bench, index) & 0xfff) * 4 > KDETH_HEADER ? header_at(bench, index) : NULL;
}

/* The headers of lies that reach the context, one after the other. */
typedef void (*look)(const u8 *header, void *context);

static u32 each_lie(struct bench *bench, struct lie_order order, u32 count, look at, void *context)
{
	u32 taken = 0, seen = 0, i;
	const u8 *header;

	for (i = 0; i < count; i++, order.seed++) {
		order.count = 1;
		tell(bench, &order);
		header = next_header(bench, &taken);
		if (!header)
			continue;
		seen++;
		at(header, context);
	}
	return seen;
}

static u64 told(struct bench *bench, const char *name)
{
	u64 value;

	assert_true(lie_find(bench->hfi[0], name, &value));
	return value;
}

static void real_packet(struct bench *bench)
{
	send_expected(bench, PSN, OPCODE_TID_READ_RESP);
}

static void check_order(const u8 *header, void *context)
{
	(void)context;
	assert_int_equal(header[13], KDETH_PREFIX);
	assert_in_range(header[8], 0xe4, 0xe5);
	assert_true((VERBS_QP(header) >= 7 && VERBS_QP(header) <= 9) || VERBS_QP(header) == 77);
}

static void lies_have_the_opcodes_and_qps_that_were_ordered(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = {
		.opcode = { { { 0xe4, 0xe5 } }, 1 },
		.qp = { { { 7, 9 }, { 77, 77 } }, 2 },
		.hits = true,
	};

	assert_in_range(each_lie(bench, order, LIES, check_order, NULL), 20, LIES);
	assert_int_equal(told(bench, "e4") + told(bench, "e5"), LIES);
	assert_int_equal(told(bench, "told"), LIES);
	assert_int_not_equal(told(bench, "e4"), 0);
	assert_int_not_equal(told(bench, "e5"), 0);
}

static void check_eager(const u8 *header, void *context)
{
	(void)context;
	assert_int_equal(KDETH_TIDCTRL(KDETH(header)), 0);
}

static void check_not_eager(const u8 *header, void *context)
{
	(void)context;
	assert_int_not_equal(KDETH_TIDCTRL(KDETH(header)), 0);
}

static void lies_go_the_way_that_was_ordered(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .way = LIE_EAGER };
	u32 eager = each_lie(bench, order, LIES, check_eager, NULL);

	assert_in_range(eager, 20, LIES);
	restart(bench);
	order.way = LIE_EXPECTED;
	order.hits = true;
	assert_in_range(each_lie(bench, order, LIES, check_not_eager, NULL), 20, LIES);
}

static void add_up(const u8 *header, void *context)
{
	u32 *sum = context;
	u32 i;

	for (i = 0; i < KDETH_HEADER; i++)
		*sum = *sum * 31 + header[i];
}

static void same_seed_means_same_lies(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .basis = LIE_RANDOM, .way = LIE_EAGER };
	u32 first = 0, again = 0, other = 0;

	each_lie(bench, order, 100, add_up, &first);
	restart(bench);
	each_lie(bench, order, 100, add_up, &again);
	restart(bench);
	order.seed = 1000;
	each_lie(bench, order, 100, add_up, &other);
	assert_int_equal(first, again);
	assert_int_not_equal(first, other);
}

static void count_changes(const u8 *header, void *context)
{
	struct expected_args args = {
		.opcode = OPCODE_TID_READ_RESP, .flow = FLOW, .psn = PSN,
		.kdeth = kdeth_word(1, 0, 0, 4),
	};
	struct packet *packet = expected_packet(&args);
	u32 i, words = 0;

	(void)context;
	/* the QP in the last word was ordered */
	for (i = 0; i < 52; i += 4)
		words += !!memcmp(header + i, packet->data + i, 4);
	assert_in_range(words, 0, 3);
	packet_free(packet);
}

static void lie_of_a_real_packet_differs_in_three_fields_at_most(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .basis = LIE_REAL, .hits = true };
	u32 taken = 0;

	real_packet(bench);
	next_header(bench, &taken);
	restart(bench);
	assert_in_range(each_lie(bench, order, LIES, count_changes, NULL), 100, LIES);
}

static void lie_that_passes_the_flow_table_is_kept_back(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK);
	struct lie_order order = { .basis = LIE_REAL, .count = LIES };
	u64 row;

	real_packet(bench);
	row = bench_flow_row(bench);
	memset(bench_memory(bench, PAGES), 0x77, 4096);
	tell(bench, &order);
	assert_int_not_equal(told(bench, "kept_back"), 0);
	assert_int_not_equal(bench->hfi[0]->counters.generation_errors, 0);
	assert_int_equal(told(bench, "in_grant"), 0);
	assert_int_equal(told(bench, "refused"), 0);
	assert_true((bench_flow_row(bench) & ~FLOW_GEN_MISMATCH) == row);
	for (row = 0; row < 4096; row++)
		assert_int_equal(*bench_memory(bench, PAGES + row), 0x77);
}

static void with_hits_it_is_stored_and_counted(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK);
	struct lie_order order = { .basis = LIE_REAL, .count = LIES, .hits = true };
	u64 before;

	real_packet(bench);
	before = bench->hfi[0]->counters.expected_writes;
	tell(bench, &order);
	assert_int_equal(told(bench, "kept_back"), 0);
	assert_int_not_equal(told(bench, "in_grant"), 0);
	assert_int_equal(bench->hfi[0]->counters.expected_writes - before,
			 told(bench, "in_grant"));
}

static void what_a_lie_is_refused_is_counted_apart(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = {
		.basis = LIE_RANDOM, .way = LIE_EXPECTED, .count = LIES, .hits = true,
	};

	bench_tid(bench, 0, 0, 0);
	tell(bench, &order);
	assert_int_not_equal(told(bench, "refused"), 0);
	assert_int_equal(told(bench, "in_grant"), 0);
	assert_int_equal(bench->hfi[0]->counters.invalid_entry_writes, 0);
	assert_int_equal(bench->hfi[0]->counters.late_writes, 0);
}

static void one_is_told_behind_every_so_many_real_packets(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .every = 3, .count = 4, .qp = nobody };
	u32 i;

	lie_start(bench->hfi[0], &order);
	for (i = 0; i < 6; i++)
		real_packet(bench);
	assert_int_equal(told(bench, "told"), 2);
	assert_int_equal(lie_left(bench->hfi[0]), 2);
	for (i = 0; i < 100; i++)
		real_packet(bench);
	assert_int_equal(told(bench, "told"), 4);
	assert_int_equal(lie_left(bench->hfi[0]), 0);
}

static void liar_waits_for_a_receiver_without_room(void **state)
{
	struct bench *bench = ready(state, RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	struct lie_order order = {
		.basis = LIE_RANDOM, .count = 4000, .qp = nobody, .hits = true,
	};
	u32 i, left;

	lie_start(bench->hfi[0], &order);
	for (i = 0; i < 200; i++)
		loop_once(bench->loop, 1);
	left = lie_left(bench->hfi[0]);
	assert_in_range(left, 3000, 3999);
	assert_int_not_equal(bench->hfi[0]->port.waiting.count, 0);
	assert_in_range(bench->hfi[0]->port.waiting.count, 1, 16);
	move_head(bench, queue_tail(bench));
	for (i = 0; i < 5; i++)
		loop_once(bench->loop, 1);
	assert_in_range(lie_left(bench->hfi[0]), 0, left - 1);
}

static void nothing_is_told_while_the_link_is_down(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .count = 10, .qp = nobody };
	u32 i;

	csr_set(bench->hfi[0], DC_DC8051_STS_CUR_STATE, 0);
	lie_start(bench->hfi[0], &order);
	for (i = 0; i < 5; i++)
		loop_once(bench->loop, 2);
	assert_int_equal(told(bench, "told"), 0);
	csr_set(bench->hfi[0], DC_DC8051_STS_CUR_STATE, PHYSICAL_LINKUP);
	run_until_told(bench);
	assert_int_equal(told(bench, "told"), 10);
}

static void liar_stops_when_told_to(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .count = 1000000, .qp = nobody };
	u64 before;
	u32 i;

	lie_start(bench->hfi[0], &order);
	loop_once(bench->loop, 1);
	lie_stop(bench->hfi[0]);
	before = told(bench, "told");
	for (i = 0; i < 5; i++)
		loop_once(bench->loop, 2);
	assert_int_equal(told(bench, "told"), before);
	assert_int_equal(lie_left(bench->hfi[0]), 0);
}

static void any_opcode_is_told(void **state)
{
	struct bench *bench = ready(state, 0);
	struct lie_order order = { .basis = LIE_RANDOM, .count = 2000 };
	static const char *const name[] = {
		"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "other",
	};
	size_t i;

	tell(bench, &order);
	for (i = 0; i < ARRAY_SIZE(name); i++)
		assert_int_not_equal(told(bench, name[i]), 0);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(lies_have_the_opcodes_and_qps_that_were_ordered),
		BENCH_TEST(lies_go_the_way_that_was_ordered),
		BENCH_TEST(same_seed_means_same_lies),
		BENCH_TEST(lie_of_a_real_packet_differs_in_three_fields_at_most),
		BENCH_TEST(lie_that_passes_the_flow_table_is_kept_back),
		BENCH_TEST(with_hits_it_is_stored_and_counted),
		BENCH_TEST(what_a_lie_is_refused_is_counted_apart),
		BENCH_TEST(one_is_told_behind_every_so_many_real_packets),
		BENCH_TEST(liar_waits_for_a_receiver_without_room),
		BENCH_TEST(nothing_is_told_while_the_link_is_down),
		BENCH_TEST(liar_stops_when_told_to),
		BENCH_TEST(any_opcode_is_told),
	};

	return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
