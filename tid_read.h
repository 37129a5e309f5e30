/* SPDX-License-Identifier: GPL-2.0 */
/* Ask for the segments of a READ. */
#ifndef TID_READ_H
#define TID_READ_H

#include "include/hfi1.h"

u32 hfi1_build_tid_rdma_read_req(struct rvt_qp *qp, struct rvt_swqe *wqe,
				 struct ib_other_headers *ohdr, u32 *bth1,
				 u32 *bth2, u32 *len)
	__must_hold(&qp->s_lock);

#endif /* TID_READ_H */
