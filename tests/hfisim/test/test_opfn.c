// SPDX-License-Identifier: GPL-2.0
/*
 * OPFN override
 */
#include "bench.h"

#define REQUEST_LENGTH	48u
#define REPLY_LENGTH	36u
#define REQUEST_WORD	40u
#define REPLY_WORD	24u
#define WORD		0x0380003c00c02101ULL	/* max_len 256 KiB - 4 KiB and so on */
#define QPN		2

static struct packet *request(u32 psn, u64 address, u64 word)
{
	struct packet *packet = ib_packet(OPCODE_RC_COMPARE_SWAP, QPN, psn, REQUEST_LENGTH);

	put_be64(packet->data + 20, address);
	put_be64(packet->data + REQUEST_WORD, word);
	return packet;
}

static struct packet *reply(u32 psn, u64 word)
{
	struct packet *packet = ib_packet(OPCODE_RC_ATOMIC_ACK, QPN, psn, REPLY_LENGTH);

	put_be64(packet->data + REPLY_WORD, word);
	return packet;
}

/* What becomes of the word at an offset when an HFI sends the packet. */
static u64 sent_by(struct hfi *hfi, struct packet *packet, u32 offset)
{
	u64 word;

	opfn_rewrite(hfi, packet);
	word = get_be64(packet->data + offset);
	packet_free(packet);
	return word;
}

static u64 request_sent(struct bench *bench, u64 word)
{
	return sent_by(bench->hfi[1], request(9, ~0ULL, word), REQUEST_WORD);
}

static void set(struct bench *bench, const char *field, u64 value)
{
	assert_null(opfn_set(&bench->hfi[1]->opfn, field, value));
}

static void request_is_untouched_without_an_override(void **state)
{
	assert_true(request_sent(*state, WORD) == WORD);
}

static void max_len_is_rewritten_in_pages_less_one(void **state)
{
	set(*state, "max_len", 512 * 1024);
	assert_true(request_sent(*state, WORD) ==
		    ((WORD & ~(0x7ffULL << 37)) | 127ULL << 37));
}

static void each_field_has_its_place(void **state)
{
	static const struct {
		const char *field;
		u64 value;
		u64 word;
	} place[] = {
		{ "timeout", 31, 31ULL << 32 },
		{ "urg", 1, 1ULL << 25 },
		{ "ver", 7, 7ULL << 22 },
		{ "jkey", 32, 32ULL << 16 },
		{ "max_read", 63, 63ULL << 10 },
		{ "max_write", 1, 1ULL << 4 },
		{ "context", 255, 255ULL << 56 },
		{ "kdeth", 0x81, 0x81ULL << 48 },
	};
	struct bench *bench = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(place); i++) {
		opfn_clear(&bench->hfi[1]->opfn);
		set(bench, "raw", 1);
		set(bench, place[i].field, place[i].value);
		assert_true(request_sent(bench, ~0ULL) == (place[i].word | 1));
	}
}

static void fields_add_up(void **state)
{
	set(*state, "max_read", 1);
	set(*state, "max_write", 2);
	assert_true(request_sent(*state, WORD) ==
		    ((WORD & ~(0xfffULL << 4)) | 1 << 10 | 2 << 4));
}

static void raw_replaces_the_whole_word(void **state)
{
	set(*state, "raw", 0x123456789abcdef0ULL);
	assert_true(request_sent(*state, WORD) == 0x123456789abcdef0ULL);
}

static void clear_ends_the_override(void **state)
{
	struct bench *bench = *state;

	set(bench, "raw", 5);
	opfn_clear(&bench->hfi[1]->opfn);
	assert_true(request_sent(bench, WORD) == WORD);
}

static void compare_and_swap_of_memory_is_no_request(void **state)
{
	struct bench *bench = *state;

	set(bench, "raw", 5);
	assert_true(sent_by(bench->hfi[1], request(9, 0x1000, WORD), REQUEST_WORD) == WORD);
}

static void reply_is_known_by_the_psn_of_the_request(void **state)
{
	struct bench *bench = *state;

	set(bench, "jkey", 1);
	sent_by(bench->hfi[0], request(77, ~0ULL, WORD), REQUEST_WORD);
	assert_true(sent_by(bench->hfi[1], reply(77, WORD), REPLY_WORD) ==
		    ((WORD & ~(0x3fULL << 16)) | 1 << 16));
	assert_true(sent_by(bench->hfi[1], reply(78, WORD), REPLY_WORD) == WORD);
}

static void reply_to_a_plain_atomic_is_untouched(void **state)
{
	struct bench *bench = *state;

	set(bench, "jkey", 1);
	sent_by(bench->hfi[0], request(77, 0x1000, WORD), REQUEST_WORD);
	assert_true(sent_by(bench->hfi[1], reply(77, WORD), REPLY_WORD) == WORD);
}

static void refusal_is_left_alone(void **state)
{
	struct bench *bench = *state;

	set(bench, "max_len", 8192);
	sent_by(bench->hfi[0], request(77, ~0ULL, WORD), REQUEST_WORD);
	assert_true(sent_by(bench->hfi[1], reply(77, 1), REPLY_WORD) == 1);
}

static void short_packets_are_left_alone(void **state)
{
	struct bench *bench = *state;
	struct packet *packet = request(9, ~0ULL, WORD);
	u32 length;

	set(bench, "raw", 5);
	for (length = 20; length < REQUEST_LENGTH; length++) {
		/* a copy of exactly this size, so that the sanitizer sees an overrun */
		struct packet *cut;

		packet->length = length;
		cut = packet_copy(packet);
		opfn_rewrite(bench->hfi[1], cut);
		assert_memory_equal(cut->data, packet->data, length);
		packet_free(cut);
	}
	packet_free(packet);
}

static void values_that_do_not_fit_are_refused(void **state)
{
	struct bench *bench = *state;
	struct opfn_override *override = &bench->hfi[1]->opfn;

	assert_non_null(opfn_set(override, "jkey", 64));
	assert_non_null(opfn_set(override, "max_len", 0));
	assert_non_null(opfn_set(override, "max_len", 4095));
	assert_non_null(opfn_set(override, "max_len", 2049 * 4096ULL));
	assert_non_null(opfn_set(override, "nothing", 1));
	assert_true(override->mask == 0);
}

static void sending_rewrites(void **state)
{
	struct bench *bench = *state;
	struct packet *packet = request(9, ~0ULL, WORD);

	bench_context(bench, 0);
	set(bench, "raw", 0x1234);
	fabric_send(bench->hfi[1], packet);
	packet_free(packet);
	assert_int_equal(queue_tail(bench), 1);
	assert_true(get_be64(header_at(bench, 0) + REQUEST_WORD) == 0x1234);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(request_is_untouched_without_an_override),
		BENCH_TEST(max_len_is_rewritten_in_pages_less_one),
		BENCH_TEST(each_field_has_its_place),
		BENCH_TEST(fields_add_up),
		BENCH_TEST(raw_replaces_the_whole_word),
		BENCH_TEST(clear_ends_the_override),
		BENCH_TEST(compare_and_swap_of_memory_is_no_request),
		BENCH_TEST(reply_is_known_by_the_psn_of_the_request),
		BENCH_TEST(reply_to_a_plain_atomic_is_untouched),
		BENCH_TEST(refusal_is_left_alone),
		BENCH_TEST(short_packets_are_left_alone),
		BENCH_TEST(values_that_do_not_fit_are_refused),
		BENCH_TEST(sending_rewrites),
	};

	return cmocka_run_group_tests_name("opfn", tests, NULL, NULL);
}
