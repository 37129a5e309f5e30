// SPDX-License-Identifier: GPL-2.0
/* Requests that cannot be served: a fake QP has no completion queue to tell. */

#include "../../tid_fail.h"
#include "fixture.h"

void tid_fail_request(struct tid_rdma_request *req)
	__must_hold(&req->qp->s_lock)
{
	lockdep_assert_held(&req->qp->s_lock);
	req->n_flows = 0;
	fx_of(req->qp)->failed++;
}
