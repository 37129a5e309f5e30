/* SPDX-License-Identifier: GPL-2.0 */
/* End requests that can never be served. */
#ifndef TID_FAIL_H
#define TID_FAIL_H

#include "include/hfi1.h"

int tid_fail_init(void);
void tid_fail_exit(void);
void tid_fail_request(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock);

#endif /* TID_FAIL_H */
