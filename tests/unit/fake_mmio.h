/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_FAKE_MMIO_H
#define TID_UNIT_FAKE_MMIO_H

/*
 * Included before the code under test: its register accesses go to the fake
 * chip, which, unlike memory, ignores RcvArray writes without write enable
 * and notices an access to no register.
 */
#include <linux/io.h>
#include <linux/types.h>

void fake_writeq(u64 value, void __iomem *addr);
u64 fake_readq(const void __iomem *addr);

#undef writeq
#define writeq(value, addr) fake_writeq(value, addr)
#undef readq
#define readq(addr) fake_readq(addr)

#endif /* TID_UNIT_FAKE_MMIO_H */
