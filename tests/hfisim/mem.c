// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "hfi.h"

#define PAGE_MASK	0xfffULL

static int mem_insert(struct hfi *hfi, const struct mem_area *area)
{
	struct mem *mem = &hfi->mem;
	unsigned int i;

	if (!area->size || area->iova + area->size < area->iova)
		return -EINVAL;
	for (i = 0; i < mem->count; i++) {
		const struct mem_area *other = &mem->area[i];

		if (area->iova < other->iova + other->size &&
		    other->iova < area->iova + area->size)
			return -EEXIST;
	}
	if (mem->count == MEM_AREAS)
		return -ENOSPC;
	mem->area[mem->count++] = *area;
	return 0;
}

/* Touching a page behind the end of the file would kill us with SIGBUS. */
static bool file_holds(int fd, u64 offset, u64 size)
{
	struct stat status;

	if (fstat(fd, &status) || status.st_size < 0)
		return false;
	return size <= (u64)status.st_size &&
	       offset <= (u64)status.st_size - size;
}

int mem_add(struct hfi *hfi, u64 iova, u64 size, int fd, u64 offset,
	    bool writable)
{
	struct mem_area area = {
		.iova = iova, .size = size, .writable = writable,
	};
	int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	void *base;
	int ret;

	if ((iova | size | offset) & PAGE_MASK || !size)
		return -EINVAL;
	if (fd >= 0) {
		if (!file_holds(fd, offset, size))
			return -EINVAL;
		base = mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)offset);
		if (base == MAP_FAILED)
			return -errno;
		area.base = base;
	}
	ret = mem_insert(hfi, &area);
	if (ret && area.base)
		munmap(area.base, size);
	return ret;
}

int mem_add_buffer(struct hfi *hfi, u64 iova, void *buffer, u64 size,
		   bool writable)
{
	struct mem_area area = {
		.iova = iova, .size = size, .base = buffer,
		.writable = writable, .borrowed = true,
	};

	return mem_insert(hfi, &area);
}

static void page_gone(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)PAGE_MASK;

	(void)context;
	/* only guest memory is mapped from files that others can change */
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, PAGE_MASK + 1, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(signal_number, SIG_DFL);
}

void mem_survive(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = page_gone;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGBUS, &action, NULL);
}

static void mem_drop(struct mem *mem, unsigned int index)
{
	struct mem_area *area = &mem->area[index];

	if (area->base && !area->borrowed)
		munmap(area->base, area->size);
	*area = mem->area[--mem->count];
	mem->last = 0;
}

unsigned int mem_remove(struct hfi *hfi, u64 iova, u64 size)
{
	struct mem *mem = &hfi->mem;
	unsigned int i = 0, removed = 0;

	while (i < mem->count) {
		const struct mem_area *area = &mem->area[i];

		if (area->iova >= iova && area->size <= size &&
		    area->iova - iova <= size - area->size) {
			mem_drop(mem, i);
			removed++;
		} else {
			i++;
		}
	}
	return removed;
}

void mem_remove_all(struct hfi *hfi)
{
	while (hfi->mem.count)
		mem_drop(&hfi->mem, hfi->mem.count - 1);
}

static bool area_holds(const struct mem_area *area, u64 iova, u64 size)
{
	return iova >= area->iova && size <= area->size &&
	       iova - area->iova <= area->size - size;
}

static const struct mem_area *mem_find(struct hfi *hfi, u64 iova, u64 size)
{
	struct mem *mem = &hfi->mem;
	unsigned int i;

	if (mem->last < mem->count && area_holds(&mem->area[mem->last], iova, size))
		return &mem->area[mem->last];
	for (i = 0; i < mem->count; i++) {
		if (area_holds(&mem->area[i], iova, size)) {
			mem->last = i;
			return &mem->area[i];
		}
	}
	return NULL;
}

const void *mem_read_ptr(struct hfi *hfi, u64 iova, u64 size)
{
	const struct mem_area *area = mem_find(hfi, iova, size);

	if (!area || !area->base) {
		hfi_complain(hfi, "DMA read of %llu bytes at 0x%llx is not in guest memory",
			     size, iova);
		return NULL;
	}
	return area->base + (iova - area->iova);
}

void *mem_write_ptr(struct hfi *hfi, u64 iova, u64 size)
{
	const struct mem_area *area = mem_find(hfi, iova, size);

	if (!area || !area->base || !area->writable) {
		hfi_complain(hfi, "DMA write of %llu bytes at 0x%llx is not in guest memory",
			     size, iova);
		return NULL;
	}
	return area->base + (iova - area->iova);
}

int mem_write64(struct hfi *hfi, u64 iova, u64 value)
{
	u64 *to;

	if (iova & 7) {
		hfi_complain(hfi, "DMA write of a word at 0x%llx is not aligned",
			     iova);
		return -EFAULT;
	}
	to = mem_write_ptr(hfi, iova, sizeof(*to));
	if (!to)
		return -EFAULT;
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
	return 0;
}
