// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: vfio-user messages, and by them every register
 *
 * The first byte chooses how the HFI is set up. Then come messages, each
 * with two bytes of length, and one which says what descriptor comes with
 * it, whether the length in the header is put right, or that it is no message
 * but something for guest memory, behind four bytes of offset.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "regs.h"
#include "rig.h"
#include "vfio_user.h"

#define MODE_CONTEXTS	0x01
#define MODE_SECOND	0x02
#define HOW_EVENTFD	0x01
#define HOW_MEMORY	0x02
#define HOW_FILL	0x40
#define HOW_WRONG_SIZE	0x80
#define HEADER		16u
#define MEMORY_FILE	(64 * 1024)

static int descriptor(u32 how)
{
	int fd;

	if (how & HOW_EVENTFD)
		return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!(how & HOW_MEMORY))
		return -1;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, MEMORY_FILE))
		abort();
	return fd;
}

static void fill(u8 *memory, const u8 *data, u32 size)
{
	u32 offset;

	if (size < sizeof(offset))
		return;
	memcpy(&offset, data, sizeof(offset));
	size -= sizeof(offset);
	offset %= RIG_MEMORY_SIZE;
	if (size > RIG_MEMORY_SIZE - offset)
		size = RIG_MEMORY_SIZE - offset;
	memcpy(memory + offset, data + sizeof(offset), size);
}

static void handle(struct hfi *hfi, const u8 *from, u32 size, u32 how)
{
	static struct vfio_user_message message;
	u8 *data;

	/* in memory of its own size, so that an overrun is seen */
	data = malloc(size ? size : 1);
	memcpy(data, from, size);
	if (size >= HEADER && !(how & HOW_WRONG_SIZE))
		memcpy(data + 4, &size, sizeof(size));
	message.data = data;
	message.size = size;
	message.fd[0] = descriptor(how);
	message.fds = message.fd[0] >= 0;
	if (!vfio_user_handle(hfi, &message) && message.reply_size > sizeof(message.reply))
		abort();
	if (message.fds && message.fd[0] >= 0)
		close(message.fd[0]);
	free(data);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct input input = { .data = data, .left = size };
	struct rig *rig = rig_start();
	u32 mode = input_number(&input, 1);
	u32 index = mode & MODE_SECOND ? 1 : 0;

	if (mode & MODE_CONTEXTS)
		rig_contexts(rig, RCV_CTXT_CTRL_TID_FLOW_ENABLE_SMASK |
			     RCV_CTXT_CTRL_DONT_DROP_RHQ_FULL_SMASK);
	while (input.left) {
		u32 length = input_number(&input, 2);
		u32 how = input_number(&input, 1);

		if (length > input.left)
			length = input.left;
		if (how & HOW_FILL)
			fill(rig->memory[index], input.data, length);
		else
			handle(rig->hfi[index], input.data, length, how);
		input.data += length;
		input.left -= length;
		loop_once(rig->loop, 0);
	}
	return 0;
}
