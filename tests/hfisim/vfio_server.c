// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "hfi.h"
#include "vfio_user.h"

#define HEADER_BYTES	16
#define SIZE_OFFSET	4	/* of the message size in the header */

/**
 * struct vfio_user - a socket and its client
 * @loop: where the descriptors are watched
 * @hfi: the HFI it serves
 * @listener: the socket; watched only while there is no client
 * @client: the client; its fd is -1 while there is none
 * @path: of the socket
 * @message: the request being handled; holds the descriptors that came last
 * @fd_at: where in @buffer the message starts that they belong to
 * @have: bytes in @buffer
 * @buffer: requests, of which the last may be incomplete
 */
struct vfio_user {
	struct loop *loop;
	struct hfi *hfi;
	struct loop_source listener;
	struct loop_source client;
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct vfio_user_message message;
	size_t fd_at;
	size_t have;
	u8 buffer[VFIO_USER_MESSAGE_MAX];
};

static void close_descriptors(struct vfio_user_message *message)
{
	unsigned int i;

	for (i = 0; i < message->fds; i++) {
		if (message->fd[i] >= 0)
			close(message->fd[i]);
	}
	message->fds = 0;
}

static void client_gone(struct vfio_user *server, const char *why)
{
	struct hfi *hfi = server->hfi;

	hfi_log(hfi, LOG_NOTICE, "client gone: %s", why);
	loop_del(server->loop, &server->client);
	close(server->client.fd);
	server->client.fd = -1;
	close_descriptors(&server->message);
	server->have = 0;
	hfi_reset(hfi);
	pci_init(hfi);
	interrupt_close(hfi);
	mem_remove_all(hfi);
	if (loop_add(server->loop, &server->listener, EPOLLIN))
		hfi_log(hfi, LOG_ERROR, "cannot accept clients any more");
}

static u32 message_size(const u8 *data)
{
	u32 size;

	memcpy(&size, data + SIZE_OFFSET, sizeof(size));
	return size;
}

/* false if the message at @at is not one that can be taken */
static bool size_valid(const struct vfio_user *server, size_t at)
{
	u32 size = message_size(server->buffer + at);

	return size >= HEADER_BYTES && size <= VFIO_USER_MESSAGE_MAX;
}

/*
 * recvmsg(2) stops behind the data that descriptors were sent with, so they
 * belong to the last message that starts in the buffer.
 */
static size_t last_start(const struct vfio_user *server)
{
	size_t at = 0, size;

	while (server->have - at >= HEADER_BYTES && size_valid(server, at)) {
		size = message_size(server->buffer + at);
		if (size >= server->have - at)
			break;
		at += size;
	}
	return at;
}

/* Return: NULL, or why the client has to go. */
static const char *take_descriptors(struct vfio_user *server, struct msghdr *header)
{
	struct vfio_user_message *message = &server->message;
	const char *error = NULL;
	struct cmsghdr *part;
	unsigned int count;

	for (part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		if (message->fds) {
			error = "descriptors for two messages at once";
			close_descriptors(message);
		}
		count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(message->fd, CMSG_DATA(part), count * sizeof(int));
		message->fds = count;
		server->fd_at = last_start(server);
	}
	if (header->msg_flags & MSG_CTRUNC)
		error = "too many descriptors";
	return error;
}

/* Return: NULL, or why the client has to go. */
static const char *receive_some(struct vfio_user *server)
{
	union {
		char space[CMSG_SPACE(sizeof(int) * VFIO_USER_FDS)];
		struct cmsghdr align;
	} control;
	struct iovec iov = {
		.iov_base = server->buffer + server->have,
		.iov_len = sizeof(server->buffer) - server->have,
	};
	struct msghdr header = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t got;

	got = recvmsg(server->client.fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? NULL : strerror(errno);
	if (!got)
		return "it closed the connection";
	server->have += (size_t)got;
	return take_descriptors(server, &header);
}

/* Return: NULL, or why the client has to go. */
static const char *handle_one(struct vfio_user *server, size_t at, u32 size)
{
	struct vfio_user_message *message = &server->message;
	unsigned int later = 0;
	ssize_t sent;
	int ret;

	/* descriptors that belong to a message further back are not for this */
	if (message->fds && server->fd_at != at) {
		later = message->fds;
		message->fds = 0;
	}
	message->data = server->buffer + at;
	message->size = size;
	ret = vfio_user_handle(server->hfi, message);
	if (later)
		message->fds = later;
	else
		close_descriptors(message);
	if (ret)
		return "malformed message";
	if (!message->reply_size)
		return NULL;
	/* a client that does not read its replies must not hold the loop up */
	sent = send(server->client.fd, message->reply, message->reply_size,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
	return sent == (ssize_t)message->reply_size ? NULL :
	       "it does not take its replies";
}

/* Return: NULL, or why the client has to go. */
static const char *handle_all(struct vfio_user *server)
{
	const char *error;
	size_t at = 0;
	u32 size;

	while (server->have - at >= HEADER_BYTES) {
		if (!size_valid(server, at))
			return "message of an impossible size";
		size = message_size(server->buffer + at);
		if (size > server->have - at)
			break;
		error = handle_one(server, at, size);
		if (error)
			return error;
		at += size;
	}
	server->have -= at;
	if (server->message.fds)
		server->fd_at -= at;
	memmove(server->buffer, server->buffer + at, server->have);
	return NULL;
}

static void client_ready(struct loop_source *source, u32 events)
{
	struct vfio_user *server = container_of(source, struct vfio_user, client);
	const char *error;

	(void)events;
	error = receive_some(server);
	if (!error)
		error = handle_all(server);
	if (error)
		client_gone(server, error);
}

static void listener_ready(struct loop_source *source, u32 events)
{
	struct vfio_user *server = container_of(source, struct vfio_user, listener);
	int fd;

	(void)events;
	fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	server->client.fd = fd;
	if (loop_add(server->loop, &server->client, EPOLLIN)) {
		close(fd);
		server->client.fd = -1;
		return;
	}
	loop_del(server->loop, source);
	hfi_log(server->hfi, LOG_NOTICE, "client connected");
}

/* Return: a listening socket, or a negative errno. */
static int listen_on(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat status;
	int fd, ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	/* left by a run that was killed */
	if (!lstat(path, &status) && S_ISSOCK(status.st_mode))
		unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 1)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

struct vfio_user *vfio_user_start(struct loop *loop, const char *path,
				  struct hfi *hfi)
{
	struct vfio_user *server = calloc(1, sizeof(*server));
	int ret;

	if (!server) {
		hfi_log(hfi, LOG_ERROR, "out of memory");
		return NULL;
	}
	server->loop = loop;
	server->hfi = hfi;
	server->client.fd = -1;
	server->client.ready = client_ready;
	server->listener.ready = listener_ready;
	ret = listen_on(path);
	if (ret >= 0) {
		server->listener.fd = ret;
		memcpy(server->path, path, strlen(path));
		ret = loop_add(loop, &server->listener, EPOLLIN);
		if (ret)
			close(server->listener.fd);
	}
	if (ret < 0) {
		hfi_log(hfi, LOG_ERROR, "cannot make the socket %s: %s", path,
			strerror(-ret));
		free(server);
		return NULL;
	}
	return server;
}

void vfio_user_stop(struct vfio_user *server)
{
	if (!server)
		return;
	if (server->client.fd >= 0)
		client_gone(server, "hfisim ends");
	loop_del(server->loop, &server->listener);
	close(server->listener.fd);
	unlink(server->path);
	free(server);
}
