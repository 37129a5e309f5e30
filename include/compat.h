/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions. Nothing outside this file asks which
 * kernel, or whose hfi1, it is built for.
 */
#ifndef HFI1_TID_WAIT_COMPAT_H
#define HFI1_TID_WAIT_COMPAT_H

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "hfi1_tid_wait needs Linux 6.1 or newer"
#endif

#if !IS_ENABLED(CONFIG_X86_64)
#error "hfi1 drives its hardware on x86_64 only, and so does hfi1_tid_wait"
#endif

/* A zeroed object of a given type, GFP_KERNEL unless it is told: new in 7.0. */
#ifndef kzalloc_obj
#define kzalloc_obj(...) kzalloc_obj_gfp(__VA_ARGS__, GFP_KERNEL, 0)
#define kzalloc_obj_gfp(object, gfp, ...) kcalloc(1, sizeof(object), gfp)
#endif

/**
 * tid_module_rodata() - the read-only data of a loaded module
 * @mod: the module
 * @size: where its size in bytes goes; the code is in it too before 6.4
 *
 * Context: any, while @mod stays loaded.
 * Return: its address.
 */
static inline const void *tid_module_rodata(struct module *mod,
					    unsigned int *size)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	*size = mod->core_layout.ro_size;
	return mod->core_layout.base;
#else
	*size = mod->mem[MOD_RODATA].size;
	return mod->mem[MOD_RODATA].base;
#endif
}

/* DMA mapping operations get physical addresses, earlier ones pages. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define HFI1_COMPAT_DMA_OPS_PHYS
#endif

#endif
