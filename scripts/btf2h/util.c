// SPDX-License-Identifier: GPL-2.0
/*
 * Small things every part of btf2h needs.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "btf2h.h"

/**
 * die() - end the program with one line on stderr
 * @format: printf format
 */
void die(const char *format, ...)
{
	va_list args;

	fputs("btf2h: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/**
 * text() - printf into a new string
 * @format: printf format
 *
 * Return: the string; never freed, the program is short-lived.
 */
char *text(const char *format, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, format);
	n = vasprintf(&s, format, args);
	va_end(args);
	if (n < 0)
		die("out of memory");
	return s;
}

/**
 * grow() - make room for one more element
 * @array: the array, or NULL
 * @used: elements in it
 * @size: bytes of one element
 *
 * Return: the array, maybe moved; it doubles each time @used is a power of two.
 */
void *grow(void *array, size_t used, size_t size)
{
	if (used & (used - 1))
		return array;
	array = realloc(array, (used ? 2 * used : 1) * size);
	if (!array)
		die("out of memory");
	return array;
}

/**
 * struct set - a set of strings, open addressing
 * @slots: the strings, NULL where free
 * @size: number of slots, a power of two
 * @used: number of strings
 */
struct set {
	const char **slots;
	size_t size;
	size_t used;
};

static const char **set_slot(const struct set *set, const char *key)
{
	size_t hash = 5381;
	const char *c;

	for (c = key; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	while (set->slots[hash & (set->size - 1)] &&
	       strcmp(set->slots[hash & (set->size - 1)], key))
		hash++;
	return &set->slots[hash & (set->size - 1)];
}

static void set_resize(struct set *set, size_t size)
{
	struct set old = *set;
	size_t i;

	set->size = size;
	set->slots = calloc(size, sizeof(*set->slots));
	if (!set->slots)
		die("out of memory");
	for (i = 0; i < old.size; i++)
		if (old.slots[i])
			*set_slot(set, old.slots[i]) = old.slots[i];
	free(old.slots);
}

/**
 * set_new() - make an empty set
 *
 * Return: the set.
 */
struct set *set_new(void)
{
	struct set *set = calloc(1, sizeof(*set));

	if (!set)
		die("out of memory");
	set_resize(set, 1024);
	return set;
}

/**
 * set_add() - put a string into a set
 * @set: the set
 * @key: the string; copied
 *
 * Return: false if it was there already.
 */
bool set_add(struct set *set, const char *key)
{
	const char **slot = set_slot(set, key);

	if (*slot)
		return false;
	*slot = text("%s", key);
	if (++set->used * 2 > set->size)
		set_resize(set, set->size * 2);
	return true;
}

/**
 * set_has() - look a string up
 * @set: the set
 * @key: the string
 *
 * Return: true if @key is in @set.
 */
bool set_has(const struct set *set, const char *key)
{
	return *set_slot(set, key);
}
