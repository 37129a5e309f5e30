/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_TEXT_H
#define HFISIM_TEXT_H

#include "types.h"

/* no answer to a control command is longer */
#define TEXT_MAX	(512 * 1024)

/**
 * struct text - text that grows as it is written
 * @data: the text, NUL-terminated once something was added; NULL before
 * @length: bytes of text, without the NUL
 * @size: bytes allocated
 * @failed: memory was short or the text would have become longer than
 *	TEXT_MAX; nothing is added from then on
 */
struct text {
	char *data;
	size_t length;
	size_t size;
	bool failed;
};

/**
 * text_add() - append to a text
 * @text: all zero the first time
 * @format: as for printf(3)
 */
__printf(2, 3)
void text_add(struct text *text, const char *format, ...);

/**
 * text_cut() - forget what was added lately
 * @text: the text
 * @length: the length to go back to; @failed is cleared
 */
void text_cut(struct text *text, size_t length);

/**
 * text_free() - free the memory of a text and make it empty
 * @text: the text
 */
void text_free(struct text *text);

#endif
