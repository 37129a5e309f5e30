// SPDX-License-Identifier: GPL-2.0
/* Compiles, and returns 0, if what btf2h wrote is what shapes.c says. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "public.inc"

#define __rcu

#include "types.h"

#define BITFIELD(tag, path, bit, width)					\
	do {								\
		tag object = { .path = -1 };				\
									\
		wrong |= differs(__LINE__, &object, sizeof(object),	\
				 bit, width);				\
	} while (0)

/* Are exactly those bits of the object set? */
static int differs(int line, const void *object, size_t size,
		   unsigned int bit, unsigned int width)
{
	const unsigned char *bytes = object;
	unsigned int i;

	for (i = 0; i < 8 * size; i++) {
		int is = bytes[i / 8] >> i % 8 & 1;
		int want = i >= bit && i < bit + width;

		if (is != want) {
			printf("layout.h:%d: bit %u is %d\n", line, i, is);
			return 1;
		}
	}
	return 0;
}

int main(void)
{
	int wrong = 0;

#include "layout.h"
	static_assert(LONE_B == 7 && NEGATIVE_A == -1 && TINY_A == 1);
	return wrong;
}
