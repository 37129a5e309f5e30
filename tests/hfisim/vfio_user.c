// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "csr.h"
#include "vfio_user.h"

/* the protocol is described in docs/interop/vfio-user.rst of QEMU */

enum command {
	COMMAND_VERSION = 1,
	COMMAND_DMA_MAP = 2,
	COMMAND_DMA_UNMAP = 3,
	COMMAND_GET_INFO = 4,
	COMMAND_GET_REGION_INFO = 5,
	COMMAND_GET_IRQ_INFO = 7,
	COMMAND_SET_IRQS = 8,
	COMMAND_REGION_READ = 9,
	COMMAND_REGION_WRITE = 10,
	COMMAND_RESET = 13,
	COMMAND_WRITE_MULTI = 15,
};

#define FLAG_TYPE_MASK	0xfu
#define FLAG_REPLY	0x01u
#define FLAG_NO_REPLY	0x10u
#define FLAG_ERROR	0x20u

#define REGION_BAR0	0
#define REGION_CONFIG	7
#define REGIONS		9
#define IRQ_KINDS	5
#define IRQ_MSIX	2
#define IRQ_ERROR	3

#define DEVICE_RESET_SUPPORTED	0x1
#define DEVICE_PCI		0x2
#define REGION_READ_WRITE	0x3
#define IRQ_EVENTFD		0x1
#define IRQ_NO_RESIZE		0x8
#define SET_DATA_EVENTFD	0x4
#define MAP_WRITABLE		0x2
#define UNMAP_ALL		0x2

#define DATA_MAX		4096u
#define MULTI_DATA		8u

#define LIMITS		"\"max_msg_fds\":16,\"max_data_xfer_size\":4096"

static const char capabilities[] =
	"{\"capabilities\":{" LIMITS ",\"write_multiple\":true}}";

/**
 * struct header - starts every message
 * @id: chosen by the client, comes back in the reply
 * @command: what is to be done
 * @size: of the message, header included, in bytes
 * @flags: type and FLAG_*
 * @error: errno of a reply with FLAG_ERROR
 */
struct header {
	u16 id;
	u16 command;
	u32 size;
	u32 flags;
	u32 error;
};

/**
 * struct version - protocol version; JSON ending in NUL follows
 * @major: must be the same on both sides
 * @minor: the lower one counts
 */
struct version {
	u16 major;
	u16 minor;
};

/**
 * struct dma_map - an area of guest memory appears
 * @argsz: size of this structure
 * @flags: readable, writable
 * @offset: of the area in the file whose descriptor comes along
 * @address: bus address
 * @size: in bytes
 */
struct dma_map {
	u32 argsz;
	u32 flags;
	u64 offset;
	u64 address;
	u64 size;
};

/**
 * struct dma_unmap - areas of guest memory disappear
 * @argsz: size of this structure
 * @flags: UNMAP_ALL or 0
 * @address: bus address
 * @size: in bytes
 */
struct dma_unmap {
	u32 argsz;
	u32 flags;
	u64 address;
	u64 size;
};

/**
 * struct device_info - what the device has
 * @argsz: size of this structure
 * @flags: DEVICE_*
 * @regions: number of regions
 * @irqs: number of interrupt kinds
 */
struct device_info {
	u32 argsz;
	u32 flags;
	u32 regions;
	u32 irqs;
};

/**
 * struct region_info - one region
 * @argsz: size of this structure
 * @flags: readable, writable
 * @index: of the region
 * @cap_offset: of capabilities, 0 for none
 * @size: in bytes, 0 if there is no such region
 * @offset: in a file to map, 0
 */
struct region_info {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 cap_offset;
	u64 size;
	u64 offset;
};

/**
 * struct irq_info - one kind of interrupts
 * @argsz: size of this structure
 * @flags: IRQ_*
 * @index: of the kind
 * @count: number of interrupts of the kind
 */
struct irq_info {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 count;
};

/**
 * struct set_irqs - eventfds of interrupts
 * @argsz: size of this structure
 * @flags: what comes along and what to do
 * @index: kind of interrupts
 * @start: first interrupt
 * @count: number of interrupts, 0 for none from now on
 */
struct set_irqs {
	u32 argsz;
	u32 flags;
	u32 index;
	u32 start;
	u32 count;
};

/**
 * struct region_access - a read or write; data follows a write
 * @offset: in the region
 * @region: index of the region
 * @count: bytes
 */
struct region_access {
	u64 offset;
	u32 region;
	u32 count;
};

/**
 * struct multi_write - one of many writes
 * @offset: in the region
 * @region: index of the region
 * @count: bytes, at most 8
 * @data: the bytes
 */
struct multi_write {
	u64 offset;
	u32 region;
	u32 count;
	u8 data[MULTI_DATA];
};

#define REPLY_DATA(message)	((message)->reply + sizeof(struct header))

/* copy the fixed part of a request; false if the request is shorter */
static bool get_body(const struct vfio_user_message *message, void *body, u32 size)
{
	if (message->size - sizeof(struct header) < size)
		return false;
	memcpy(body, message->data + sizeof(struct header), size);
	return true;
}

static void set_reply(struct vfio_user_message *message, const void *body, u32 size)
{
	if (size)
		memcpy(REPLY_DATA(message), body, size);
	message->reply_size = (u32)sizeof(struct header) + size;
}

static int handle_version(struct hfi *hfi, struct vfio_user_message *message)
{
	struct version version;
	u8 body[sizeof(version) + sizeof(capabilities)];

	if (!get_body(message, &version, sizeof(version)))
		return -EINVAL;
	if (version.major != 0) {
		hfi_complain(hfi, "client speaks vfio-user %u.%u", version.major,
			     version.minor);
		return -EINVAL;
	}
	memset(&version, 0, sizeof(version));
	memcpy(body, &version, sizeof(version));
	memcpy(body + sizeof(version), capabilities, sizeof(capabilities));
	set_reply(message, body, sizeof(body));
	return 0;
}

static int handle_dma_map(struct hfi *hfi, struct vfio_user_message *message)
{
	int fd = message->fds ? message->fd[0] : -1;
	struct dma_map map;
	int ret;

	if (!get_body(message, &map, sizeof(map)))
		return -EINVAL;
	ret = mem_add(hfi, map.address, map.size, fd, map.offset,
		      map.flags & MAP_WRITABLE);
	/* the memory of a ROM cannot be mapped for writing */
	if (ret == -EACCES || ret == -EPERM)
		ret = mem_add(hfi, map.address, map.size, fd, map.offset, false);
	hfi_log(hfi, LOG_INFO, "memory 0x%llx, 0x%llx bytes: %s", map.address,
		map.size, ret ? strerror(-ret) : "mapped");
	if (!ret)
		set_reply(message, NULL, 0);
	return ret;
}

static int handle_dma_unmap(struct hfi *hfi, struct vfio_user_message *message)
{
	struct dma_unmap unmap;

	if (!get_body(message, &unmap, sizeof(unmap)))
		return -EINVAL;
	if (unmap.flags & UNMAP_ALL)
		mem_remove_all(hfi);
	else
		mem_remove(hfi, unmap.address, unmap.size);
	set_reply(message, &unmap, sizeof(unmap));
	return 0;
}

static int handle_get_info(struct vfio_user_message *message)
{
	struct device_info info = {
		.argsz = sizeof(info),
		.flags = DEVICE_RESET_SUPPORTED | DEVICE_PCI,
		.regions = REGIONS,
		.irqs = IRQ_KINDS,
	};

	set_reply(message, &info, sizeof(info));
	return 0;
}

static int handle_get_region_info(struct vfio_user_message *message)
{
	struct region_info info;

	if (!get_body(message, &info, sizeof(info)) || info.index >= REGIONS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = 0;
	info.cap_offset = 0;
	info.size = 0;
	info.offset = 0;
	if (info.index == REGION_BAR0)
		info.size = BAR_SIZE;
	else if (info.index == REGION_CONFIG)
		info.size = PCI_CONFIG_SIZE;
	if (info.size)
		info.flags = REGION_READ_WRITE;
	set_reply(message, &info, sizeof(info));
	return 0;
}

static int handle_get_irq_info(struct vfio_user_message *message)
{
	struct irq_info info;

	if (!get_body(message, &info, sizeof(info)) || info.index >= IRQ_KINDS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = IRQ_EVENTFD;
	info.count = 0;
	if (info.index == IRQ_MSIX) {
		info.flags |= IRQ_NO_RESIZE;
		info.count = MSIX_VECTORS;
	} else if (info.index >= IRQ_ERROR) {
		info.count = 1;
	}
	set_reply(message, &info, sizeof(info));
	return 0;
}

static int handle_set_irqs(struct hfi *hfi, struct vfio_user_message *message)
{
	struct set_irqs set;
	u32 i;

	if (!get_body(message, &set, sizeof(set)) || set.index >= IRQ_KINDS)
		return -EINVAL;
	if (set.index == IRQ_MSIX) {
		if (set.start > MSIX_VECTORS || set.count > MSIX_VECTORS - set.start)
			return -EINVAL;
		if (!set.count)
			interrupt_close(hfi);
		else if (set.flags & SET_DATA_EVENTFD)
			for (i = 0; i < set.count; i++) {
				int fd = -1;

				if (i < message->fds) {
					fd = message->fd[i];
					message->fd[i] = -1;
				}
				interrupt_set_eventfd(hfi, set.start + i, fd);
			}
	}
	set_reply(message, NULL, 0);
	return 0;
}

static int handle_region_read(struct hfi *hfi, struct vfio_user_message *message)
{
	u8 body[sizeof(struct region_access) + DATA_MAX];
	struct region_access access;
	u8 *data = body + sizeof(access);
	int ret = -EINVAL;

	if (!get_body(message, &access, sizeof(access)) || access.count > DATA_MAX)
		return -EINVAL;
	if (access.region == REGION_BAR0)
		ret = bar_read(hfi, access.offset, data, access.count);
	else if (access.region == REGION_CONFIG)
		ret = pci_read(hfi, access.offset, data, access.count);
	if (ret)
		return ret;
	memcpy(body, &access, sizeof(access));
	set_reply(message, body, sizeof(access) + access.count);
	return 0;
}

static int region_write(struct hfi *hfi, u32 region, u64 offset, const void *data,
			u32 count)
{
	if (region == REGION_BAR0)
		return bar_write(hfi, offset, data, count);
	if (region == REGION_CONFIG)
		return pci_write(hfi, offset, data, count);
	return -EINVAL;
}

static int handle_region_write(struct hfi *hfi, struct vfio_user_message *message)
{
	const u32 fixed = sizeof(struct header) + sizeof(struct region_access);
	struct region_access access;
	int ret;

	if (!get_body(message, &access, sizeof(access)) ||
	    access.count > message->size - fixed)
		return -EINVAL;
	ret = region_write(hfi, access.region, access.offset,
			   message->data + fixed, access.count);
	if (!ret)
		set_reply(message, &access, sizeof(access));
	return ret;
}

static int handle_write_multi(struct hfi *hfi, struct vfio_user_message *message)
{
	u32 room = message->size - sizeof(struct header);
	const u8 *from = message->data + sizeof(struct header);
	struct multi_write one;
	u64 count, i;
	int ret = 0;

	if (!get_body(message, &count, sizeof(count)) ||
	    count > (room - sizeof(count)) / sizeof(one))
		return -EINVAL;
	from += sizeof(count);
	for (i = 0; i < count && !ret; i++, from += sizeof(one)) {
		memcpy(&one, from, sizeof(one));
		ret = one.count > MULTI_DATA ? -EINVAL :
		      region_write(hfi, one.region, one.offset, one.data, one.count);
	}
	if (!ret)
		set_reply(message, &count, sizeof(count));
	return ret;
}

static int handle_reset(struct hfi *hfi, struct vfio_user_message *message)
{
	hfi_log(hfi, LOG_NOTICE, "device reset");
	hfi_reset(hfi);
	set_reply(message, NULL, 0);
	return 0;
}

static int handle_command(struct hfi *hfi, u16 command,
			  struct vfio_user_message *message)
{
	switch (command) {
	case COMMAND_VERSION:
		return handle_version(hfi, message);
	case COMMAND_DMA_MAP:
		return handle_dma_map(hfi, message);
	case COMMAND_DMA_UNMAP:
		return handle_dma_unmap(hfi, message);
	case COMMAND_GET_INFO:
		return handle_get_info(message);
	case COMMAND_GET_REGION_INFO:
		return handle_get_region_info(message);
	case COMMAND_GET_IRQ_INFO:
		return handle_get_irq_info(message);
	case COMMAND_SET_IRQS:
		return handle_set_irqs(hfi, message);
	case COMMAND_REGION_READ:
		return handle_region_read(hfi, message);
	case COMMAND_REGION_WRITE:
		return handle_region_write(hfi, message);
	case COMMAND_WRITE_MULTI:
		return handle_write_multi(hfi, message);
	case COMMAND_RESET:
		return handle_reset(hfi, message);
	default:
		return -EOPNOTSUPP;
	}
}

int vfio_user_handle(struct hfi *hfi, struct vfio_user_message *message)
{
	struct header header;
	int ret;

	message->reply_size = 0;
	if (message->size < sizeof(header))
		return -EPROTO;
	memcpy(&header, message->data, sizeof(header));
	if (header.size != message->size)
		return -EPROTO;
	/* replies and unknown types: we never asked for anything */
	if (header.flags & FLAG_TYPE_MASK) {
		hfi_complain(hfi, "message of type %u is not a request",
			     header.flags & FLAG_TYPE_MASK);
		return 0;
	}
	ret = handle_command(hfi, header.command, message);
	if (ret)
		hfi_complain(hfi, "vfio-user request %u refused: %s",
			     header.command, strerror(-ret));
	if (header.flags & FLAG_NO_REPLY) {
		message->reply_size = 0;
		return 0;
	}
	if (ret)
		message->reply_size = sizeof(header);
	header.flags = FLAG_REPLY | (ret ? FLAG_ERROR : 0);
	header.error = ret ? (u32)-ret : 0;
	header.size = message->reply_size;
	memcpy(message->reply, &header, sizeof(header));
	return 0;
}
