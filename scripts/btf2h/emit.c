// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the header: forward declarations, then typedefs, enums, structs and
 * unions in an order in which each finds what it needs.
 *
 * A struct's members are laid out by their BTF offsets: every hole is filled by
 * an explicit member, so that the result does not hang on alignment attributes,
 * which BTF does not carry. The assertions of check.c hold the compiler to it.
 */
#include <stdlib.h>
#include <string.h>

#include "btf2h.h"

const struct type **emitted;
unsigned int nemitted;

static struct set *seen, *forwards;
static FILE *forward_out, *body_out;
static char *forward_text, *body_text;

static void need(unsigned int id, bool complete);
static char *declare(unsigned int id, const char *inner, unsigned int depth);

static const char *tabs(unsigned int depth)
{
	return text("%.*s", (int)depth, "\t\t\t\t\t\t\t\t");
}

/* State of laying out one struct: bit is the first that is not emitted yet. */
struct layout {
	FILE *out;
	unsigned int depth;
	unsigned int bit;
};

/* Holes filled in a struct, with those in structs without a tag inside it. */
static unsigned int holes;

/* Fills the room up to bit end. */
static void fill(struct layout *l, const struct type *t, unsigned int end)
{
	unsigned int bytes;

	if (end < l->bit)
		die("struct %s: members overlap", t->name);
	if (l->bit % 8 && end > l->bit) {
		bytes = 8 - l->bit % 8;
		if (bytes > end - l->bit)
			bytes = end - l->bit;
		fprintf(l->out, "%sunsigned char : %u;\n", tabs(l->depth),
			bytes);
		l->bit += bytes;
	}
	bytes = (end - l->bit) / 8;
	if (bytes)
		fprintf(l->out, "%sunsigned char __hole%u[%u];\n",
			tabs(l->depth), holes++, bytes);
	l->bit += bytes * 8;
	if (end > l->bit)
		fprintf(l->out, "%sunsigned char : %u;\n", tabs(l->depth),
			end - l->bit);
	l->bit = end;
}

/* A bit-field starts at the next free bit or, if it does not fit, a unit. */
static unsigned int next_bitfield(const struct item *m, unsigned int bit,
				  bool packed)
{
	unsigned int unit = 8 * btf_size(m->type);

	if (!packed && bit % unit + m->width > unit)
		bit += unit - bit % unit;
	return bit;
}

/* An annotation belongs to what the member points to. */
static const char *noted(const struct type *t, const struct item *m,
			 unsigned int depth)
{
	const char *note = want_note(t, m->name);
	const struct type *to = btf_type(m->type);

	if (!note)
		return declare(m->type, m->name, depth);
	if (to->kind != KIND_PTR)
		die("%s.%s is marked %s, but is no pointer", t->name, m->name,
		    note);
	return declare(to->ref, text("%s *%s", note, m->name), depth);
}

static void member(struct layout *l, const struct type *t,
		   const struct item *m, bool packed)
{
	if (m->width) {
		if (next_bitfield(m, l->bit, packed) != m->offset)
			fill(l, t, m->offset);
		fprintf(l->out, "%s%s : %u;\n", tabs(l->depth),
			declare(m->type, m->name, l->depth), m->width);
		l->bit = m->offset + m->width;
		return;
	}
	fill(l, t, m->offset);
	fprintf(l->out, "%s%s;\n", tabs(l->depth), noted(t, m, l->depth));
	l->bit = m->offset + 8 * btf_size(m->type);
}

/* "{ ... }" of a struct or union, with its packed attribute. */
static char *members(const struct type *t, unsigned int depth)
{
	struct layout l = { .depth = depth + 1 };
	bool packed = btf_packed(t);
	size_t size;
	unsigned int i;
	char *s;

	l.out = open_memstream(&s, &size);
	if (!l.out)
		die("out of memory");
	fputs("{\n", l.out);
	for (i = 0; i < t->nitems; i++) {
		if (t->kind == KIND_UNION)
			l.bit = 0;
		member(&l, t, &t->items[i], packed);
	}
	if (t->kind == KIND_STRUCT)
		fill(&l, t, 8 * t->size);
	fprintf(l.out, "%s}%s", tabs(depth),
		packed ? " __packed" : "");
	fclose(l.out);
	return s;
}

static char *enumerators(const struct type *t, unsigned int depth)
{
	size_t size;
	unsigned int i;
	FILE *out;
	char *s;

	out = open_memstream(&s, &size);
	if (!out)
		die("out of memory");
	fputs("{\n", out);
	for (i = 0; i < t->nitems; i++)
		fprintf(out, "%s%s = %s,\n", tabs(depth + 1), t->items[i].name,
			t->items[i].value);
	fprintf(out, "%s}%s", tabs(depth), t->size < 4 ? " __packed" : "");
	fclose(out);
	return s;
}

/* "struct tag", or the whole of a struct, union or enum that has no tag. */
static char *specifier(const struct type *t, unsigned int depth)
{
	switch (t->kind) {
	case KIND_STRUCT:
	case KIND_UNION:
		if (!btf_named(t))
			return text("%s %s", btf_keyword(t), members(t, depth));
		return text("%s %s", btf_keyword(t), t->name);
	case KIND_ENUM:
		if (!btf_named(t))
			return text("enum %s", enumerators(t, depth));
		return text("enum %s", t->name);
	case KIND_FWD:
		return text("%s %s", btf_keyword(t), t->name);
	default:
		return text("%s", t->name);
	}
}

static char *parameters(const struct type *t)
{
	char *list = NULL;
	unsigned int i;

	if (!t->nitems)
		return text("void");
	for (i = 0; i < t->nitems; i++) {
		char *one = t->items[i].type ?
			    declare(t->items[i].type, "", 0) : text("...");

		list = list ? text("%s, %s", list, one) : one;
	}
	return list;
}

static char *qualified(const char *word, unsigned int id, const char *inner,
		       unsigned int depth)
{
	if (btf_type(id)->kind == KIND_PTR)
		return declare(id, text("%s %s", word, inner), depth);
	return text("%s %s", word, declare(id, inner, depth));
}

/*
 * A C declaration, built from the inside out.
 * @inner: what is declared so far: the name, with stars and brackets around it
 */
static char *declare(unsigned int id, const char *inner, unsigned int depth)
{
	const struct type *t = btf_type(id);
	enum kind to;

	switch (t->kind) {
	case KIND_PTR:
		to = btf_type(t->ref)->kind;
		if (to == KIND_ARRAY || to == KIND_FUNC_PROTO)
			return declare(t->ref, text("(*%s)", inner), depth);
		return declare(t->ref, text("*%s", inner), depth);
	case KIND_ARRAY:
		return declare(t->ref, text("%s[%u]", inner, t->count), depth);
	case KIND_FUNC_PROTO:
		return declare(t->ref, text("%s(%s)", inner, parameters(t)),
			       depth);
	case KIND_CONST:
		return qualified("const", t->ref, inner, depth);
	case KIND_VOLATILE:
		return qualified("volatile", t->ref, inner, depth);
	case KIND_PASS:
		return declare(t->ref, inner, depth);
	case KIND_OTHER:
		die("type %u cannot be declared", id);
	default:
		if (!*inner)
			return specifier(t, depth);
		return text("%s %s", specifier(t, depth), inner);
	}
}

static void need_items(const struct type *t, bool complete)
{
	unsigned int i;

	for (i = 0; i < t->nitems; i++)
		need(t->items[i].type, complete);
}

static void need_forward(const struct type *t)
{
	const char *tag = text("%s %s", btf_keyword(t), t->name);

	if (set_add(forwards, tag))
		fprintf(forward_out, "%s;\n", tag);
}

static void need_struct(const struct type *t, bool complete)
{
	if (!btf_named(t)) {
		need_items(t, true);
		return;
	}
	need_forward(t);
	if (!complete || !set_add(seen, text("tag %s", t->name)))
		return;
	need_items(t, true);
	holes = 0;
	emitted = grow(emitted, nemitted, sizeof(*emitted));
	emitted[nemitted++] = t;
	fprintf(body_out, "\n%s %s %s;\n", btf_keyword(t), t->name,
		members(t, 0));
}

static void need_enum(const struct type *t)
{
	if (btf_named(t) && set_add(seen, text("enum %s", t->name)))
		fprintf(body_out, "\nenum %s %s;\n", t->name,
			enumerators(t, 0));
}

static void need_typedef(const struct type *t, bool complete)
{
	need(t->ref, complete);
	if (set_add(seen, text("typedef %s", t->name)))
		fprintf(body_out, "\ntypedef %s;\n",
			declare(t->ref, t->name, 0));
}

/*
 * Emits what a use of the type needs that no public header gives.
 * @complete: the use needs its size, not its name only
 */
static void need(unsigned int id, bool complete)
{
	const struct type *t = btf_type(id);

	if (t->kind != KIND_VOID && is_public(t))
		return;
	switch (t->kind) {
	case KIND_STRUCT:
	case KIND_UNION:
		need_struct(t, complete);
		break;
	case KIND_FWD:
		need_forward(t);
		break;
	case KIND_ENUM:
		need_enum(t);
		break;
	case KIND_TYPEDEF:
		need_typedef(t, complete);
		break;
	case KIND_PTR:
		need(t->ref, false);
		break;
	case KIND_FUNC_PROTO:
		need_items(t, false);
		need(t->ref, false);
		break;
	case KIND_ARRAY:
		need(t->ref, true);
		break;
	case KIND_CONST:
	case KIND_VOLATILE:
	case KIND_PASS:
		need(t->ref, complete);
		break;
	default:
		break;
	}
}

/**
 * emit_collect() - find and lay out all types that the wanted ones need
 */
void emit_collect(void)
{
	size_t size;
	unsigned int i;

	seen = set_new();
	forwards = set_new();
	forward_out = open_memstream(&forward_text, &size);
	body_out = open_memstream(&body_text, &size);
	if (!forward_out || !body_out)
		die("out of memory");
	for (i = 0; i < want_ntypes; i++) {
		if (is_public(want_types[i]))
			die("%s %s is a public type: list it as 'check'",
			    btf_keyword(want_types[i]), want_types[i]->name);
		if (want_types[i]->kind == KIND_ENUM)
			need_enum(want_types[i]);
		else
			need_struct(want_types[i], true);
	}
	fclose(forward_out);
	fclose(body_out);
}

/**
 * emit_types() - write the header
 * @out: where to
 */
void emit_types(FILE *out)
{
	fprintf(out, "/* Generated by btf2h from the BTF of hfi1.ko. */\n"
		     "#ifndef HFI1_TYPES_H\n#define HFI1_TYPES_H\n\n"
		     "%s%s\n#endif\n", forward_text, body_text);
}
