// SPDX-License-Identifier: GPL-2.0
/*
 * Text that grows: what a control command answers
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

static bool text_reserve(struct text *text, size_t size)
{
	size_t want = text->size ? text->size : 256;
	char *data;

	if (size <= text->size)
		return true;
	while (want < size)
		want *= 2;
	data = size <= TEXT_MAX ? realloc(text->data, want) : NULL;
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->size = want;
	return true;
}

void text_add(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	if (text->failed)
		return;
	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || !text_reserve(text, text->length + length + 1)) {
		text->failed = true;
		return;
	}
	va_start(args, format);
	text->length += vsnprintf(text->data + text->length, length + 1, format, args);
	va_end(args);
}

void text_cut(struct text *text, size_t length)
{
	if (length < text->length) {
		text->length = length;
		text->data[length] = '\0';
	}
	text->failed = false;
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}
