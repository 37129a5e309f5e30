/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_TYPES_H
#define HFISIM_TYPES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8, "as the registers are");

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT_ULL(bit)		(1ULL << (bit))

/* container_of() - the object of @type whose member @member is at @pointer */
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
