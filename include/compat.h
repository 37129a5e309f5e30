/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions. Nothing outside this file asks which
 * kernel, or whose hfi1, it is built for.
 */
#ifndef HFI1_TID_WAIT_COMPAT_H
#define HFI1_TID_WAIT_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "hfi1_tid_wait needs Linux 6.1 or newer"
#endif

#if !IS_ENABLED(CONFIG_X86_64)
#error "hfi1 drives its hardware on x86_64 only, and so does hfi1_tid_wait"
#endif

#endif
