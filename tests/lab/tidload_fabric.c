// SPDX-License-Identifier: GPL-2.0
/*
 * The two HFIs of the guest, and memory whose physical layout is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tidload.h"

#define VENDOR_INTEL	0x8086
#define DEVICE_DISCRETE	0x24f0
#define DEVICE_FABRIC	0x24f1

#define PAGE_BYTES	4096u
#define HUGE_BYTES	(2u << 20)
/* /proc/self/pagemap: page frame number in bits 54:0 */
#define PAGEMAP_PFN	((1ull << 55) - 1)
#define SPARE_PAGES	1024u

/**
 * clock_now() - the time, for measuring how long something took
 *
 * Return: seconds of the monotonic clock.
 */
double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static unsigned long sysfs_number(const char *dir, const char *file)
{
	char path[512];
	unsigned long value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%lx", &value) != 1)
		value = 0;
	fclose(f);
	return value;
}

static bool is_hfi(struct ibv_device *dev)
{
	char pci[512];
	unsigned long id;

	snprintf(pci, sizeof(pci), "%s/device", dev->ibdev_path);
	id = sysfs_number(pci, "device");
	return sysfs_number(pci, "vendor") == VENDOR_INTEL &&
	       (id == DEVICE_DISCRETE || id == DEVICE_FABRIC);
}

static int by_pci_address(const void *a, const void *b)
{
	struct ibv_device *const *one = a, *const *two = b;
	char path[2][512], real[2][4096];

	snprintf(path[0], sizeof(path[0]), "%s/device", (*one)->ibdev_path);
	snprintf(path[1], sizeof(path[1]), "%s/device", (*two)->ibdev_path);
	if (!realpath(path[0], real[0]) || !realpath(path[1], real[1]))
		return 0;
	return strcmp(real[0], real[1]);
}

/*
 * rdma-core may have renamed the verbs devices; hfi1's folders in debugfs
 * keep the names hfi1_<unit>, and units go by PCI address as well.
 */
static void find_stats(struct fabric *f)
{
	glob_t found;
	size_t i;

	if (glob("/sys/kernel/debug/hfi1/hfi1_[0-9]*/opcode_stats", 0, NULL,
		 &found))
		return;
	for (i = 0; i < 2 && i < found.gl_pathc; i++)
		snprintf(f->hfi[i].stats, sizeof(f->hfi[i].stats), "%s",
			 found.gl_pathv[i]);
	globfree(&found);
}

static int hfi_check_port(struct hfi *h)
{
	struct ibv_port_attr port;

	if (ibv_query_port(h->ctx, 1, &port)) {
		fprintf(stderr, "tidload: cannot query port 1 of %s\n",
			h->name);
		return -EIO;
	}
	if (port.state != IBV_PORT_ACTIVE) {
		fprintf(stderr,
			"tidload: port 1 of %s is %s, not ACTIVE: start opa-fm and wait for it\n",
			h->name, ibv_port_state_str(port.state));
		return -ENETDOWN;
	}
	if (port.active_mtu < IBV_MTU_4096) {
		fprintf(stderr,
			"tidload: the MTU of %s is below 4096, TID RDMA needs 4096 or more\n",
			h->name);
		return -EMSGSIZE;
	}
	h->lid = port.lid;
	return 0;
}

static int hfi_open(struct hfi *h, struct ibv_device *dev, int entries)
{
	int ret;

	snprintf(h->name, sizeof(h->name), "%s", ibv_get_device_name(dev));
	h->ctx = ibv_open_device(dev);
	if (!h->ctx) {
		fprintf(stderr, "tidload: cannot open %s: %s\n", h->name,
			strerror(errno));
		return -ENODEV;
	}
	ret = hfi_check_port(h);
	if (ret)
		return ret;

	h->pd = ibv_alloc_pd(h->ctx);
	h->channel = ibv_create_comp_channel(h->ctx);
	if (h->pd && h->channel)
		h->cq = ibv_create_cq(h->ctx, entries, NULL, h->channel, 0);
	if (!h->cq) {
		fprintf(stderr,
			"tidload: cannot make a completion queue of %d entries on %s: %s\n",
			entries, h->name, strerror(errno));
		return -ENOMEM;
	}
	return 0;
}

/**
 * fabric_open() - open both HFIs
 * @f: filled in
 * @opt: the command line
 *
 * HFIs are told by PCI vendor and device, since rdma-core may have renamed
 * them, and ordered by PCI address, as hfi1 numbers them.
 *
 * Return: 0; -ENODEV without two HFIs, -ENETDOWN when a port is not ACTIVE,
 * -EMSGSIZE when its MTU is below 4096, -EIO or -ENOMEM when verbs refuse.
 */
int fabric_open(struct fabric *f, const struct options *opt)
{
	int n, i, found = 0, entries, ret = 0;
	struct ibv_device **list;

	f->opt = opt;
	list = ibv_get_device_list(&n);
	for (i = 0; list && i < n; i++)
		if (is_hfi(list[i]))
			list[found++] = list[i];
	if (found < 2) {
		fprintf(stderr,
			"tidload: %d HFIs here, two are needed: is hfi1 loaded?\n",
			found);
		return -ENODEV;
	}
	qsort(list, found, sizeof(*list), by_pci_address);

	find_stats(f);
	entries = opt->qps * (opt->depth + 2) + 16;
	for (i = 0; i < 2 && !ret; i++)
		ret = hfi_open(&f->hfi[i], list[i], entries);
	ibv_free_device_list(list);
	if (ret)
		return ret;

	f->conns = calloc(opt->qps, sizeof(*f->conns));
	if (!f->conns) {
		fprintf(stderr, "tidload: no memory for %u QPs\n", opt->qps);
		return -ENOMEM;
	}
	return 0;
}

/**
 * fabric_tid_packets() - count the TID RDMA packets that an HFI received
 * @h: the HFI
 * @packets: set to the number since hfi1 was loaded
 *
 * TID RDMA has the opcodes e0 to e7 (hfi1's tid_rdma_defs of <rdma/>).
 *
 * Return: 0, or -ENOENT when hfi1's statistics cannot be read.
 */
int fabric_tid_packets(const struct hfi *h, __u64 *packets)
{
	unsigned long long n, bytes;
	unsigned int opcode;
	FILE *file;

	file = fopen(h->stats, "r");
	if (!file) {
		fprintf(stderr,
			"tidload: cannot read hfi1's opcode_stats of %s: mount debugfs, or use --no-tid\n",
			h->name);
		return -ENOENT;
	}
	*packets = 0;
	while (fscanf(file, "%x %llu/%llu", &opcode, &n, &bytes) == 3)
		if (opcode >= 0xe0 && opcode <= 0xe7)
			*packets += n;
	fclose(file);
	return 0;
}

static int page_frame(int pagemap, const __u8 *p, __u64 *pfn)
{
	__u64 entry;
	off_t at = (uintptr_t)p / PAGE_BYTES * sizeof(entry);

	if (pread(pagemap, &entry, sizeof(entry), at) != sizeof(entry))
		return -EIO;
	*pfn = entry & PAGEMAP_PFN;
	if (!*pfn) {
		fprintf(stderr,
			"tidload: /proc/self/pagemap hides page frames: run as root\n");
		return -EPERM;
	}
	return 0;
}

static bool adjacent(__u64 a, __u64 b)
{
	return a == b + 1 || b == a + 1;
}

/*
 * Give a page another frame: drop it, let a spare page take the frame that
 * was freed last, and fault it in again.
 */
static int move_page(__u8 *p, __u8 **spare, __u8 *spare_end)
{
	if (*spare == spare_end) {
		fprintf(stderr, "tidload: cannot scatter the buffer's pages\n");
		return -ENOMEM;
	}
	if (madvise(p, PAGE_BYTES, MADV_DONTNEED))
		return -errno;
	**spare = 1;
	*spare += PAGE_BYTES;
	*p = 1;
	return 0;
}

/*
 * Even pages first, then the odd ones: the allocator hands out runs of
 * frames, so neighbours end up apart. The pagemap tells where that failed.
 */
static int scatter(struct buffer *b, int pagemap, __u8 *spare)
{
	__u8 *spare_end = spare + SPARE_PAGES * (size_t)PAGE_BYTES;
	__u64 before = 0, frame;
	size_t i;
	int ret;

	for (i = 0; i < b->length; i += 2 * PAGE_BYTES)
		b->map[i] = 1;
	for (i = PAGE_BYTES; i < b->length; i += 2 * PAGE_BYTES)
		b->map[i] = 1;

	for (i = 0; i < b->length; i += PAGE_BYTES) {
		ret = page_frame(pagemap, b->map + i, &frame);
		while (!ret && i && adjacent(before, frame)) {
			ret = move_page(b->map + i, &spare, spare_end);
			if (!ret)
				ret = page_frame(pagemap, b->map + i, &frame);
		}
		if (ret)
			return ret;
		before = frame;
	}
	return 0;
}

static int check_contiguous(struct buffer *b, int pagemap)
{
	__u64 first = 0, frame;
	size_t i;
	int ret;

	for (i = 0; i < b->length; i += PAGE_BYTES) {
		ret = page_frame(pagemap, b->map + i, &frame);
		if (ret)
			return ret;
		if (i % HUGE_BYTES == 0)
			first = frame;
		if (frame != first + i % HUGE_BYTES / PAGE_BYTES) {
			fprintf(stderr,
				"tidload: no huge page for a contiguous buffer: is transparent_hugepage on, and enough memory free?\n");
			return -ENOMEM;
		}
	}
	return 0;
}

static int lay_out(struct buffer *b, bool scattered)
{
	size_t spares = SPARE_PAGES * (size_t)PAGE_BYTES;
	__u8 *spare;
	int fd, ret;

	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "tidload: cannot open /proc/self/pagemap: %s\n",
			strerror(errno));
		return -errno;
	}
	if (!scattered) {
		memset(b->map, 1, b->length);
		ret = check_contiguous(b, fd);
		close(fd);
		return ret;
	}
	spare = mmap(NULL, spares, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (spare == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	madvise(spare, spares, MADV_NOHUGEPAGE);
	ret = scatter(b, fd, spare);
	munmap(spare, spares);
	close(fd);
	return ret;
}

/**
 * buffer_make() - memory of a known physical layout, registered with an HFI
 * @b: filled in
 * @h: the HFI
 * @length: bytes, rounded up to whole pages, or 2 MiB pieces if contiguous
 * @scattered: no two neighbouring pages physically adjacent; otherwise each
 *	2 MiB in one piece
 *
 * Return: 0; -ENOMEM when the layout cannot be had or verbs refuse the
 * memory, -EPERM without the right to see page frames, or another -errno.
 */
int buffer_make(struct buffer *b, struct hfi *h, size_t length, bool scattered)
{
	size_t unit = scattered ? PAGE_BYTES : HUGE_BYTES;
	__u8 *p;
	int ret;

	b->length = (length + unit - 1) / unit * unit;
	p = mmap(NULL, b->length + HUGE_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		fprintf(stderr, "tidload: no memory for %zu bytes\n",
			b->length);
		return -ENOMEM;
	}
	b->map = (__u8 *)(((uintptr_t)p + HUGE_BYTES - 1) &
			     ~(uintptr_t)(HUGE_BYTES - 1));
	if (b->map > p)
		munmap(p, b->map - p);
	if (p + HUGE_BYTES > b->map)
		munmap(b->map + b->length, p + HUGE_BYTES - b->map);
	madvise(b->map, b->length,
		scattered ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);

	ret = lay_out(b, scattered);
	return ret ? ret : buffer_register(b, h);
}

/**
 * buffer_register() - let an HFI read and write a buffer
 * @b: the buffer, not registered
 * @h: the HFI
 *
 * Return: 0, or -ENOMEM when verbs refuse.
 */
int buffer_register(struct buffer *b, struct hfi *h)
{
	b->mr = ibv_reg_mr(h->pd, b->map, b->length,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			   IBV_ACCESS_REMOTE_WRITE);
	if (!b->mr) {
		fprintf(stderr, "tidload: cannot register %zu bytes: %s\n",
			b->length, strerror(errno));
		return -ENOMEM;
	}
	return 0;
}

/**
 * buffer_deregister() - an HFI may not use a buffer any more
 * @b: the buffer; nothing is done when it is not registered
 *
 * QPs that still use it go to ERR.
 *
 * Return: 0, or what verbs answered: it is still registered then.
 */
int buffer_deregister(struct buffer *b)
{
	int ret = b->mr ? ibv_dereg_mr(b->mr) : 0;

	if (!ret)
		b->mr = NULL;
	return -ret;
}

/**
 * buffer_free() - give a buffer back
 * @b: the buffer; nothing is done for one that was never made
 */
void buffer_free(struct buffer *b)
{
	buffer_deregister(b);
	if (b->map)
		munmap(b->map, b->length);
	memset(b, 0, sizeof(*b));
}
