/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_VFIO_USER_H
#define HFISIM_VFIO_USER_H

#include "types.h"

struct hfi;
struct loop;
struct vfio_user;

#define VFIO_USER_FDS		16
#define VFIO_USER_MESSAGE_MAX	(1024 * 1024)

/**
 * struct vfio_user_message - a request and room for its reply
 * @data: the request, header included
 * @size: of the request, at least the header's 16 bytes
 * @fd: descriptors that came with it; one that is used is set to -1, the
 *	others are closed by the caller
 * @fds: how many
 * @reply: filled with the reply, header included
 * @reply_size: size of the reply in bytes, 0 if there is none to send
 */
struct vfio_user_message {
	const u8 *data;
	u32 size;
	int fd[VFIO_USER_FDS];
	unsigned int fds;
	u8 reply[4096 + 64];
	u32 reply_size;
};

/**
 * vfio_user_handle() - act on one request
 * @hfi: the HFI it is for
 * @message: the request; gets the reply
 *
 * Trusts nothing in the request. A request that cannot be done gets an
 * error reply.
 *
 * Return: 0; -EPROTO if the message is so malformed that the connection
 * has to be dropped (a size in the header that is not @size).
 */
int vfio_user_handle(struct hfi *hfi, struct vfio_user_message *message);

/**
 * vfio_user_start() - serve an HFI on a socket
 * @loop: where its descriptors are watched
 * @path: of the unix stream socket to make
 * @hfi: the HFI. One client at a time; when it leaves, the HFI is reset and
 *	forgets its memory and eventfds
 *
 * Return: the server, NULL on an error (which has been logged).
 */
struct vfio_user *vfio_user_start(struct loop *loop, const char *path,
				  struct hfi *hfi);

/**
 * vfio_user_stop() - disconnect the client, remove the socket
 * @server: from vfio_user_start(), or NULL
 */
void vfio_user_stop(struct vfio_user *server);

#endif
