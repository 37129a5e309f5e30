/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_TYPES_H
#define HFISIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;

_Static_assert(sizeof(u64) == 8, "the registers are 64 bits wide");

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT_ULL(bit)		(1ULL << (bit))

#ifndef __printf
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#endif

/* container_of() - the object of @type whose member @member is at @pointer */
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
