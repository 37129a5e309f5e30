/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_CONTROL_H
#define HFISIM_CONTROL_H

#include "types.h"

struct hfi;
struct loop;
struct control;

/**
 * control_start() - serve the control socket
 * @loop: where its descriptors are watched
 * @path: of the unix stream socket to make
 * @hfi: the HFIs
 * @count: how many, 1 or 2
 *
 * Return: the control socket, NULL on an error (which has been logged).
 */
struct control *control_start(struct loop *loop, const char *path,
			      struct hfi *const *hfi, unsigned int count);

/**
 * control_stop() - disconnect the clients, remove the socket
 * @control: from control_start(), or NULL
 */
void control_stop(struct control *control);

#endif
