// SPDX-License-Identifier: GPL-2.0
/*
 * Finds what the public headers define, in their preprocessed text: tags that
 * are followed by a body, and the names that typedefs declare.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "btf2h.h"

#define WORD 256

static struct set *names;
static FILE *in;

/*
 * Next token into word: an identifier, or one character. Strings, character
 * constants and line markers are passed over. Returns false at the end.
 */
static bool token(char *word)
{
	size_t n = 0;
	int c, quote;

again:
	do
		c = getc(in);
	while (isspace(c));
	if (c == '#') {
		while (c != EOF && c != '\n')
			c = getc(in);
		goto again;
	}
	if (c == '"' || c == '\'') {
		quote = c;
		while ((c = getc(in)) != EOF && c != quote)
			if (c == '\\')
				getc(in);
		goto again;
	}
	if (c == EOF)
		return false;
	while (c != EOF && (isalnum(c) || c == '_')) {
		if (n < WORD - 1)
			word[n++] = c;
		c = getc(in);
	}
	if (n)
		ungetc(c, in);
	else
		word[n++] = c;
	word[n] = '\0';
	return true;
}

static bool is_word(const char *word)
{
	return isalpha((unsigned char)*word) || *word == '_';
}

static bool is_attribute(const char *word)
{
	return !strcmp(word, "__attribute__") || !strcmp(word, "__attribute") ||
	       !strcmp(word, "__typeof__") || !strcmp(word, "typeof") ||
	       !strcmp(word, "__declspec");
}

/* Passes over a balanced group whose opening token comes next or was read. */
static void skip_group(const char *open, const char *close, unsigned int depth)
{
	char word[WORD];

	do {
		if (!token(word))
			return;
		if (!strcmp(word, open))
			depth++;
		else if (!strcmp(word, close))
			depth--;
	} while (depth);
}

/*
 * After "struct", "union" or "enum": records the tag if a body follows.
 * Leaves in word the first token behind keyword, attributes and tag.
 */
static void tag(const char *keyword, char *word)
{
	char name[WORD] = "";

	while (token(word)) {
		if (is_attribute(word))
			skip_group("(", ")", 0);
		else if (is_word(word) && !name[0])
			snprintf(name, sizeof(name), "%s", word);
		else
			break;
	}
	if (*word == '{' && name[0])
		set_add(names, text("%s %s", keyword, name));
}

static bool is_tag(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "union") ||
	       !strcmp(word, "enum");
}

/* Where type_definition() is in the brackets of a typedef. */
struct place {
	unsigned int parens, braces, squares;
	bool open;		/* the last token was a parenthesis */
	bool star;		/* inside "(*", before the name */
	bool found;		/* "(*name" was seen: nothing else can be it */
};

static void bracket(struct place *at, char c)
{
	switch (c) {
	case '{':
		at->braces++;
		break;
	case '}':
		at->braces--;
		break;
	case '[':
		at->squares++;
		break;
	case ']':
		at->squares--;
		break;
	case '(':
		at->parens++;
		at->star = false;
		break;
	case ')':
		at->parens--;
		at->star = false;
		break;
	case '*':
		at->star |= at->open && at->parens == 1;
		break;
	}
	at->open = c == '(';
}

static bool may_be_name(const struct place *at, const char *word)
{
	if (!is_word(word) || !strcmp(word, "const") || at->found)
		return false;
	return !at->braces && !at->squares && (!at->parens || at->star);
}

/*
 * A typedef declares the word behind "(*", or else the last word that is in
 * no bracket. Definitions inside it are recorded too.
 */
static void type_definition(void)
{
	char word[WORD], keyword[WORD], name[WORD] = "";
	struct place at = {};

	while (token(word)) {
		while (is_tag(word)) {
			snprintf(keyword, sizeof(keyword), "%s", word);
			tag(keyword, word);
		}
		if (*word == ';' && !at.braces)
			break;
		if (is_attribute(word)) {
			skip_group("(", ")", 0);
		} else if (may_be_name(&at, word)) {
			snprintf(name, sizeof(name), "%s", word);
			at.found = at.star;
		}
		if (!is_word(word))
			bracket(&at, *word);
		else
			at.open = false;
	}
	if (name[0])
		set_add(names, text("typedef %s", name));
}

/**
 * public_read() - learn what the public headers define
 * @path: their preprocessed text
 */
void public_read(const char *path)
{
	char word[WORD], keyword[WORD];

	names = set_new();
	in = fopen(path, "r");
	if (!in)
		die("%s: %s", path, strerror(errno));
	while (token(word)) {
		while (is_tag(word)) {
			snprintf(keyword, sizeof(keyword), "%s", word);
			tag(keyword, word);
		}
		if (!strcmp(word, "typedef"))
			type_definition();
	}
	fclose(in);
}

/**
 * is_public() - is a type defined by a public header?
 * @t: the type
 *
 * Return: true if C code gets it by name without our help.
 */
bool is_public(const struct type *t)
{
	if (!btf_named(t))
		return false;
	switch (t->kind) {
	case KIND_TYPEDEF:
		return !strncmp(t->name, "__builtin", 9) ||
		       set_has(names, text("typedef %s", t->name));
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_ENUM:
	case KIND_FWD:
		return set_has(names,
			       text("%s %s", btf_keyword(t), t->name));
	default:
		return true;
	}
}
