// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the list of what is wanted. A line is one of
 *	struct NAME			emit this type and what it holds
 *	enum NAME
 *	check struct NAME		a public type whose layout is to be checked
 *	note NAME.MEMBER WORD		put an annotation BTF cannot carry on a member
 */
#include <errno.h>
#include <string.h>

#include "btf2h.h"

const struct type **want_types, **want_checks;
unsigned int want_ntypes, want_nchecks;

static struct {
	const char *where;
	const char *word;
} *notes;
static unsigned int nnotes;

static const struct type *find(const char *keyword, const char *name,
			       const char *path)
{
	enum kind kind = strcmp(keyword, "enum") ? KIND_STRUCT : KIND_ENUM;
	const struct type *t = btf_find(kind, name);

	if (!t)
		die("%s asks for %s %s, which this module's BTF does not have",
		    path, keyword, name);
	return t;
}

static void want_line(const char *line, const char *path)
{
	char a[128], b[128], c[128];
	int n = sscanf(line, "%127s %127s %127s", a, b, c);

	if (n < 1 || *a == '#')
		return;
	if (n == 2 && (!strcmp(a, "struct") || !strcmp(a, "enum"))) {
		want_types = grow(want_types, want_ntypes, sizeof(*want_types));
		want_types[want_ntypes++] = find(a, b, path);
	} else if (n == 3 && !strcmp(a, "check")) {
		want_checks = grow(want_checks, want_nchecks,
				   sizeof(*want_checks));
		want_checks[want_nchecks++] = find(b, c, path);
	} else if (n == 3 && !strcmp(a, "note")) {
		notes = grow(notes, nnotes, sizeof(*notes));
		notes[nnotes].where = text("%s", b);
		notes[nnotes++].word = text("%s", c);
	} else {
		die("%s: not understood: %s", path, line);
	}
}

/**
 * want_read() - read the list
 * @path: its file
 */
void want_read(const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!in)
		die("%s: %s", path, strerror(errno));
	while (getline(&line, &size, in) > 0)
		want_line(line, path);
	fclose(in);
}

/**
 * want_note() - the annotation of a member
 * @owner: struct it is in
 * @member: its name
 *
 * Return: "__iomem" or the like, NULL when it has none.
 */
const char *want_note(const struct type *owner, const char *member)
{
	const char *where = text("%s.%s", owner->name, member);
	unsigned int i;

	for (i = 0; i < nnotes; i++)
		if (!strcmp(notes[i].where, where))
			return notes[i].word;
	return NULL;
}
