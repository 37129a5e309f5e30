// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles only if every constant that the headers here restate has the value
 * that hfi1's source gives it. Makes no code.
 */
#include "public.h"
#include "hfi.h"
#include "qp.h"
#include "exp_rcv.h"

/* KERN_GENERATION_RESERVED of tid_rdma.c is made with a function. */
#define mask_generation(a) ((a) & GENERATION_MASK)

static void __used constants_check(void)
{
#include "hfi1_constants.h"
}
