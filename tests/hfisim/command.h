/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_COMMAND_H
#define HFISIM_COMMAND_H

#include "text.h"
#include "types.h"

struct hfi;

/* longest request, in bytes, without the newline */
#define COMMAND_MAX	1023

/**
 * command_run() - carry out one request of a control client
 * @hfi: the HFIs
 * @count: how many
 * @line: "TAG COMMAND ARG...", NUL-terminated, without newline; is changed
 * @reply: gets one line, "TAG ok JSON" or "TAG error MESSAGE", or nothing if
 *	@line is blank
 */
void command_run(struct hfi *const *hfi, unsigned int count, char *line, struct text *reply);

/**
 * command_too_long() - answer a request of more than COMMAND_MAX bytes
 * @line: its first COMMAND_MAX bytes, NUL-terminated; is changed
 * @reply: gets one line
 */
void command_too_long(char *line, struct text *reply);

#endif
