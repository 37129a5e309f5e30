// SPDX-License-Identifier: GPL-2.0
/*
 * hfisimctl - send one command to a running hfisim and print its answer
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PORT_DEVICE	"/dev/virtio-ports/hfisim.ctl"
#define LOCAL_SOCKET	"./ctl.sock"
#define LINE_MAX_BYTES	1024
#define REPLY_MAX_BYTES	(1024 * 1024)
#define TIMEOUT_SECONDS	10
#define TIMEOUT_MAX	3600

enum exit_code {
	EXIT_REFUSED = 1,
	EXIT_USAGE = 2,
	EXIT_UNREACHABLE = 3,
};

/**
 * struct session - one connection to hfisim
 * @path: the unix socket or character device it goes through
 * @fd: the open socket or device, non-blocking
 * @deadline: CLOCK_MONOTONIC time, in ms, at which to give up
 * @tag: the word our request starts with and our reply must start with
 * @buf: bytes received and not yet looked at
 * @len: number of bytes in @buf
 */
struct session {
	const char *path;
	int fd;
	long long deadline;
	char tag[48];
	char *buf;
	size_t len;
};

static const char usage_text[] =
"Usage: hfisimctl [-s PATH] [-t SECONDS] COMMAND [ARG...]\n"
"Send one command to a running hfisim and print its answer.\n"
"\n"
"  -s, --socket PATH      control socket or port device; else $HFISIM_CTL,\n"
"                         else " PORT_DEVICE ",\n"
"                         else " LOCAL_SOCKET "\n"
"  -t, --timeout SECONDS  give up after so long (default 10)\n"
"  -h, --help             print this text\n"
"\n"
"HFI is 0 or 1 and names the HFI which receives the packets; KIND is all,\n"
"read_resp or write_data and names expected packets (default all).\n"
"\n"
"  counters [HFI [NAME]]  all counters as JSON, or one as a number, for\n"
"                         example: counters 0 kinds.read_resp\n"
"  hold HFI KIND          park expected packets as they arrive, in order\n"
"  release HFI [N]        let all parked packets go on and stop parking, or\n"
"                         let N go on and keep parking\n"
"  discard HFI            throw the parked packets away and stop parking\n"
"  fault HFI drop|delay|duplicate|reorder|corrupt EVERY [COUNT] [KIND]\n"
"            [delay=MS]   do this to each EVERY-th expected packet, COUNT\n"
"                         times (0, the default: for ever)\n"
"  fault HFI off          end all faults\n"
"  opfn HFI FIELD=VALUE...\n"
"                         rewrite the OPFN data which HFI sends: max_len\n"
"                         (bytes), max_read, max_write, jkey, timeout, urg,\n"
"                         ver, context, kdeth, or all of it: raw=0x...\n"
"  opfn HFI off           send what the driver wrote\n"
"  lie HFI COUNT [every=N] [seed=N] [from=random|real] [way=eager|expected]\n"
"      [qp=N[-N][,...]] [opcode=N[-N][,...]] [hits]\n"
"                         let COUNT packets arrive which nobody has sent, with\n"
"                         any opcode, flow, TID and so on behind a KDETH prefix:\n"
"                         made up, or real ones that came lately, distorted; one\n"
"                         behind each N-th real one, or as fast as the driver\n"
"                         takes them. They name QPs that nobody has, or those\n"
"                         given. Those for a flow that is in use are kept back,\n"
"                         but not with hits. Answers with the seed.\n"
"  lie HFI off            tell no more of them\n"
"  link HFI down|up       take the link down, let it come up again\n"
"  freeze HFI             an error in the receive block, which freezes the chip\n"
"                         until the driver has set it up again\n"
"  ledger HFI             late and invalid expected writes as JSON\n"
"  sizes                  the sizes hfisim was started with, as JSON\n"
"\n"
"Exit status: 0 done, 1 refused by hfisim, 2 wrong usage, 3 no answer.\n";

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static void check_command(const char *word)
{
	static const char * const commands[] = {
		"counters", "hold", "release", "discard", "fault", "opfn", "lie", "link", "freeze",
		"ledger", "sizes",
	};
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(word, commands[i]))
			return;
	errx(EXIT_USAGE, "no command '%s'; see hfisimctl --help", word);
}

static const char *default_path(void)
{
	const char *path = getenv("HFISIM_CTL");

	if (path && *path)
		return path;
	if (!access(PORT_DEVICE, F_OK))
		return PORT_DEVICE;
	return LOCAL_SOCKET;
}

static int connect_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		errx(EXIT_UNREACHABLE, "%s: path too long for a unix socket, use a shorter one",
		     path);
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		err(EXIT_UNREACHABLE, "socket");
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		errx(EXIT_UNREACHABLE, "%s: %s; is hfisim running?", path, strerror(errno));
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		err(EXIT_UNREACHABLE, "%s", path);
	return fd;
}

static void on_alarm(int signal)
{
	(void)signal;
}

/*
 * A virtio port can be open only once, so a second client must wait before it
 * opens it: the lock is on the folder, the device itself could not carry it.
 */
static void lock_folder_of(const char *path, unsigned int seconds)
{
	struct sigaction action = { .sa_handler = on_alarm };
	char *copy = strdup(path);
	int folder;

	if (!copy)
		errx(EXIT_UNREACHABLE, "out of memory");
	folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (folder < 0)
		err(EXIT_UNREACHABLE, "%s: folder", path);
	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
	if (flock(folder, LOCK_EX)) {
		if (errno == EINTR)
			errx(EXIT_UNREACHABLE, "%s: another hfisimctl kept it for %u s; try -t",
			     path, seconds);
		err(EXIT_UNREACHABLE, "%s: lock", path);
	}
	alarm(0);
}

static int open_device(const char *path, unsigned int seconds)
{
	struct termios mode;
	int fd;

	lock_folder_of(path, seconds);
	fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		errx(EXIT_UNREACHABLE, "%s: some other program has it open; end that one", path);
	if (fd < 0)
		err(EXIT_UNREACHABLE, "%s", path);
	if (!tcgetattr(fd, &mode)) {
		cfmakeraw(&mode);
		if (tcsetattr(fd, TCSANOW, &mode))
			err(EXIT_UNREACHABLE, "%s: raw mode", path);
	}
	return fd;
}

static void name_request(struct session *session)
{
	snprintf(session->tag, sizeof(session->tag), "c%d.%lld", (int)getpid(), now_ms());
}

static void session_open(struct session *session, const char *path, unsigned int seconds)
{
	struct stat status;

	session->path = path;
	session->deadline = now_ms() + seconds * 1000ll;
	if (stat(path, &status))
		errx(EXIT_UNREACHABLE, "%s: %s; is hfisim running, and is this its control socket?",
		     path, strerror(errno));
	if (S_ISSOCK(status.st_mode))
		session->fd = connect_socket(path);
	else if (S_ISCHR(status.st_mode))
		session->fd = open_device(path, seconds);
	else
		errx(EXIT_UNREACHABLE, "%s: neither a socket nor a character device", path);
	session->buf = malloc(REPLY_MAX_BYTES);
	if (!session->buf)
		errx(EXIT_UNREACHABLE, "out of memory");
}

static void session_wait(struct session *session, short events)
{
	struct pollfd ready = { .fd = session->fd, .events = events };
	long long left = session->deadline - now_ms();
	int n;

	n = poll(&ready, 1, left > 0 ? (int)left : 0);
	if (n < 0 && errno != EINTR)
		err(EXIT_UNREACHABLE, "%s: poll", session->path);
	if (!n)
		errx(EXIT_UNREACHABLE, "%s: no answer in time", session->path);
	if (n > 0 && !(ready.revents & events))
		errx(EXIT_UNREACHABLE, "%s: hfisim closed the connection", session->path);
}

static void session_send(struct session *session, const char *line)
{
	size_t left = strlen(line);

	while (left) {
		ssize_t n = write(session->fd, line, left);

		if (n > 0) {
			line += n;
			left -= n;
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			err(EXIT_UNREACHABLE, "%s", session->path);
		} else {
			session_wait(session, POLLOUT);
		}
	}
}

static void session_receive(struct session *session)
{
	ssize_t n;

	if (session->len == REPLY_MAX_BYTES)
		errx(EXIT_UNREACHABLE, "%s: answer too long; is this hfisim?", session->path);
	session_wait(session, POLLIN);
	n = read(session->fd, session->buf + session->len, REPLY_MAX_BYTES - session->len);
	if (!n)
		errx(EXIT_UNREACHABLE, "%s: hfisim closed the connection", session->path);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		err(EXIT_UNREACHABLE, "%s", session->path);
	if (n > 0)
		session->len += n;
}

/* The next line is left NUL-terminated at the start of the buffer. */
static size_t session_read_line(struct session *session)
{
	size_t seen = 0;
	char *end;

	while (!(end = memchr(session->buf + seen, '\n', session->len - seen))) {
		seen = session->len;
		session_receive(session);
	}
	*end = '\0';
	return end + 1 - session->buf;
}

/*
 * A port device is one stream for all clients there ever were: answers which
 * somebody asked for and did not wait for come first and are skipped.
 */
static char *session_read_reply(struct session *session)
{
	size_t tag_len = strlen(session->tag);

	for (;;) {
		size_t used = session_read_line(session);

		if (!strncmp(session->buf, session->tag, tag_len) &&
		    session->buf[tag_len] == ' ')
			return session->buf + tag_len + 1;
		session->len -= used;
		memmove(session->buf, session->buf + used, session->len);
	}
}

static void print_indent(int depth)
{
	putchar('\n');
	while (depth--)
		fputs("  ", stdout);
}

/* hfisim's JSON has no blanks outside strings, so layout is all that is added. */
static void print_pretty(const char *json)
{
	bool quoted = false;
	int depth = 0;

	for (; *json; json++) {
		if (quoted || *json == '"') {
			putchar(*json);
			if (*json == '\\' && json[1])
				putchar(*++json);
			else if (*json == '"')
				quoted = !quoted;
		} else if ((*json == '{' || *json == '[') && json[1] != *json + 2) {
			putchar(*json);
			print_indent(++depth);
		} else if ((*json == '}' || *json == ']') && json[-1] != *json - 2) {
			print_indent(--depth);
			putchar(*json);
		} else {
			putchar(*json);
			if (*json == ',')
				print_indent(depth);
			else if (*json == ':')
				putchar(' ');
		}
	}
	putchar('\n');
}

static void build_request(char *line, size_t size, const char *tag, char **words)
{
	size_t used = snprintf(line, size, "\n%s", tag);

	/* The empty line in front ends whatever a killed client left unfinished. */
	for (; *words; words++) {
		const char *c = *words;

		if (!*c)
			errx(EXIT_USAGE, "an argument is empty; see hfisimctl --help");
		for (; *c; c++)
			if (!isgraph((unsigned char)*c))
				errx(EXIT_USAGE, "'%s': no blanks or control characters",
				     *words);
		used += snprintf(line + used, size - used, " %s", *words);
		if (used >= size - 1)
			errx(EXIT_USAGE, "the command is longer than %zu bytes", size);
	}
	memcpy(line + used, "\n", sizeof("\n"));
}

static int print_reply(const char *reply)
{
	if (!strncmp(reply, "ok ", 3)) {
		if (isatty(STDOUT_FILENO))
			print_pretty(reply + 3);
		else
			puts(reply + 3);
		if (fflush(stdout))
			err(EXIT_UNREACHABLE, "standard output");
		return 0;
	}
	if (!strncmp(reply, "error ", 6))
		errx(EXIT_REFUSED, "%s", reply + 6);
	errx(EXIT_UNREACHABLE, "answer '%.40s' not understood; is this hfisim?", reply);
}

static unsigned int parse_timeout(const char *word)
{
	char *end;
	unsigned long seconds = strtoul(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || !seconds || seconds > TIMEOUT_MAX)
		errx(EXIT_USAGE, "timeout '%s': give 1 to %d seconds", word, TIMEOUT_MAX);
	return seconds;
}

/**
 * main() - send one command, print the answer
 * @argc: number of words
 * @argv: the words
 *
 * Return: 0 done, 1 refused by hfisim, 2 wrong usage, 3 hfisim not reached.
 */
int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned int seconds = TIMEOUT_SECONDS;
	struct session session = { .fd = -1 };
	const char *path = NULL;
	char line[LINE_MAX_BYTES];
	int option;

	signal(SIGPIPE, SIG_IGN);
	while ((option = getopt_long(argc, argv, "+s:t:h", options, NULL)) != -1) {
		switch (option) {
		case 's':
			path = optarg;
			break;
		case 't':
			seconds = parse_timeout(optarg);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs("Try 'hfisimctl --help'.\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind == argc)
		errx(EXIT_USAGE, "no command given; see hfisimctl --help");
	check_command(argv[optind]);
	name_request(&session);
	build_request(line, sizeof(line), session.tag, argv + optind);
	session_open(&session, path ? path : default_path(), seconds);
	session_send(&session, line);
	return print_reply(session_read_reply(&session));
}
