/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_SEEDED_H
#define TID_UNIT_SEEDED_H

int seeded_fault(const char *name);

#endif /* TID_UNIT_SEEDED_H */
