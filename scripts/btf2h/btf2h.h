/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf2h turns a module's BTF into C: a header with the types that no public
 * kernel header defines, and assertions on the layout of those types.
 */
#ifndef BTF2H_H
#define BTF2H_H

#include <stdbool.h>
#include <stdio.h>
#include <stdnoreturn.h>

enum kind {
	KIND_VOID,
	KIND_INT,
	KIND_FLOAT,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_CONST,
	KIND_VOLATILE,
	KIND_PASS,		/* restrict and type tags: nothing to emit */
	KIND_FUNC_PROTO,
	KIND_OTHER,		/* functions, variables, sections, tags */
};

/**
 * struct item - a struct or union member, an enumerator or a parameter
 * @name: its name, "" when it has none
 * @value: text of an enumerator's value
 * @type: id of its type
 * @offset: bits from the start of the struct
 * @width: bits of a bit-field, 0 for other members
 */
struct item {
	const char *name;
	const char *value;
	unsigned int type;
	unsigned int offset;
	unsigned int width;
};

/**
 * struct type - one BTF type
 * @kind: what it is
 * @name: its name, "" when it has none
 * @size: bytes
 * @count: elements of an array
 * @align: what btf_align() found, 0 before
 * @ref: id of the type it is made from (pointee, element, result)
 * @is_union: a forward declaration of a union
 * @items: members, enumerators or parameters
 * @nitems: how many
 */
struct type {
	enum kind kind;
	const char *name;
	unsigned int size;
	unsigned int count;
	unsigned int align;
	unsigned int ref;
	bool is_union;
	struct item *items;
	unsigned int nitems;
};

/* util.c */
noreturn void die(const char *format, ...);
char *text(const char *format, ...);
void *grow(void *array, size_t used, size_t size);

struct set;
struct set *set_new(void);
bool set_add(struct set *set, const char *key);
bool set_has(const struct set *set, const char *key);

/* btf.c */
void btf_read(const char *path);
const struct type *btf_type(unsigned int id);
const struct type *btf_find(enum kind kind, const char *name);
unsigned int btf_size(unsigned int id);
unsigned int btf_align(unsigned int id);
bool btf_packed(const struct type *t);
bool btf_named(const struct type *t);
const char *btf_keyword(const struct type *t);

/* public.c */
void public_read(const char *path);
bool is_public(const struct type *t);

/* want.c */
extern const struct type **want_types, **want_checks;
extern unsigned int want_ntypes, want_nchecks;
void want_read(const char *path);
const char *want_note(const struct type *owner, const char *member);

/* emit.c */
extern const struct type **emitted;
extern unsigned int nemitted;
void emit_collect(void);
void emit_types(FILE *out);

/* check.c */
void check_write(FILE *out);

#endif
