// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: lines of the control protocol
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rig.h"

/* An answer is one line, or none for a blank request. */
static void check_answer(const struct text *reply)
{
	if (reply->failed || (reply->length &&
			      memchr(reply->data, '\n', reply->length) !=
			      reply->data + reply->length - 1))
		abort();
}

static void run_line(struct rig *rig, const u8 *data, size_t length)
{
	struct text reply = { 0 };
	char *line = malloc(length + 1);

	memcpy(line, data, length);
	line[length] = '\0';
	if (length > COMMAND_MAX) {
		line[COMMAND_MAX] = '\0';
		command_too_long(line, &reply);
	} else {
		command_run(rig->hfi, 2, line, &reply);
	}
	check_answer(&reply);
	text_free(&reply);
	free(line);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct rig *rig = rig_start();

	while (size) {
		const u8 *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;

		run_line(rig, data, length);
		length += !!end;
		data += length;
		size -= length;
	}
	return 0;
}
