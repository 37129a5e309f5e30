// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h LIST PUBLIC TYPES CHECK BTF...
 *
 * LIST is what is wanted (want.c), PUBLIC the preprocessed public headers,
 * TYPES and CHECK are the files to write, BTF what `bpftool btf dump` printed
 * in its raw format, of vmlinux first and then of the module.
 */
#include <errno.h>
#include <string.h>

#include "btf2h.h"

static void write_file(const char *path, void (*write)(FILE *out))
{
	FILE *out = fopen(path, "w");

	if (!out)
		die("%s: %s", path, strerror(errno));
	write(out);
	if (ferror(out) | fclose(out))
		die("%s: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 6) {
		fputs("usage: btf2h LIST PUBLIC TYPES CHECK BTF...\n", stderr);
		return 2;
	}
	for (i = 5; i < argc; i++)
		btf_read(argv[i]);
	public_read(argv[2]);
	want_read(argv[1]);
	emit_collect();
	write_file(argv[3], emit_types);
	write_file(argv[4], check_write);
	return 0;
}
