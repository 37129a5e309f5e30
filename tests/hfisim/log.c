// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "hfi.h"

#define COMPLAINTS_PER_SECOND	20
#define NS_PER_S		1000000000ULL

enum log_level log_level = LOG_NOTICE;

static FILE *log_file;
static u64 log_start;

int log_open(const char *path)
{
	log_start = loop_now();
	log_file = stderr;
	if (!path)
		return 0;
	log_file = fopen(path, "we");
	if (!log_file) {
		log_file = stderr;
		return -errno;
	}
	setvbuf(log_file, NULL, _IOLBF, 0);
	return 0;
}

static void log_line(const struct hfi *hfi, const char *format, va_list args)
{
	u64 now = loop_now();
	FILE *file = log_file ? log_file : stderr;

	if (!log_start)
		log_start = now;
	fprintf(file, "%10.4f ", (double)(now - log_start) / NS_PER_S);
	if (hfi)
		fprintf(file, "hfi%u ", hfi->config.index);
	vfprintf(file, format, args);
	fputc('\n', file);
}

void log_write(const struct hfi *hfi, enum log_level level,
	       const char *format, ...)
{
	va_list args;

	if (level > log_level)
		return;
	va_start(args, format);
	log_line(hfi, format, args);
	va_end(args);
}

void hfi_complain(struct hfi *hfi, const char *format, ...)
{
	u64 now = loop_now();
	va_list args;

	hfi->counters.protocol_errors++;
	if (now - hfi->complaint_time >= NS_PER_S) {
		if (hfi->complaints_left_out)
			hfi_log(hfi, LOG_ERROR, "%llu more errors not shown",
				hfi->complaints_left_out);
		hfi->complaint_time = now;
		hfi->complaints = 0;
		hfi->complaints_left_out = 0;
	}
	if (++hfi->complaints > COMPLAINTS_PER_SECOND) {
		hfi->complaints_left_out++;
		return;
	}
	va_start(args, format);
	log_line(hfi, format, args);
	va_end(args);
}
