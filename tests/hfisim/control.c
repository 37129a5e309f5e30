// SPDX-License-Identifier: GPL-2.0
/*
 * Control socket: gets lines to command.c and answers back, never waiting
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "command.h"
#include "control.h"
#include "hfi.h"

#define CLIENTS_MAX	32
#define ACCEPT_RETRY_US	1000000

/**
 * struct client - a connected control client
 * @source: its socket
 * @control: where it belongs to
 * @next: another client
 * @line: bytes received and not yet carried out
 * @length: how many
 * @skipping: the rest of an overlong line is being thrown away
 * @ended: the client will send nothing more
 * @out: answers; while there are some no request is looked at
 * @sent: bytes of @out that are gone already
 */
struct client {
	struct loop_source source;
	struct control *control;
	struct client *next;
	char line[COMMAND_MAX + 1];
	size_t length;
	bool skipping;
	bool ended;
	struct text out;
	size_t sent;
};

/**
 * struct control - the control socket
 * @source: listens
 * @loop: where it and the clients are watched
 * @retry: accepts again when the system ran out of something
 * @hfi: the HFIs
 * @count: how many
 * @clients: list of them
 * @connected: how many
 * @address: of the socket
 */
struct control {
	struct loop_source source;
	struct loop *loop;
	struct loop_timer retry;
	struct hfi *const *hfi;
	unsigned int count;
	struct client *clients;
	unsigned int connected;
	struct sockaddr_un address;
};

static void accept_more(struct control *control)
{
	loop_mod(control->loop, &control->source, control->connected < CLIENTS_MAX ? EPOLLIN : 0);
}

static void client_drop(struct client *client)
{
	struct control *control = client->control;
	struct client **place = &control->clients;

	while (*place != client)
		place = &(*place)->next;
	*place = client->next;
	loop_del(control->loop, &client->source);
	close(client->source.fd);
	text_free(&client->out);
	free(client);
	control->connected--;
	accept_more(control);
}

static bool would_block(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Return: false if the client is gone. */
static bool client_send(struct client *client)
{
	struct text *out = &client->out;

	while (client->sent < out->length) {
		ssize_t n = send(client->source.fd, out->data + client->sent,
				 out->length - client->sent, MSG_NOSIGNAL);

		if (n < 0)
			return would_block(errno);
		client->sent += n;
	}
	client->sent = 0;
	text_free(out);
	return true;
}

static void line_done(struct client *client, size_t used)
{
	client->length -= used;
	memmove(client->line, client->line + used, client->length);
}

/* Takes one line out of the buffer. Return: false if there is no whole one. */
static bool client_run_line(struct client *client)
{
	struct control *control = client->control;
	char *end = memchr(client->line, '\n', client->length);

	if (!end && client->length <= COMMAND_MAX)
		return false;
	if (!end) {
		client->line[COMMAND_MAX] = '\0';
		if (!client->skipping)
			command_too_long(client->line, &client->out);
		client->skipping = true;
		client->length = 0;
		return true;
	}
	if (!client->skipping) {
		*end = '\0';
		/* a NUL of the client's own must not hide the rest of the line */
		if (strlen(client->line) != (size_t)(end - client->line))
			client->line[0] = '\1';
		command_run(control->hfi, control->count, client->line, &client->out);
	}
	client->skipping = false;
	line_done(client, end + 1 - client->line);
	return true;
}

/* Return: false if the client is gone. */
static bool client_receive(struct client *client)
{
	ssize_t n = recv(client->source.fd, client->line + client->length,
			 sizeof(client->line) - client->length, 0);

	if (n < 0)
		return would_block(errno);
	client->ended = !n;
	client->length += n;
	return true;
}

static bool client_run_lines(struct client *client)
{
	while (!client->out.length && client_run_line(client))
		if (!client_send(client))
			return false;
	return true;
}

static void client_ready(struct loop_source *source, u32 events)
{
	struct client *client = container_of(source, struct client, source);
	bool alive = true;

	if (client->out.length)
		alive = client_send(client);
	else if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		alive = client_receive(client);
	if (alive)
		alive = client_run_lines(client);
	if (!alive || (client->ended && !client->out.length))
		client_drop(client);
	else
		loop_mod(client->control->loop, source, client->out.length ? EPOLLOUT : EPOLLIN);
}

static bool client_new(struct control *control, int fd)
{
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		return false;
	client->control = control;
	client->source.fd = fd;
	client->source.ready = client_ready;
	if (loop_add(control->loop, &client->source, EPOLLIN)) {
		free(client);
		return false;
	}
	client->next = control->clients;
	control->clients = client;
	control->connected++;
	return true;
}

static void retry_expired(struct loop_timer *timer)
{
	accept_more(container_of(timer, struct control, retry));
}

static void control_ready(struct loop_source *source, u32 events)
{
	struct control *control = container_of(source, struct control, source);
	int fd;

	(void)events;
	fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0 && (would_block(errno) || errno == ECONNABORTED))
		return;
	if (fd < 0) {
		hfi_log(NULL, LOG_ERROR, "control client: %s; trying again", strerror(errno));
		loop_mod(control->loop, source, 0);
		loop_timer_set(control->loop, &control->retry, ACCEPT_RETRY_US);
		return;
	}
	if (!client_new(control, fd)) {
		hfi_log(NULL, LOG_ERROR, "control client: no memory, disconnected");
		close(fd);
	}
	accept_more(control);
}

static int listen_at(struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	unlink(address->sun_path);
	if (bind(fd, (struct sockaddr *)address, sizeof(*address)) || listen(fd, CLIENTS_MAX)) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

struct control *control_start(struct loop *loop, const char *path,
			      struct hfi *const *hfi, unsigned int count)
{
	struct control *control;

	if (strlen(path) >= sizeof(control->address.sun_path)) {
		hfi_log(NULL, LOG_ERROR, "%s: path too long for a socket, use a shorter folder",
			path);
		return NULL;
	}
	control = calloc(1, sizeof(*control));
	if (!control) {
		hfi_log(NULL, LOG_ERROR, "no memory for the control socket");
		return NULL;
	}
	control->loop = loop;
	control->hfi = hfi;
	control->count = count;
	control->retry.expired = retry_expired;
	control->address.sun_family = AF_UNIX;
	memcpy(control->address.sun_path, path, strlen(path));
	control->source.ready = control_ready;
	control->source.fd = listen_at(&control->address);
	if (control->source.fd < 0 || loop_add(loop, &control->source, EPOLLIN)) {
		hfi_log(NULL, LOG_ERROR, "%s: %s", path, strerror(errno));
		if (control->source.fd >= 0)
			close(control->source.fd);
		free(control);
		return NULL;
	}
	return control;
}

void control_stop(struct control *control)
{
	if (!control)
		return;
	while (control->clients)
		client_drop(control->clients);
	loop_timer_cancel(control->loop, &control->retry);
	loop_del(control->loop, &control->source);
	close(control->source.fd);
	unlink(control->address.sun_path);
	free(control);
}
