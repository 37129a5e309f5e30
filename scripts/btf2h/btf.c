// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what `bpftool btf dump` prints in its raw format: a line a type,
 * "[id] KIND 'name' key=value...", followed by a line with a tab for each
 * member, enumerator or parameter, "'name' key=value...".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf2h.h"

#define POINTER_SIZE 8

static struct type *types;
static unsigned int ntypes;

static const struct {
	const char *word;
	enum kind kind;
} kinds[] = {
	{ "INT", KIND_INT }, { "FLOAT", KIND_FLOAT }, { "PTR", KIND_PTR },
	{ "ARRAY", KIND_ARRAY }, { "STRUCT", KIND_STRUCT },
	{ "UNION", KIND_UNION }, { "ENUM", KIND_ENUM },
	{ "ENUM64", KIND_ENUM }, { "FWD", KIND_FWD },
	{ "TYPEDEF", KIND_TYPEDEF }, { "CONST", KIND_CONST },
	{ "VOLATILE", KIND_VOLATILE }, { "RESTRICT", KIND_PASS },
	{ "TYPE_TAG", KIND_PASS }, { "FUNC_PROTO", KIND_FUNC_PROTO },
	{ "FUNC", KIND_OTHER }, { "VAR", KIND_OTHER },
	{ "DATASEC", KIND_OTHER }, { "DECL_TAG", KIND_OTHER },
	{ NULL, KIND_OTHER },
};

static enum kind kind_of(const char *word, const char *path, size_t line)
{
	size_t i;

	for (i = 0; kinds[i].word; i++)
		if (!strcmp(kinds[i].word, word))
			return kinds[i].kind;
	die("%s:%zu: BTF kind %s is unknown to this program", path, line, word);
}

/* The value of a key in a line, or NULL. */
static const char *value(const char *line, const char *key)
{
	size_t n = strlen(key);
	const char *at = line;

	while ((at = strstr(at, key))) {
		if (at > line && at[-1] == ' ' && at[n] == '=')
			return at + n + 1;
		at += n;
	}
	return NULL;
}

static unsigned int number(const char *line, const char *key)
{
	const char *at = value(line, key);

	return at ? strtoul(at, NULL, 10) : 0;
}

/* Takes the quoted name out of a line; rest is left behind the name. */
static const char *name_in(char *line, char **rest)
{
	char *from = strchr(line, '\'');
	char *to = from ? strchr(from + 1, '\'') : NULL;

	if (!to)
		return NULL;
	*rest = to + 1;
	*to = '\0';
	return strcmp(from + 1, "(anon)") ? text("%s", from + 1) : "";
}

static struct type *type_line(char *line, const char *path, size_t lineno)
{
	unsigned int id;
	struct type *t;
	char word[32];
	char *rest;

	if (sscanf(line, "[%u] %31s", &id, word) != 2)
		die("%s:%zu: not a line of bpftool's raw BTF format: %s",
		    path, lineno, line);
	while (ntypes <= id) {
		types = grow(types, ntypes, sizeof(*types));
		memset(&types[ntypes++], 0, sizeof(*types));
	}
	t = &types[id];
	memset(t, 0, sizeof(*t));
	t->kind = kind_of(word, path, lineno);
	t->name = name_in(line, &rest);
	if (!t->name)
		die("%s:%zu: a type without a name field", path, lineno);
	t->size = number(rest, "size");
	t->count = number(rest, "nr_elems");
	t->ref = number(rest, t->kind == KIND_FUNC_PROTO ? "ret_type_id" :
							   "type_id");
	t->is_union = strstr(rest, "fwd_kind=union");
	return t;
}

static void item_line(struct type *t, char *line)
{
	const char *end, *val;
	struct item *item;
	char *rest;

	t->items = grow(t->items, t->nitems, sizeof(*t->items));
	item = &t->items[t->nitems];
	memset(item, 0, sizeof(*item));
	item->name = name_in(line, &rest);
	if (!item->name)
		return;
	t->nitems++;
	item->type = number(rest, "type_id");
	item->offset = number(rest, "bits_offset");
	item->width = number(rest, "bitfield_size");
	val = value(rest, "val");
	if (val) {
		for (end = val; *end && !isspace((unsigned char)*end); end++)
			;
		item->value = text("%.*s", (int)(end - val), val);
	}
}

/**
 * btf_read() - read one raw dump
 * @path: file with the output of `bpftool btf dump file ...`; the base first,
 *        then the module's
 */
void btf_read(const char *path)
{
	FILE *in = fopen(path, "r");
	struct type *t = NULL;
	size_t size = 0, lineno = 0;
	char *line = NULL;

	if (!in)
		die("%s: %s", path, strerror(errno));
	while (getline(&line, &size, in) > 0) {
		lineno++;
		line[strcspn(line, "\n")] = '\0';
		if (*line == '[')
			t = type_line(line, path, lineno);
		else if (*line == '\t' && t)
			item_line(t, line);
	}
	if (!t)
		die("%s: no BTF types in it", path);
	free(line);
	fclose(in);
}

/**
 * btf_type() - look a type up
 * @id: its id, 0 for void
 *
 * Return: the type.
 */
const struct type *btf_type(unsigned int id)
{
	static const struct type nothing = { .name = "void" };

	if (!id)
		return &nothing;
	if (id >= ntypes || !types[id].name)
		die("BTF type %u is missing: was the module built for another base?",
		    id);
	return &types[id];
}

/**
 * btf_find() - look a type up by name
 * @kind: its kind
 * @name: its name
 *
 * Return: the last one, so that the module's own goes before the base's, or NULL.
 */
const struct type *btf_find(enum kind kind, const char *name)
{
	unsigned int id;

	for (id = ntypes; id-- > 1;)
		if (types[id].kind == kind && !strcmp(types[id].name, name))
			return &types[id];
	return NULL;
}

/**
 * btf_size() - size of a type
 * @id: its id
 *
 * Return: bytes.
 */
unsigned int btf_size(unsigned int id)
{
	const struct type *t = btf_type(id);

	switch (t->kind) {
	case KIND_PTR:
		return POINTER_SIZE;
	case KIND_ARRAY:
		return t->count * btf_size(t->ref);
	case KIND_TYPEDEF:
	case KIND_CONST:
	case KIND_VOLATILE:
	case KIND_PASS:
		return btf_size(t->ref);
	default:
		return t->size;
	}
}

static unsigned int members_align(const struct type *t)
{
	unsigned int i, a, align = 1;

	for (i = 0; i < t->nitems; i++) {
		a = btf_align(t->items[i].type);
		if (a > align)
			align = a;
	}
	return align;
}

/**
 * btf_packed() - does a struct lack its natural alignment?
 * @t: a struct or union
 *
 * BTF records offsets, not attributes.
 *
 * Return: true if its layout needs the packed attribute.
 */
bool btf_packed(const struct type *t)
{
	unsigned int i;

	for (i = 0; i < t->nitems; i++)
		if (!t->items[i].width &&
		    t->items[i].offset % (8 * btf_align(t->items[i].type)))
			return true;
	return t->size % members_align(t);
}

static unsigned int find_align(const struct type *t)
{
	switch (t->kind) {
	case KIND_STRUCT:
	case KIND_UNION:
		return btf_packed(t) ? 1 : members_align(t);
	case KIND_ARRAY:
	case KIND_TYPEDEF:
	case KIND_CONST:
	case KIND_VOLATILE:
	case KIND_PASS:
		return btf_align(t->ref);
	case KIND_PTR:
		return POINTER_SIZE;
	default:
		return t->size ? t->size : 1;
	}
}

/**
 * btf_align() - alignment of a type
 * @id: its id
 *
 * Return: bytes; what the members ask for, aligned attributes are not in BTF.
 */
unsigned int btf_align(unsigned int id)
{
	const struct type *t = btf_type(id);

	if (!id)
		return 1;
	if (!t->align)
		types[id].align = find_align(t);
	return t->align;
}

/**
 * btf_named() - has a type a name that C code can use?
 * @t: the type
 *
 * Return: true for a tagged struct, union or enum, a typedef, a forward.
 */
bool btf_named(const struct type *t)
{
	return t->name[0];
}

/**
 * btf_keyword() - the word before a tag
 * @t: a struct, union, enum or forward
 *
 * Return: "struct", "union" or "enum".
 */
const char *btf_keyword(const struct type *t)
{
	switch (t->kind) {
	case KIND_UNION:
		return "union";
	case KIND_ENUM:
		return "enum";
	case KIND_FWD:
		return t->is_union ? "union" : "struct";
	default:
		return "struct";
	}
}
