/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TID_UNIT_CHECKS_H
#define TID_UNIT_CHECKS_H

#include "fixture.h"

void check_positions(struct fx *fx, struct tid_queue *queue);
void check_waiters(struct fx *fx);
void check_flows(struct fx *fx);
void check_tids(struct fx *fx);
void check_device(struct fx *fx);
void check_all(struct fx *fx);
void check_quiet(struct fx *fx);
void check_order(struct fx *fx, struct tid_queue *queue,
		 struct fx_qp *const *qps, u32 n);
void check_segment(struct fx_qp *q, struct tid_rdma_flow *flow,
		   const u16 *pages, u32 npages);

#endif /* TID_UNIT_CHECKS_H */
