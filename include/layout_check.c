// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles only if the types this build uses are laid out just as those that
 * the chosen hfi1.ko was built with. Makes no code.
 */
#include "hfi1.h"

/*
 * offsetof() does not take a bit-field: set it alone, and look where the ones
 * are in the eight bytes around it.
 */
#define BITFIELD(tag, member, bit, width) \
static void __used __PASTE(bitfield_, __LINE__)(void)		\
{									\
	enum { FIRST = (bit), LAST = FIRST + (width) - 1 };		\
	static const tag object = {					\
		.member = GENMASK_ULL(LAST - FIRST, 0),			\
	};								\
	const size_t byte = min_t(size_t, FIRST / 8, sizeof(object) - 8); \
	u64 window;							\
									\
	__builtin_memcpy(&window, (const u8 *)&object + byte, 8);	\
	BUILD_BUG_ON(window != GENMASK_ULL(LAST - 8 * byte,		\
					   FIRST - 8 * byte));		\
}

/* Sparse lays some types out in its own way; what counts is the compiler. */
#ifndef __CHECKER__
#include "hfi1_layout.h"
#endif
