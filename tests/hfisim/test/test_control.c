// SPDX-License-Identifier: GPL-2.0
/*
 * Control socket: clients, lines, and hfisimctl against it
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "command.h"
#include "control.h"

#define ANSWER_MAX	(1024 * 1024)
#define TRIES		5000

/**
 * struct desk - a bench with a control socket
 * @bench: the bench
 * @folder: where the socket is
 * @path: the socket
 * @control: serves it
 */
struct desk {
	struct bench *bench;
	char folder[32];
	char path[64];
	struct control *control;
};

static char answer[ANSWER_MAX + 1];

static int desk_setup(void **state)
{
	struct desk *desk = calloc(1, sizeof(*desk));

	if (bench_setup((void **)&desk->bench))
		return -1;
	snprintf(desk->folder, sizeof(desk->folder), "/tmp/hfisim-test-XXXXXX");
	if (!mkdtemp(desk->folder))
		return -1;
	snprintf(desk->path, sizeof(desk->path), "%s/ctl.sock", desk->folder);
	desk->control = control_start(desk->bench->loop, desk->path, desk->bench->hfi, 2);
	*state = desk;
	return desk->control ? 0 : -1;
}

static int desk_teardown(void **state)
{
	struct desk *desk = *state;

	control_stop(desk->control);
	rmdir(desk->folder);
	bench_teardown((void **)&desk->bench);
	free(desk);
	return 0;
}

static int client(struct desk *desk)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, desk->path, sizeof(desk->path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void run(struct desk *desk)
{
	assert_int_equal(loop_once(desk->bench->loop, 1), 0);
}

static void say(struct desk *desk, int fd, const char *data, size_t length)
{
	u32 i;

	for (i = 0; length && i < TRIES; i++) {
		ssize_t n = send(fd, data, length, MSG_NOSIGNAL);

		if (n > 0) {
			data += n;
			length -= n;
		}
		run(desk);
	}
	assert_int_equal(length, 0);
}

/* Waits for so many lines, which are left in answer. */
static void hear(struct desk *desk, int fd, u32 lines)
{
	size_t length = 0;
	u32 seen = 0;
	u32 i;

	for (i = 0; seen < lines && i < TRIES; i++) {
		ssize_t n = recv(fd, answer + length, ANSWER_MAX - length, 0);

		for (; n > 0; n--)
			seen += answer[length++] == '\n';
		run(desk);
	}
	answer[length] = '\0';
	assert_int_equal(seen, lines);
}

/* Waits for one line and leaves what follows it where it is. */
static void hear_one(struct desk *desk, int fd)
{
	size_t length = 0;
	u32 i;

	for (i = 0; i < TRIES; i++) {
		ssize_t n = recv(fd, answer + length, ANSWER_MAX - length, MSG_PEEK);
		char *end = n > 0 ? memchr(answer + length, '\n', n) : NULL;

		if (end)
			n = end + 1 - (answer + length);
		if (n > 0)
			length += recv(fd, answer + length, n, 0);
		if (end)
			break;
		run(desk);
	}
	answer[length] = '\0';
}

static void ask(struct desk *desk, int fd, const char *line)
{
	say(desk, fd, line, strlen(line));
	hear(desk, fd, 1);
}

/* True once the server has closed the connection. */
static bool is_closed(struct desk *desk, int fd)
{
	char byte;
	u32 i;

	for (i = 0; i < 100; i++) {
		if (!recv(fd, &byte, 1, 0))
			return true;
		run(desk);
	}
	return false;
}

static void assert_begins(const char *begin)
{
	if (strncmp(answer, begin, strlen(begin)))
		fail_msg("'%s' does not begin with '%s'", answer, begin);
}

static void line_gets_an_answer(void **state)
{
	struct desk *desk = *state;
	int fd = client(desk);

	ask(desk, fd, "a sizes\n");
	assert_begins("a ok {");
	close(fd);
}

static void line_may_come_in_pieces(void **state)
{
	struct desk *desk = *state;
	const char *line = "abc counters 0 held\n";
	int fd = client(desk);

	for (; line[1]; line++)
		say(desk, fd, line, 1);
	assert_int_equal(recv(fd, answer, 1, 0), -1);
	say(desk, fd, line, 1);
	hear(desk, fd, 1);
	assert_string_equal(answer, "abc ok 0\n");
	close(fd);
}

static void lines_may_come_together(void **state)
{
	struct desk *desk = *state;
	const char *lines = "1 counters 0 held\n\n2 nothing\n3 counters 1 held\n";
	int fd = client(desk);

	say(desk, fd, lines, strlen(lines));
	hear(desk, fd, 3);
	assert_begins("1 ok 0\n2 error ");
	assert_non_null(strstr(answer, "\n3 ok 0\n"));
	close(fd);
}

static void overlong_line_is_skipped_to_its_end(void **state)
{
	struct desk *desk = *state;
	static char line[5000];
	int fd = client(desk);

	memset(line, 'x', sizeof(line));
	memcpy(line, "tag ", 4);
	line[sizeof(line) - 1] = '\n';
	say(desk, fd, line, sizeof(line));
	hear(desk, fd, 1);
	assert_begins("tag error ");
	ask(desk, fd, "b counters 0 held\n");
	assert_string_equal(answer, "b ok 0\n");
	close(fd);
}

static void longest_line_is_carried_out(void **state)
{
	struct desk *desk = *state;
	char line[COMMAND_MAX + 2];
	int fd = client(desk);

	memset(line, ' ', sizeof(line));
	memcpy(line, "a counters 0 held", 17);
	line[COMMAND_MAX] = '\n';
	line[COMMAND_MAX + 1] = '\0';
	ask(desk, fd, line);
	assert_string_equal(answer, "a ok 0\n");
	close(fd);
}

static void garbage_gets_an_error_and_the_client_stays(void **state)
{
	struct desk *desk = *state;
	int fd = client(desk);

	say(desk, fd, "\0\1\377 counters\0\n", 15);
	hear(desk, fd, 1);
	assert_begins("- error ");
	say(desk, fd, "a counters 0 held\0 more\n", 24);
	hear(desk, fd, 1);
	assert_begins("- error ");
	ask(desk, fd, "b counters 0 held\n");
	assert_string_equal(answer, "b ok 0\n");
	close(fd);
}

static void clients_do_not_disturb_each_other(void **state)
{
	struct desk *desk = *state;
	int first = client(desk);
	int second = client(desk);

	say(desk, first, "a counters 0 ", 13);
	ask(desk, second, "b counters 1 held\n");
	assert_string_equal(answer, "b ok 0\n");
	ask(desk, first, "held\n");
	assert_string_equal(answer, "a ok 0\n");
	close(first);
	ask(desk, second, "c counters 1 held\n");
	assert_string_equal(answer, "c ok 0\n");
	close(second);
}

static void slow_reader_blocks_nobody_and_loses_nothing(void **state)
{
	struct desk *desk = *state;
	int slow = client(desk);
	int quick = client(desk);
	u32 asked = 0;
	u32 lines = 0;
	u32 i;

	for (i = 0; i < TRIES; i++) {
		/* until even the request does not get through any more */
		if (send(slow, "a counters\n", 11, MSG_NOSIGNAL) != 11)
			break;
		asked++;
		run(desk);
	}
	assert_in_range(i, 10, TRIES - 1);
	ask(desk, quick, "b counters 1 held\n");
	assert_string_equal(answer, "b ok 0\n");
	for (i = 0; lines < asked && i < 100 * TRIES; i++) {
		ssize_t n = recv(slow, answer, ANSWER_MAX, 0);

		for (; n > 0; n--)
			lines += answer[n - 1] == '\n';
		run(desk);
	}
	assert_int_equal(lines, asked);
	close(slow);
	close(quick);
}

static void many_long_answers_are_all_complete(void **state)
{
	struct desk *desk = *state;
	int fd = client(desk);
	u32 i;

	bench_context(desk->bench, 0);
	for (i = 0; i < 300; i++) {
		send_expected(desk->bench, i, OPCODE_TID_READ_RESP);
		move_head(desk->bench, (i + 1) % QUEUE_ENTRIES);
	}
	for (i = 0; i < 20; i++)
		assert_int_equal(send(fd, "a ledger 0\n", 11, MSG_NOSIGNAL), 11);
	for (i = 0; i < 20; i++) {
		answer[0] = '\0';
		hear_one(desk, fd);
		assert_begins("a ok [{");
	}
	close(fd);
}

static void client_that_ends_its_requests_still_gets_the_answer(void **state)
{
	struct desk *desk = *state;
	int fd = client(desk);

	assert_int_equal(send(fd, "a counters 0 held\nb coun", 24, 0), 24);
	shutdown(fd, SHUT_WR);
	hear(desk, fd, 1);
	assert_string_equal(answer, "a ok 0\n");
	assert_true(is_closed(desk, fd));
	close(fd);
}

static void client_that_leaves_early_is_harmless(void **state)
{
	struct desk *desk = *state;
	u32 i;

	for (i = 0; i < 100; i++) {
		int fd = client(desk);

		assert_int_equal(send(fd, "a counters\n", 11, 0), 11);
		close(fd);
		run(desk);
		run(desk);
	}
}

static void more_clients_than_places_wait_for_one(void **state)
{
	struct desk *desk = *state;
	int fd[40];
	u32 i;

	for (i = 0; i < 33; i++)
		fd[i] = client(desk);
	for (i = 0; i < 100; i++)
		run(desk);
	send(fd[32], "z counters 0 held\n", 18, 0);
	for (i = 0; i < 20; i++)
		run(desk);
	assert_int_equal(recv(fd[32], answer, 1, 0), -1);
	close(fd[0]);
	hear(desk, fd[32], 1);
	assert_string_equal(answer, "z ok 0\n");
	for (i = 1; i < 33; i++)
		close(fd[i]);
}

static void stop_removes_the_socket(void **state)
{
	struct desk *desk = *state;
	int fd = client(desk);

	run(desk);
	control_stop(desk->control);
	desk->control = NULL;
	assert_true(is_closed(desk, fd));
	assert_int_equal(access(desk->path, F_OK), -1);
	close(fd);
}

static void socket_in_a_missing_folder_is_an_error(void **state)
{
	struct desk *desk = *state;

	assert_null(control_start(desk->bench->loop, "/nonexistent/ctl.sock",
				  desk->bench->hfi, 2));
}

/* Runs hfisimctl; its output is left in answer. Return: its exit status. */
static int hfisimctl(struct desk *desk, const char *arguments)
{
	char command[512];
	size_t length = 0;
	FILE *pipe;
	u32 i;

	snprintf(command, sizeof(command), "HFISIM_CTL=%s %s %s 2>&1", desk->path,
		 getenv("HFISIMCTL"), arguments);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	fcntl(fileno(pipe), F_SETFL, O_NONBLOCK);
	for (i = 0; i < TRIES; i++) {
		ssize_t n = read(fileno(pipe), answer + length, ANSWER_MAX - length);

		if (!n)
			break;
		if (n > 0)
			length += n;
		run(desk);
	}
	answer[length] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

static void hfisimctl_prints_the_answer(void **state)
{
	struct desk *desk = *state;

	assert_int_equal(hfisimctl(desk, "counters 0 held"), 0);
	assert_string_equal(answer, "0\n");
	assert_int_equal(hfisimctl(desk, "hold 0 all"), 0);
	assert_string_equal(answer, "{\"held\":0}\n");
}

static void hfisimctl_exits_1_when_refused(void **state)
{
	assert_int_equal(hfisimctl(*state, "hold 0 nothing"), 1);
	assert_begins("hfisimctl: KIND must be");
}

static void hfisimctl_exits_2_on_wrong_usage(void **state)
{
	assert_int_equal(hfisimctl(*state, ""), 2);
	assert_int_equal(hfisimctl(*state, "nothing"), 2);
	assert_int_equal(hfisimctl(*state, "-x sizes"), 2);
	assert_int_equal(hfisimctl(*state, "-t 0 sizes"), 2);
	assert_int_equal(hfisimctl(*state, "sizes 'a b'"), 2);
}

static void hfisimctl_exits_3_when_nobody_answers(void **state)
{
	assert_int_equal(hfisimctl(*state, "-s /nonexistent sizes"), 3);
	assert_int_equal(hfisimctl(*state, "-s /dev/null sizes"), 3);
	assert_int_equal(hfisimctl(*state, "-t 1 -s /dev/ptmx sizes"), 3);
}

#define DESK_TEST(function) \
	cmocka_unit_test_setup_teardown(function, desk_setup, desk_teardown)

int main(void)
{
	TEST_LIST tests[] = {
		DESK_TEST(line_gets_an_answer),
		DESK_TEST(line_may_come_in_pieces),
		DESK_TEST(lines_may_come_together),
		DESK_TEST(overlong_line_is_skipped_to_its_end),
		DESK_TEST(longest_line_is_carried_out),
		DESK_TEST(garbage_gets_an_error_and_the_client_stays),
		DESK_TEST(clients_do_not_disturb_each_other),
		DESK_TEST(slow_reader_blocks_nobody_and_loses_nothing),
		DESK_TEST(many_long_answers_are_all_complete),
		DESK_TEST(client_that_ends_its_requests_still_gets_the_answer),
		DESK_TEST(client_that_leaves_early_is_harmless),
		DESK_TEST(more_clients_than_places_wait_for_one),
		DESK_TEST(stop_removes_the_socket),
		DESK_TEST(socket_in_a_missing_folder_is_an_error),
		DESK_TEST(hfisimctl_prints_the_answer),
		DESK_TEST(hfisimctl_exits_1_when_refused),
		DESK_TEST(hfisimctl_exits_2_on_wrong_usage),
		DESK_TEST(hfisimctl_exits_3_when_nobody_answers),
	};

	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
