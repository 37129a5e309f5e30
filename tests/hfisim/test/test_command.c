// SPDX-License-Identifier: GPL-2.0
/*
 * Control protocol: what a line asks for and what it gets
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "command.h"

/* The answer to a line, in memory that the next call uses again. */
static const char *ask(struct bench *bench, const char *line)
{
	static char answer[TEXT_MAX];
	char copy[COMMAND_MAX + 1];
	struct text reply = { 0 };

	snprintf(copy, sizeof(copy), "%s", line);
	command_run(bench->hfi, 2, copy, &reply);
	snprintf(answer, sizeof(answer), "%s", reply.data ? reply.data : "");
	text_free(&reply);
	return answer;
}

static void assert_error(struct bench *bench, const char *line)
{
	const char *answer = ask(bench, line);

	if (strncmp(answer, "t error ", 8) || strlen(answer) < 12 ||
	    strchr(answer, '\n') != answer + strlen(answer) - 1)
		fail_msg("'%s' got '%s'", line, answer);
}

static void assert_ok(struct bench *bench, const char *line)
{
	const char *answer = ask(bench, line);

	if (strncmp(answer, "t ok ", 5) || strchr(answer, '\n') != answer + strlen(answer) - 1)
		fail_msg("'%s' got '%s'", line, answer);
}

/* Jumps over a JSON value. Return: what follows it, NULL if it is none. */
static const char *json_value(const char *at)
{
	static const char * const word[] = { "true", "false", "null" };
	size_t i;

	if (*at == '{' || *at == '[') {
		char end = *at + 2;
		bool object = *at == '{';

		if (*++at == end)
			return at + 1;
		for (;;) {
			if (object) {
				if (*at != '"')
					return NULL;
				at = json_value(at);
				if (!at || *at++ != ':')
					return NULL;
			}
			at = json_value(at);
			if (!at || (*at != ',' && *at != end))
				return NULL;
			if (*at++ == end)
				return at;
		}
	}
	if (*at == '"') {
		at += strcspn(at + 1, "\"\\\n") + 1;
		return *at == '"' ? at + 1 : NULL;
	}
	for (i = 0; i < ARRAY_SIZE(word); i++)
		if (!strncmp(at, word[i], strlen(word[i])))
			return at + strlen(word[i]);
	i = strspn(at, "0123456789.");
	return i ? at + i : NULL;
}

static void assert_json(struct bench *bench, const char *line)
{
	const char *answer = ask(bench, line);
	const char *end;

	assert_int_equal(strncmp(answer, "t ok ", 5), 0);
	end = json_value(answer + 5);
	if (!end || strcmp(end, "\n"))
		fail_msg("not JSON: %s", answer);
}

static void tag_comes_back(void **state)
{
	assert_int_equal(strncmp(ask(*state, "x-17 sizes"), "x-17 ok {", 9), 0);
}

static void blank_line_gets_no_answer(void **state)
{
	assert_string_equal(ask(*state, ""), "");
	assert_string_equal(ask(*state, "   "), "");
}

static void tag_alone_is_an_error(void **state)
{
	assert_error(*state, "t");
	assert_error(*state, "t ");
}

static void control_characters_are_an_error(void **state)
{
	assert_int_equal(strncmp(ask(*state, "t sizes\r"), "- error ", 8), 0);
	assert_int_equal(strncmp(ask(*state, "t\tsizes"), "- error ", 8), 0);
	assert_int_equal(strncmp(ask(*state, "t siz\xc3\xa9s"), "- error ", 8), 0);
}

static void overlong_tag_is_not_echoed(void **state)
{
	char line[200];

	memset(line, 'x', 100);
	memcpy(line + 100, " sizes", sizeof(" sizes"));
	assert_int_equal(strncmp(ask(*state, line), "- ok ", 5), 0);
}

static void wrong_requests_are_errors(void **state)
{
	static const char * const line[] = {
		"t nothing", "t counters 2", "t counters x", "t counters -1", "t counters 0 what",
		"t counters 0 kinds", "t counters 0 kinds.nothing", "t counters 0 rnr_nak.32",
		"t counters 0 rcvarray_valid.26", "t counters 0 held more", "t hold", "t hold 0",
		"t hold 0 some", "t hold 2 all", "t release", "t release 0 x", "t release 0 1 2",
		"t discard", "t discard 5", "t fault 0", "t fault 0 drop", "t fault 0 drop 0",
		"t fault 0 drop x", "t fault 0 lose 1", "t fault 0 drop 1 1 nothing",
		"t fault 0 drop 1 delay=5", "t fault 0 delay 1", "t fault 0 delay 1 delay=0",
		"t fault 0 delay 1 delay=60001", "t fault 0 off 1", "t fault 0 drop 4294967296",
		"t opfn 0", "t opfn 0 max_len", "t opfn 0 max_len=", "t opfn 0 max_len=5",
		"t opfn 0 what=1", "t opfn 0 off on", "t opfn 0 jkey=0x", "t opfn 0 jkey=-1",
		"t lie 0", "t lie 2 1", "t lie 0 0", "t lie 0 x", "t lie 0 off 1",
		"t lie 0 1 every=0", "t lie 0 1 every=x", "t lie 0 1 from=hearsay",
		"t lie 0 1 way=", "t lie 0 1 qp=", "t lie 0 1 qp=5-4", "t lie 0 1 qp=0x1000000",
		"t lie 0 1 opcode=256", "t lie 0 1 opcode=1,2,3,4,5,6,7,8,9", "t lie 0 1 hits=1",
		"t lie 0 1 seed=-1", "t counters 0 lies.nothing",
		"t link 0", "t link 0 sideways", "t freeze", "t freeze 2", "t ledger", "t sizes 1",
		"t opfn 0 a b c d e f g h i j k l m n o p q r s t u v w x y z",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(line); i++)
		assert_error(*state, line[i]);
}

static void refused_request_changes_nothing(void **state)
{
	struct bench *bench = *state;

	ask(bench, "t opfn 0 jkey=1 max_len=5");
	assert_true(bench->hfi[0]->opfn.mask == 0);
}

static void all_answers_are_json(void **state)
{
	static const char * const line[] = {
		"t counters", "t counters 0", "t counters 1", "t counters 0 held", "t sizes",
		"t hold 0 all", "t release 0 3", "t release 0", "t discard 0", "t fault 0 off",
		"t fault 0 delay 3 4 write_data delay=10", "t opfn 0 max_read=1", "t opfn 0 off",
		"t link 0 down", "t link 0 up", "t ledger 0", "t ledger 1", "t lie 0 3",
		"t lie 1 off", "t counters 0 lies.told", "t counters 1 lies.e7",
	};
	struct bench *bench = *state;
	size_t i;

	bench_context(bench, 0);
	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 0, 0, 0);
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	send_expected(bench, 2, OPCODE_TID_READ_RESP);
	bench->hfi[0]->counters.rnr_nak[3] = 5;
	for (i = 0; i < ARRAY_SIZE(line); i++)
		assert_json(bench, line[i]);
}

static void one_counter_is_a_number(void **state)
{
	struct bench *bench = *state;

	bench->hfi[1]->counters.kinds[KIND_READ_RESP] = 12345678901234ULL;
	bench->hfi[1]->counters.rnr_nak[31] = 3;
	bench->hfi[1]->counters.faults.corrupt = 4;
	bench->hfi[1]->counters.late_writes = 5;
	assert_string_equal(ask(bench, "t counters 1 kinds.read_resp"), "t ok 12345678901234\n");
	assert_string_equal(ask(bench, "t counters 1 rnr_nak.31"), "t ok 3\n");
	assert_string_equal(ask(bench, "t counters 1 faults.corrupt"), "t ok 4\n");
	assert_string_equal(ask(bench, "t counters 1 late_writes"), "t ok 5\n");
	assert_string_equal(ask(bench, "t counters 0 late_writes"), "t ok 0\n");
}

static void valid_entries_are_counted_per_context(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	bench_tid(bench, 0, PAGES, 1);
	bench_tid(bench, 9, PAGES, 4);
	assert_string_equal(ask(bench, "t counters 0 rcvarray_valid.3"), "t ok 2\n");
	assert_string_equal(ask(bench, "t counters 0 rcvarray_valid.2"), "t ok 0\n");
	assert_non_null(strstr(ask(bench, "t counters 0"), "\"rcvarray_valid\":{\"3\":2}"));
}

static void hold_release_and_discard_answer_with_a_count(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	assert_string_equal(ask(bench, "t hold 0 read_resp"), "t ok {\"held\":0}\n");
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	send_expected(bench, 2, OPCODE_TID_READ_RESP);
	send_expected(bench, 3, OPCODE_TID_READ_RESP);
	assert_string_equal(ask(bench, "t counters 0 held"), "t ok 3\n");
	assert_string_equal(ask(bench, "t release 0 1"), "t ok {\"released\":1}\n");
	assert_string_equal(ask(bench, "t discard 0"), "t ok {\"discarded\":2}\n");
	assert_string_equal(ask(bench, "t release 0"), "t ok {\"released\":0}\n");
}

static void fault_takes_its_options_in_any_order(void **state)
{
	struct bench *bench = *state;

	bench_context(bench, 0);
	assert_ok(bench, "t fault 0 drop 1 write_data 2");
	send_expected(bench, 1, OPCODE_TID_READ_RESP);
	send_expected(bench, 2, OPCODE_TID_WRITE_DATA);
	send_expected(bench, 3, OPCODE_TID_WRITE_DATA);
	send_expected(bench, 4, OPCODE_TID_WRITE_DATA);
	assert_int_equal(bench->hfi[0]->counters.faults.drop, 2);
	assert_int_equal(queue_tail(bench), 2);
}

static void lie_takes_its_options_in_any_order(void **state)
{
	struct bench *bench = *state;
	u32 i;

	assert_string_equal(ask(bench, "t lie 0 4 hits opcode=0xe6 seed=9 every=2 qp=3,5-7"),
			    "t ok {\"seed\":9}\n");
	for (i = 0; i < 20; i++)
		send_expected(bench, i, OPCODE_TID_READ_RESP);
	assert_string_equal(ask(bench, "t counters 0 lies.e6"), "t ok 4\n");
	assert_string_equal(ask(bench, "t counters 0 lies.told"), "t ok 4\n");
	assert_string_equal(ask(bench, "t counters 0 lies.left"), "t ok 0\n");
	assert_ok(bench, "t lie 0 100000 qp=3");
	assert_ok(bench, "t lie 0 off");
	assert_string_equal(ask(bench, "t counters 0 lies.left"), "t ok 0\n");
}

static void freeze_lasts_until_the_driver_unfreezes(void **state)
{
	struct bench *bench = *state;
	struct hfi *hfi = bench->hfi[0];

	csr_set(hfi, RCV_ERR_MASK, ~0ULL);
	assert_ok(bench, "t freeze 0");
	assert_true(csr_frozen(hfi));
	assert_false(csr_frozen(bench->hfi[1]));
	assert_true(csr_get(hfi, RCV_ERR_STATUS) & RCV_ERR_STATUS_RX_CSR_PARITY_ERR_SMASK);
	assert_true(csr_get(hfi, CCE_INT_STATUS) & 1u << (SOURCE_CCE_ERROR + 1));
	csr_write(hfi, CCE_CTRL, CCE_CTRL_SPC_UNFREEZE_SMASK);
	assert_false(csr_frozen(hfi));
	assert_string_equal(ask(bench, "t counters 0 unfreezes"), "t ok 1\n");
}

static void link_goes_down_and_up(void **state)
{
	struct bench *bench = *state;

	assert_true(link_is_up(bench->hfi[0]));
	assert_ok(bench, "t link 0 down");
	assert_false(link_is_up(bench->hfi[0]));
	assert_false(link_cable_in(bench->hfi[1]));
	assert_ok(bench, "t link 1 up");
	assert_true(link_cable_in(bench->hfi[0]));
}

static void overlong_line_is_an_error_with_its_tag(void **state)
{
	char line[] = "tag something";
	struct text reply = { 0 };

	(void)state;
	command_too_long(line, &reply);
	assert_int_equal(strncmp(reply.data, "tag error ", 10), 0);
	text_free(&reply);
}

static void text_stops_at_its_limit_and_can_be_cut(void **state)
{
	struct text text = { 0 };
	u32 i;

	(void)state;
	for (i = 0; i < TEXT_MAX / 8 + 10; i++)
		text_add(&text, "12345678");
	assert_true(text.failed);
	assert_true(text.length < TEXT_MAX);
	text_cut(&text, 8);
	text_add(&text, "%d", 9);
	assert_string_equal(text.data, "123456789");
	text_free(&text);
}

int main(void)
{
	TEST_LIST tests[] = {
		BENCH_TEST(tag_comes_back),
		BENCH_TEST(blank_line_gets_no_answer),
		BENCH_TEST(tag_alone_is_an_error),
		BENCH_TEST(control_characters_are_an_error),
		BENCH_TEST(overlong_tag_is_not_echoed),
		BENCH_TEST(wrong_requests_are_errors),
		BENCH_TEST(refused_request_changes_nothing),
		BENCH_TEST(all_answers_are_json),
		BENCH_TEST(one_counter_is_a_number),
		BENCH_TEST(valid_entries_are_counted_per_context),
		BENCH_TEST(hold_release_and_discard_answer_with_a_count),
		BENCH_TEST(fault_takes_its_options_in_any_order),
		BENCH_TEST(lie_takes_its_options_in_any_order),
		BENCH_TEST(freeze_lasts_until_the_driver_unfreezes),
		BENCH_TEST(link_goes_down_and_up),
		BENCH_TEST(overlong_line_is_an_error_with_its_tag),
		cmocka_unit_test(text_stops_at_its_limit_and_can_be_cut),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
