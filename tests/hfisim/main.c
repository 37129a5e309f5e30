// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control.h"
#include "hfi.h"
#include "vfio_user.h"

#define HFIS	2

#define EXIT_USAGE	2

/**
 * struct hfisim - the program
 * @config: of every HFI, but for the index
 * @count: number of HFIs
 * @directory: where the sockets go
 * @log: log file, NULL for standard error
 * @loop: the loop
 * @hfi: the HFIs
 * @server: their sockets
 * @control: the control socket
 * @signals: SIGTERM and SIGINT
 * @ended: one of them came
 */
struct hfisim {
	struct hfi_config config;
	u32 count;
	const char *directory;
	const char *log;
	struct loop *loop;
	struct hfi *hfi[HFIS];
	struct vfio_user *server[HFIS];
	struct control *control;
	struct loop_source signals;
	bool ended;
};

enum option_code {
	OPTION_DEVICE_ID = 256,
	OPTION_ICODE,
	OPTION_RCV_CONTEXTS,
	OPTION_SEND_CONTEXTS,
	OPTION_SDMA_ENGINES,
	OPTION_RCV_ARRAY,
	OPTION_LOG,
	OPTION_LOG_LEVEL,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option options[] = {
	{ "device-id", required_argument, NULL, OPTION_DEVICE_ID },
	{ "icode", required_argument, NULL, OPTION_ICODE },
	{ "rcv-contexts", required_argument, NULL, OPTION_RCV_CONTEXTS },
	{ "send-contexts", required_argument, NULL, OPTION_SEND_CONTEXTS },
	{ "sdma-engines", required_argument, NULL, OPTION_SDMA_ENGINES },
	{ "rcv-array", required_argument, NULL, OPTION_RCV_ARRAY },
	{ "log", required_argument, NULL, OPTION_LOG },
	{ "log-level", required_argument, NULL, OPTION_LOG_LEVEL },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"Usage: hfisim -d DIR [OPTION]...\n"
"\n"
"Serves emulated Omni-Path HFIs to QEMU (-device vfio-user-pci): one on the\n"
"socket DIR/hfi0.sock, one on DIR/hfi1.sock, joined by a cable. DIR/ctl.sock\n"
"takes the commands of hfisimctl.\n"
"\n"
"  -d DIR               where the sockets are made\n"
"  -n COUNT             number of HFIs, 1 (its cable leads back to it) or 2\n"
"  --device-id ID       24f1 (integrated, default) or 24f0 (discrete)\n"
"  --icode CODE         implementation code: 1 (link negotiation, default)\n"
"                       or 3 (functional simulator)\n"
"  --rcv-contexts N     receive contexts, 1 to 160 (26)\n"
"  --send-contexts N    send contexts, 1 to 160 (26)\n"
"  --sdma-engines N     SDMA engines, 1 to 16 (8)\n"
"  --rcv-array N        RcvArray entries, a multiple of 8 up to 32768 (4096)\n"
"  --log FILE           write the log to FILE instead of standard error\n"
"  --log-level N        0 errors, 1 notices (default), 2 more, 3 packets,\n"
"                       4 register accesses\n"
"  --help, --version\n";

static void usage_error(const char *what, const char *value)
{
	fprintf(stderr, "hfisim: %s '%s'; see hfisim --help\n", what, value);
	exit(EXIT_USAGE);
}

static u32 number(const char *what, const char *text, int base, u32 limit)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, base);
	if (errno || end == text || *end || *text == '-' || value > limit)
		usage_error(what, text);
	return (u32)value;
}

static void parse_option(struct hfisim *sim, int code)
{
	switch (code) {
	case 'd':
		sim->directory = optarg;
		break;
	case 'n':
		sim->count = number("bad number of HFIs", optarg, 10, HFIS);
		break;
	case OPTION_DEVICE_ID:
		sim->config.device_id =
			(u16)number("bad device id", optarg, 16, 0xffff);
		break;
	case OPTION_ICODE:
		sim->config.icode =
			(u8)number("bad implementation code", optarg, 10, 0xff);
		break;
	case OPTION_RCV_CONTEXTS:
		sim->config.rcv_contexts =
			number("bad number of contexts", optarg, 10, UINT_MAX);
		break;
	case OPTION_SEND_CONTEXTS:
		sim->config.send_contexts =
			number("bad number of contexts", optarg, 10, UINT_MAX);
		break;
	case OPTION_SDMA_ENGINES:
		sim->config.sdma_engines =
			number("bad number of engines", optarg, 10, UINT_MAX);
		break;
	case OPTION_RCV_ARRAY:
		sim->config.rcv_array =
			number("bad number of entries", optarg, 10, UINT_MAX);
		break;
	case OPTION_LOG:
		sim->log = optarg;
		break;
	case OPTION_LOG_LEVEL:
		log_level = (enum log_level)number("bad log level", optarg, 10,
						   LOG_TRACE);
		break;
	case OPTION_HELP:
		fputs(help, stdout);
		exit(EXIT_SUCCESS);
	case OPTION_VERSION:
		puts("hfisim " HFISIM_VERSION);
		exit(EXIT_SUCCESS);
	default:
		fputs("hfisim: see hfisim --help\n", stderr);
		exit(EXIT_USAGE);
	}
}

static void parse_arguments(struct hfisim *sim, int argc, char **argv)
{
	int code;

	while ((code = getopt_long(argc, argv, "d:n:", options, NULL)) != -1)
		parse_option(sim, code);
	if (optind < argc)
		usage_error("unexpected argument", argv[optind]);
	if (!sim->directory || !sim->count) {
		fprintf(stderr, "hfisim: %s; see hfisim --help\n",
			sim->directory ? "at least one HFI is needed" :
			"-d DIR is missing");
		exit(EXIT_USAGE);
	}
}

static void signal_came(struct loop_source *source, u32 events)
{
	struct hfisim *sim = container_of(source, struct hfisim, signals);

	(void)events;
	sim->ended = true;
}

static bool watch_signals(struct hfisim *sim)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	mem_survive();
	sim->signals.ready = signal_came;
	sim->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return sim->signals.fd >= 0 &&
	       !loop_add(sim->loop, &sim->signals, EPOLLIN);
}

static bool socket_path(char *path, size_t size, const char *directory,
			const char *name)
{
	int length = snprintf(path, size, "%s/%s", directory, name);

	if (length >= 0 && (size_t)length < size)
		return true;
	hfi_log(NULL, LOG_ERROR, "the folder name %s is too long", directory);
	return false;
}

static bool start(struct hfisim *sim)
{
	char path[PATH_MAX], name[16];
	u32 i;

	sim->loop = loop_new();
	if (!sim->loop || !watch_signals(sim)) {
		hfi_log(NULL, LOG_ERROR, "no event loop: %s", strerror(errno));
		return false;
	}
	for (i = 0; i < sim->count; i++) {
		sim->config.index = i;
		sim->hfi[i] = hfi_new(&sim->config, sim->loop);
		if (!sim->hfi[i])
			return false;
	}
	hfi_connect(sim->hfi[0], sim->hfi[sim->count - 1]);
	for (i = 0; i < sim->count; i++) {
		snprintf(name, sizeof(name), "hfi%u.sock", i);
		if (!socket_path(path, sizeof(path), sim->directory, name))
			return false;
		sim->server[i] = vfio_user_start(sim->loop, path, sim->hfi[i]);
		if (!sim->server[i])
			return false;
	}
	if (!socket_path(path, sizeof(path), sim->directory, "ctl.sock"))
		return false;
	sim->control = control_start(sim->loop, path, sim->hfi, sim->count);
	return sim->control;
}

static void stop(struct hfisim *sim)
{
	u32 i;

	control_stop(sim->control);
	for (i = 0; i < sim->count; i++)
		vfio_user_stop(sim->server[i]);
	for (i = 0; i < sim->count; i++)
		hfi_free(sim->hfi[i]);
	loop_free(sim->loop);
}

int main(int argc, char **argv)
{
	struct hfisim sim = { .config = hfi_config_default(), .count = HFIS };
	int ret;

	parse_arguments(&sim, argc, argv);
	if (!hfi_config_valid(&sim.config))
		return EXIT_USAGE;
	ret = log_open(sim.log);
	if (ret) {
		fprintf(stderr, "hfisim: cannot write the log %s: %s\n", sim.log,
			strerror(-ret));
		return EXIT_FAILURE;
	}
	if (!start(&sim)) {
		if (sim.log)
			fprintf(stderr, "hfisim: gave up; the reason is in %s\n",
				sim.log);
		stop(&sim);
		return EXIT_FAILURE;
	}
	puts("hfisim: ready");
	fflush(stdout);
	while (!sim.ended && !ret)
		ret = loop_once(sim.loop, -1);
	stop(&sim);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
