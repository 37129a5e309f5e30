// SPDX-License-Identifier: GPL-2.0
/*
 * Control commands: from a line of text to what it asks for
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "hfi.h"

#define WORDS_MAX	24
#define TAG_MAX		64
#define DELAY_MAX_MS	60000

#define FAULT_USAGE \
	"usage: fault HFI drop|delay|duplicate|reorder|corrupt EVERY [COUNT] [KIND] [delay=MS], " \
	"or fault HFI off"

#define LIE_USAGE \
	"usage: lie HFI COUNT [every=N] [seed=N] [from=random|real] [way=eager|expected] " \
	"[qp=N[-N][,...]] [opcode=N[-N][,...]] [hits], or lie HFI off"

/* QP numbers with the KDETH prefix: no QP has one */
#define NOBODY_FIRST	0x800000
#define NOBODY_LAST	0x80ffff
#define QPN_MAX		0xffffff
#define OPCODE_MAX	0xff

/**
 * struct request - a request that is being carried out
 * @hfi: the HFIs
 * @count: how many
 * @word: the words behind the tag, the command first
 * @words: how many
 * @reply: gets JSON
 * @error: what is wrong, NULL if nothing is
 */
struct request {
	struct hfi *const *hfi;
	unsigned int count;
	char *word[WORDS_MAX];
	unsigned int words;
	struct text *reply;
	const char *error;
};

static bool parse_number(const char *word, u64 limit, u64 *value)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 0);
	return !*end && !errno && *value <= limit;
}

static int parse_name(const char *word, const char *const *names, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

/* The HFI that word 1 names; NULL, with an error, if it names none. */
static struct hfi *parse_hfi(struct request *request)
{
	u64 index;

	if (parse_number(request->word[1], request->count - 1, &index))
		return request->hfi[index];
	request->error = request->count == 2 ? "HFI must be 0 or 1" : "HFI must be 0, there is one";
	return NULL;
}

static void run_counters(struct request *request)
{
	struct hfi *hfi;
	unsigned int i;
	u64 value;

	if (request->words == 1) {
		for (i = 0; i < request->count; i++) {
			text_add(request->reply, i ? "," : "{\"hfi\":[");
			counters_print(request->hfi[i], request->reply);
		}
		text_add(request->reply, "]}");
		return;
	}
	hfi = parse_hfi(request);
	if (!hfi)
		return;
	if (request->words == 2)
		counters_print(hfi, request->reply);
	else if (counters_find(hfi, request->word[2], &value))
		text_add(request->reply, "%llu", value);
	else
		request->error = "no counter of that name; 'counters HFI' shows them all";
}

static void print_count(struct request *request, const char *what, u32 count)
{
	text_add(request->reply, "{\"%s\":%u}", what, count);
}

static void run_hold(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	int filter = parse_name(request->word[2], fault_filter_name, FILTER_COUNT);

	if (!hfi)
		return;
	if (filter < 0) {
		request->error = "KIND must be all, read_resp or write_data";
		return;
	}
	fault_hold(hfi, filter);
	print_count(request, "held", fault_held(hfi));
}

static void run_release(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	u64 count;

	if (!hfi)
		return;
	if (request->words == 2)
		print_count(request, "released", fault_release(hfi));
	else if (parse_number(request->word[2], UINT32_MAX, &count))
		print_count(request, "released", fault_release_some(hfi, count));
	else
		request->error = "N must be a number of packets";
}

static void run_discard(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);

	if (hfi)
		print_count(request, "discarded", fault_discard(hfi));
}

/* [COUNT] [KIND] [delay=MS], in any order; NULL or what is wrong */
static const char *parse_rule_options(struct request *request, struct fault_rule *rule)
{
	unsigned int i;
	u64 value;

	for (i = 4; i < request->words; i++) {
		const char *word = request->word[i];
		int filter = parse_name(word, fault_filter_name, FILTER_COUNT);

		if (filter >= 0) {
			rule->filter = filter;
		} else if (!strncmp(word, "delay=", 6)) {
			if (!parse_number(word + 6, DELAY_MAX_MS, &value) || !value)
				return "delay=MS must be 1 to 60000 milliseconds";
			rule->delay = value * 1000;
		} else if (parse_number(word, UINT32_MAX, &value)) {
			rule->count = value;
		} else {
			return "behind EVERY: COUNT, all|read_resp|write_data, delay=MS";
		}
	}
	return NULL;
}

static void run_fault(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	struct fault_rule rule = { .filter = FILTER_ALL };
	int action = parse_name(request->word[2], fault_action_name, FAULT_COUNT);
	bool is_delay = action == FAULT_DELAY;
	u64 every;

	if (!hfi)
		return;
	if (!strcmp(request->word[2], "off") && request->words == 3) {
		fault_off(hfi);
		text_add(request->reply, "{}");
		return;
	}
	if (action < 0 || request->words < 4) {
		request->error = FAULT_USAGE;
		return;
	}
	if (!parse_number(request->word[3], UINT32_MAX, &every) || !every) {
		request->error = "EVERY must be 1 or more";
		return;
	}
	rule.every = every;
	request->error = parse_rule_options(request, &rule);
	if (!request->error && !!rule.delay != is_delay)
		request->error = "the fault 'delay', and no other, needs delay=MS";
	if (request->error)
		return;
	fault_inject(hfi, action, &rule);
	text_add(request->reply, "{}");
}

/* N[-N][,...] */
static bool parse_ranges(char *word, u32 limit, struct lie_ranges *ranges)
{
	char *part;

	ranges->count = 0;
	while ((part = strsep(&word, ","))) {
		char *first = strsep(&part, "-");
		u64 low, high;

		if (ranges->count == LIE_RANGES || !parse_number(first, limit, &low) ||
		    !parse_number(part ? part : first, limit, &high) || high < low)
			return false;
		ranges->range[ranges->count++] = (struct lie_range){ low, high };
	}
	return true;
}

/* The VALUE of a word OPTION=VALUE, or NULL. */
static char *value_of(char *word, const char *option)
{
	size_t length = strlen(option);

	return strncmp(word, option, length) || word[length] != '=' ? NULL : word + length + 1;
}

static bool parse_lie_option(char *word, struct lie_order *order)
{
	char *value;
	u64 number;
	int name;

	value = value_of(word, "every");
	if (value) {
		order->every = parse_number(value, UINT32_MAX, &number) ? number : 0;
		return order->every;
	}
	value = value_of(word, "seed");
	if (value)
		return parse_number(value, ~0ULL, &order->seed);
	value = value_of(word, "from");
	if (value) {
		name = parse_name(value, lie_basis_name, LIE_BASES);
		order->basis = name;
		return name >= 0;
	}
	value = value_of(word, "way");
	if (value) {
		name = parse_name(value, lie_way_name, LIE_WAYS);
		order->way = name;
		return name >= 0;
	}
	value = value_of(word, "qp");
	if (value)
		return parse_ranges(value, QPN_MAX, &order->qp);
	value = value_of(word, "opcode");
	if (value)
		return parse_ranges(value, OPCODE_MAX, &order->opcode);
	order->hits = !strcmp(word, "hits");
	return order->hits;
}

static void run_lie(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	struct lie_order order = {
		.seed = loop_now(),
		.qp = { { { NOBODY_FIRST, NOBODY_LAST } }, 1 },
	};
	unsigned int i;
	u64 count;

	if (!hfi)
		return;
	if (!strcmp(request->word[2], "off") && request->words == 3) {
		lie_stop(hfi);
		text_add(request->reply, "{}");
		return;
	}
	if (!parse_number(request->word[2], UINT32_MAX, &count) || !count) {
		request->error = LIE_USAGE;
		return;
	}
	order.count = count;
	for (i = 3; i < request->words; i++) {
		if (parse_lie_option(request->word[i], &order))
			continue;
		request->error = LIE_USAGE;
		return;
	}
	lie_start(hfi, &order);
	text_add(request->reply, "{\"seed\":%llu}", order.seed);
}

static const char *parse_override(struct request *request, struct opfn_override *override)
{
	const char *error = NULL;
	unsigned int i;
	u64 value;

	for (i = 2; i < request->words && !error; i++) {
		char *equals = strchr(request->word[i], '=');

		if (!equals)
			return "give FIELD=VALUE, or off";
		*equals = '\0';
		if (!parse_number(equals + 1, ~0ULL, &value))
			return "VALUE must be a number";
		error = opfn_set(override, request->word[i], value);
	}
	return error;
}

static void run_opfn(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	struct opfn_override override = { 0 };

	if (!hfi)
		return;
	if (strcmp(request->word[2], "off"))
		request->error = parse_override(request, &override);
	else if (request->words > 3)
		request->error = "nothing may follow off";
	if (request->error)
		return;
	hfi->opfn.mask = override.mask;
	hfi->opfn.value = override.value;
	text_add(request->reply, "{\"mask\":\"%#llx\",\"value\":\"%#llx\"}", override.mask,
		 override.value);
}

static void run_link(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);
	bool in = !strcmp(request->word[2], "up");

	if (!hfi)
		return;
	if (!in && strcmp(request->word[2], "down")) {
		request->error = "say down or up";
		return;
	}
	link_set_cable(hfi, in);
	text_add(request->reply, "{}");
}

static void run_freeze(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);

	if (!hfi)
		return;
	interrupt_receive_error(hfi);
	text_add(request->reply, "{}");
}

static void run_ledger(struct request *request)
{
	struct hfi *hfi = parse_hfi(request);

	if (hfi)
		ledger_print(hfi, request->reply);
}

static void run_sizes(struct request *request)
{
	const struct hfi_config *config = &request->hfi[0]->config;

	text_add(request->reply, "{\"hfis\":%u,\"device_id\":\"%04x\",\"icode\":%u,",
		 request->count, config->device_id, config->icode);
	text_add(request->reply, "\"rcv_contexts\":%u,\"send_contexts\":%u,\"sdma_engines\":%u,",
		 config->rcv_contexts, config->send_contexts, config->sdma_engines);
	text_add(request->reply, "\"rcv_array\":%u}", config->rcv_array);
}

/**
 * struct command - a control command
 * @name: its first word
 * @min: fewest words, itself included
 * @max: most words
 * @run: carries it out
 * @usage: said when the number of words is wrong
 */
struct command {
	const char *name;
	unsigned int min;
	unsigned int max;
	void (*run)(struct request *request);
	const char *usage;
};

static const struct command commands[] = {
	{ "counters", 1, 3, run_counters, "usage: counters [HFI [NAME]]" },
	{ "hold", 3, 3, run_hold, "usage: hold HFI all|read_resp|write_data" },
	{ "release", 2, 3, run_release, "usage: release HFI [N]" },
	{ "discard", 2, 2, run_discard, "usage: discard HFI" },
	{ "fault", 3, 7, run_fault, FAULT_USAGE },
	{ "opfn", 3, WORDS_MAX, run_opfn, "usage: opfn HFI FIELD=VALUE..., or opfn HFI off" },
	{ "lie", 3, WORDS_MAX, run_lie, LIE_USAGE },
	{ "link", 3, 3, run_link, "usage: link HFI down|up" },
	{ "freeze", 2, 2, run_freeze, "usage: freeze HFI" },
	{ "ledger", 2, 2, run_ledger, "usage: ledger HFI" },
	{ "sizes", 1, 1, run_sizes, "usage: sizes" },
};

static void run(struct request *request)
{
	size_t i;

	if (!request->words) {
		request->error = "no command behind the tag";
		return;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *command = &commands[i];

		if (strcmp(command->name, request->word[0]))
			continue;
		if (request->words < command->min || request->words > command->max)
			request->error = command->usage;
		else
			command->run(request);
		return;
	}
	request->error = "no such command; hfisimctl --help lists them";
}

static const char *split(struct request *request, char *rest)
{
	char *word;

	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		if (request->words == WORDS_MAX)
			return "too many words";
		request->word[request->words++] = word;
	}
	return NULL;
}

/* Cuts the tag off a line; "-" stands in for one that could not be echoed. */
static const char *take_tag(char **line)
{
	const char *tag;

	while (**line == ' ')
		(*line)++;
	tag = strsep(line, " ");
	return strlen(tag) <= TAG_MAX ? tag : "-";
}

static bool printable(const char *line)
{
	for (; *line; line++)
		if (*line < ' ' || *line > '~')
			return false;
	return true;
}

void command_run(struct hfi *const *hfi, unsigned int count, char *line, struct text *reply)
{
	struct request request = { .hfi = hfi, .count = count, .reply = reply };
	size_t start = reply->length;
	const char *tag;

	if (!printable(line)) {
		text_add(reply, "- error a request is one line of printable ASCII\n");
		return;
	}
	if (!line[strspn(line, " ")])
		return;
	tag = take_tag(&line);
	text_add(reply, "%s ok ", tag);
	if (line)
		request.error = split(&request, line);
	if (!request.error)
		run(&request);
	text_add(reply, "\n");
	if (reply->failed)
		request.error = "no memory for the answer";
	if (request.error) {
		text_cut(reply, start);
		text_add(reply, "%s error %s\n", tag, request.error);
	}
}

void command_too_long(char *line, struct text *reply)
{
	const char *tag = printable(line) ? take_tag(&line) : "-";

	text_add(reply, "%s error a request has at most %d bytes\n", tag, COMMAND_MAX);
}
