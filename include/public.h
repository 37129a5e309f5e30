/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's public headers, all that hfi1's own types are made from. What
 * these define is left out of the generated hfi1_types.h.
 */
#ifndef HFI1_TID_WAIT_PUBLIC_H
#define HFI1_TID_WAIT_PUBLIC_H

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/cdev.h>
#include <linux/circ_buf.h>
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/i2c.h>
#include <linux/i2c-algo-bit.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/topology.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/hfi/hfi1_user.h>
#include <rdma/ib_hdrs.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_verbs.h>
#include <rdma/opa_addr.h>
#include <rdma/opa_port_info.h>
#include <rdma/opa_smi.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>
#include <rdma/rdmavt_mr.h>
#include <rdma/rdmavt_qp.h>
#include <rdma/tid_rdma_defs.h>

#endif
