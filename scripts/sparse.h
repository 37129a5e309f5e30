/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel headers use that sparse 0.6.4 does not understand. */
#define __typeof_unqual__ __typeof__
#define __builtin_strlen(s) (sizeof(s) - 1)
