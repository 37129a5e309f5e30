/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that this module knows of hfi1. The types are hfi1's own: generated from
 * the BTF of the hfi1.ko it is built for, or taken from hfi1's headers when a
 * kernel source tree is given (HFI1_SRC=). Constants, and bodies that hfi1 does
 * not export, are restated in the headers below; `make layout-check` holds them
 * against hfi1's source.
 */
#ifndef HFI1_TID_WAIT_HFI1_H
#define HFI1_TID_WAIT_HFI1_H

#include "public.h"
#include "compat.h"

#ifdef HFI1_PRIVATE_HEADERS
#include "hfi1_private.h"
#else
#include "hfi1_types.h"
#endif

#include "hfi1_regs.h"
#include "hfi1_device.h"
#include "hfi1_rcvarray.h"
#include "hfi1_flow.h"
#include "hfi1_tid.h"
#include "hfi1_send.h"

#endif
