/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the wait queues, system hfi1_tid_wait: a QP is put to sleep (wait),
 * woken (wake), gets what it waited for (grant), or leaves its queue without it
 * (leave).
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hfi1_tid_wait

#if !defined(TID_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TID_TRACE_H

#include <linux/tracepoint.h>

#include "tid_wait.h"

TRACE_DEFINE_ENUM(TID_TRACE_NONE);
TRACE_DEFINE_ENUM(TID_TRACE_FLOW);
TRACE_DEFINE_ENUM(TID_TRACE_TID);

DECLARE_EVENT_CLASS(tid_wait_template,
		    TP_PROTO(struct rvt_qp *qp, enum tid_trace_queue queue,
			     u32 depth, u64 waited),
		    TP_ARGS(qp, queue, depth, waited),
		    TP_STRUCT__entry(__array(char, device, IB_DEVICE_NAME_MAX)
				     __field(u32, context)
				     __field(u32, qpn)
				     __field(u32, queue)
				     __field(u32, depth)
				     __field(u64, waited)
		    ),
		    TP_fast_assign(struct hfi1_qp_priv *priv = qp->priv;

				   strscpy(__entry->device,
					   dev_name(&qp->ibqp.device->dev),
					   IB_DEVICE_NAME_MAX);
				   __entry->context = priv->rcd->ctxt;
				   __entry->qpn = qp->ibqp.qp_num;
				   __entry->queue = queue;
				   __entry->depth = depth;
				   __entry->waited = waited;
		    ),
		    TP_printk("device=%s context=%u qpn=0x%x queue=%s depth=%u waited_ns=%llu",
			      __entry->device, __entry->context, __entry->qpn,
			      __print_symbolic(__entry->queue,
					       { TID_TRACE_NONE, "none" },
					       { TID_TRACE_FLOW, "flow" },
					       { TID_TRACE_TID, "tid" }),
			      __entry->depth, __entry->waited)
);

DEFINE_EVENT(tid_wait_template, wait,
	     TP_PROTO(struct rvt_qp *qp, enum tid_trace_queue queue, u32 depth,
		      u64 waited),
	     TP_ARGS(qp, queue, depth, waited)
);

DEFINE_EVENT(tid_wait_template, wake,
	     TP_PROTO(struct rvt_qp *qp, enum tid_trace_queue queue, u32 depth,
		      u64 waited),
	     TP_ARGS(qp, queue, depth, waited)
);

DEFINE_EVENT(tid_wait_template, grant,
	     TP_PROTO(struct rvt_qp *qp, enum tid_trace_queue queue, u32 depth,
		      u64 waited),
	     TP_ARGS(qp, queue, depth, waited)
);

DEFINE_EVENT(tid_wait_template, leave,
	     TP_PROTO(struct rvt_qp *qp, enum tid_trace_queue queue, u32 depth,
		      u64 waited),
	     TP_ARGS(qp, queue, depth, waited)
);

#endif /* TID_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE tid_trace
#include <trace/define_trace.h>
