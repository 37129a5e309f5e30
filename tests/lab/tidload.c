// SPDX-License-Identifier: GPL-2.0
/*
 * tidload: READ and WRITE between the two HFIs of one guest, over TID RDMA.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tidload_churn.h"

#define MAX_SIZE	(64u << 20)
#define MAX_OFFSET	4096u
#define MAX_TIMEOUT	31u

static const char usage[] =
"usage: tidload COMMAND [OPTION...]\n"
"RC QPs between the first and the second HFI of this machine.\n"
"\n"
"Commands:\n"
"  verify  each size in turn, every byte checked and the guards around them\n"
"  load    traffic for a time or a number of operations, or until SIGTERM,\n"
"          then its figures\n"
"  step    read commands from standard input, answer each with one line:\n"
"            make QPS SIZE [MEMORY]     make, connect, agree on TID RDMA\n"
"            post QPS read|write SIZE [HFI]\n"
"                                       start one operation on each\n"
"            wait QPS SECONDS           until they have none in flight; answers\n"
"                                       ok done N failed N wrong N pending N\n"
"            state QPS HFI err|reset    move their QP of HFI 0 or 1\n"
"            connect QPS                after reset or destroy, connect anew\n"
"            destroy QPS HFI            destroy their QP of HFI 0 or 1\n"
"            number QP HFI              its QP number\n"
"          QPS is 3 or 0-31; the answer starts with ok or error\n"
"  churn   pairs of QPs are made, read and write at random, and are ended at a\n"
"          random moment: reset, moved to ERR, destroyed, their memory\n"
"          deregistered; some are connected anew. Each operation of a QP that\n"
"          was neither reset nor destroyed has to complete once, every byte is\n"
"          checked, and nothing may land after the end\n"
"\n"
"Options:\n"
"  -o, --op read|write|both       what to do (read)\n"
"  -q, --qps N                    connections (1)\n"
"  -d, --depth N                  operations in flight on each QP (1)\n"
"  -s, --size BYTES[,BYTES...]    K and M are understood (1M; verify: 4K to 4M)\n"
"  -O, --offset BYTES             leave page alignment by so much (0)\n"
"  -m, --memory scattered|contiguous\n"
"                                 no neighbouring pages adjacent in physical\n"
"                                 memory, or 2 MiB pieces (contiguous)\n"
"  -r, --requester 0|1            the HFI that posts (0)\n"
"  -n, --operations N             load: in all; verify: of each size on each QP (4)\n"
"  -t, --seconds S                load: for so long (5, unless -n is given)\n"
"  -c, --check                    load and step: check every byte\n"
"  -N, --no-tid                   do not wait for TID RDMA to be agreed on\n"
"  -T, --timeout N                ACK timeout of the QPs, 4.096 us << N (18)\n"
"  -D, --deadline S               without a completion for so long, what is in\n"
"                                 flight counts as stuck (20)\n"
"  -j, --json                     load: figures as one line of JSON\n"
"  -Q, --qps-total N              churn: pairs of QPs in all (1000); --qps is how\n"
"                                 many live at once, --depth how many operations\n"
"                                 they have in flight at most\n"
"  -S, --seed N                   churn: what its decisions come from (the time)\n"
"  -k, --kill N                   churn: share the work among N processes, which\n"
"                                 are killed at random moments and started anew\n"
"  -B, --both-ways                churn: the two QPs of a pair both post, in half\n"
"                                 of the pairs\n"
"  -L, --outages                  churn: the link goes down meanwhile, a QP may\n"
"                                 ask in vain for too long\n"
"  -h, --help\n"
"\n"
"Exit status: 0 all right; 1 an operation failed, moved a wrong byte, never\n"
"completed or completed twice; 2 usage; 3 could not be set up.\n";

static const struct option long_options[] = {
	{ "op", required_argument, NULL, 'o' },
	{ "qps", required_argument, NULL, 'q' },
	{ "depth", required_argument, NULL, 'd' },
	{ "size", required_argument, NULL, 's' },
	{ "offset", required_argument, NULL, 'O' },
	{ "memory", required_argument, NULL, 'm' },
	{ "requester", required_argument, NULL, 'r' },
	{ "operations", required_argument, NULL, 'n' },
	{ "seconds", required_argument, NULL, 't' },
	{ "check", no_argument, NULL, 'c' },
	{ "no-tid", no_argument, NULL, 'N' },
	{ "timeout", required_argument, NULL, 'T' },
	{ "deadline", required_argument, NULL, 'D' },
	{ "json", no_argument, NULL, 'j' },
	{ "qps-total", required_argument, NULL, 'Q' },
	{ "seed", required_argument, NULL, 'S' },
	{ "kill", required_argument, NULL, 'k' },
	{ "both-ways", no_argument, NULL, 'B' },
	{ "outages", no_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

/**
 * parse_size() - read a number of bytes, with K or M behind it or not
 * @text: what to read
 * @size: set to bytes, 1 to 64 MiB
 *
 * Return: 0, or -EINVAL.
 */
int parse_size(const char *text, size_t *size)
{
	unsigned long long value;
	char *end;

	value = strtoull(text, &end, 0);
	if (end == text || value > MAX_SIZE)
		return -EINVAL;
	if (*end == 'K' || *end == 'M')
		value <<= *end++ == 'K' ? 10 : 20;
	if (*end || !value || value > MAX_SIZE)
		return -EINVAL;
	*size = value;
	return 0;
}

static int parse_sizes(struct options *opt, char *text)
{
	char *word;

	opt->n_sizes = 0;
	for (word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		if (opt->n_sizes == ARRAY_SIZE(opt->sizes) ||
		    parse_size(word, &opt->sizes[opt->n_sizes]))
			return -EINVAL;
		opt->n_sizes++;
	}
	return opt->n_sizes ? 0 : -EINVAL;
}

static int parse_number(const char *text, unsigned int min, unsigned int max,
			unsigned int *number)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 0);
	if (end == text || *end || value < min || value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

static int parse_seed(const char *text, __u64 *seed)
{
	char *end;

	*seed = strtoull(text, &end, 0);
	return end == text || *end ? -EINVAL : 0;
}

static int parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end == text || *end || *seconds <= 0 ? -EINVAL : 0;
}

static int parse_word(const char *text, const char *const *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return i;
	return -EINVAL;
}

static int parse_option(struct options *opt, int key, char *arg)
{
	static const char *const ops[] = { "read", "write", "both" };
	static const char *const memories[] = { "contiguous", "scattered" };
	unsigned int number = 0;
	int ret;

	switch (key) {
	case 'o':
		ret = parse_word(arg, ops, 3);
		opt->op = ret;
		return ret;
	case 'q':
		return parse_number(arg, 1, MAX_QPS, &opt->qps);
	case 'd':
		return parse_number(arg, 1, MAX_DEPTH, &opt->depth);
	case 's':
		return parse_sizes(opt, arg);
	case 'O':
		ret = parse_number(arg, 0, MAX_OFFSET, &number);
		opt->offset = number;
		return ret;
	case 'm':
		ret = parse_word(arg, memories, 2);
		opt->scattered = ret == 1;
		return ret;
	case 'r':
		return parse_number(arg, 0, 1, &opt->requester);
	case 'n':
		ret = parse_number(arg, 1, UINT32_MAX, &number);
		opt->operations = number;
		return ret;
	case 't':
		return parse_seconds(arg, &opt->seconds);
	case 'T':
		return parse_number(arg, 1, MAX_TIMEOUT, &opt->timeout);
	case 'D':
		return parse_seconds(arg, &opt->deadline);
	case 'c':
		opt->check = true;
		return 0;
	case 'N':
		opt->tid = false;
		return 0;
	case 'j':
		opt->json = true;
		return 0;
	case 'Q':
		return parse_number(arg, 1, UINT32_MAX, &opt->qps_total);
	case 'S':
		return parse_seed(arg, &opt->seed);
	case 'k':
		return parse_number(arg, 1, MAX_PROCESSES, &opt->kill);
	case 'B':
		opt->both_ways = true;
		return 0;
	case 'L':
		opt->outages = true;
		return 0;
	}
	return -EINVAL;
}

static void defaults(struct options *opt, bool verify)
{
	bool given = opt->n_sizes;
	size_t size;

	if (verify) {
		opt->check = true;
		if (!opt->operations)
			opt->operations = 4;
		for (size = 4096; !given && size <= 4u << 20; size *= 2)
			opt->sizes[opt->n_sizes++] = size;
	}
	if (!opt->n_sizes)
		opt->sizes[opt->n_sizes++] = 1u << 20;
	if (!opt->operations && opt->seconds <= 0)
		opt->seconds = 5;
}

/**
 * main() - read the command line and run one command
 * @argc: number of words
 * @argv: the words
 *
 * Return: the exit status that the usage text lists.
 */
int main(int argc, char **argv)
{
	static const char *const commands[] = {
		"verify", "load", "step", "churn",
	};
	static int (*const run[])(struct fabric *f) = {
		run_verify, run_load, run_step, run_churn,
	};
	struct options opt = {
		.qps = 1, .depth = 1, .tid = true, .timeout = 18,
		.deadline = 20, .seed = time(NULL), .qps_total = 1000,
	};
	struct fabric f = { .opt = &opt };
	int command, key, ret;
	unsigned int i;

	while ((key = getopt_long(argc, argv, "o:q:d:s:O:m:r:n:t:cNT:D:jQ:S:k:BLh",
				  long_options, NULL)) != -1) {
		if (key == 'h') {
			fputs(usage, stdout);
			return EXIT_OK;
		}
		if (parse_option(&opt, key, optarg) < 0) {
			if (key != '?')
				fprintf(stderr,
					"tidload: -%c does not take %s, see tidload --help\n",
					key, optarg);
			return EXIT_USAGE;
		}
	}
	command = optind + 1 == argc ? parse_word(argv[optind], commands,
						  ARRAY_SIZE(commands)) :
				       -EINVAL;
	if (command < 0) {
		fprintf(stderr,
			"tidload: give one command: verify, load, step or churn, see tidload --help\n");
		return EXIT_USAGE;
	}
	defaults(&opt, run[command] == run_verify);

	/* Each process of churn opens them itself. */
	if (run[command] == run_churn)
		return run_churn(&f);
	if (fabric_open(&f, &opt))
		return EXIT_SETUP;
	ret = run[command](&f);
	for (i = 0; i < f.n_conns; i++)
		conn_free(&f, &f.conns[i]);
	return ret;
}
