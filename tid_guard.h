/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that hfi1's handlers must not see. */
#ifndef TID_GUARD_H
#define TID_GUARD_H

#include "include/hfi1.h"

bool tid_guard_passes(struct hfi1_packet *packet)
	__must_hold(&packet->qp->r_lock);

#endif /* TID_GUARD_H */
