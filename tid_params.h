/* SPDX-License-Identifier: GPL-2.0 */
/* What a QP and its peer tell each other before they use TID RDMA. */
#ifndef TID_PARAMS_H
#define TID_PARAMS_H

#include "include/hfi1.h"

void tid_rdma_opfn_init(struct rvt_qp *qp, struct tid_rdma_params *p);
bool tid_rdma_conn_reply(struct rvt_qp *qp, u64 data);
void tid_rdma_conn_error(struct rvt_qp *qp);
void setup_tid_rdma_wqe(struct rvt_qp *qp, struct rvt_swqe *wqe);

#endif /* TID_PARAMS_H */
