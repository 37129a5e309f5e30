// SPDX-License-Identifier: GPL-2.0
/*
 * One folder an HFI, named as the RDMA core names the device, readable by root.
 *
 * contexts: a header line, then a line for each kernel receive context.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "debugfs.h"
#include "tid_device.h"
#include "tid_rdma.h"
#include "tid_wait.h"

static struct dentry *tid_debugfs_root;

static const char tid_contexts_header[] =
	"context flows flows_free tids tids_free flow_queue tid_queue waits grants wakeups futile passed_on flushed longest_wait_us\n";

static u32 tid_queue_depth(struct tid_queue *queue)
{
	return queue->enqueue - queue->dequeue;
}

static void tid_show_context(struct seq_file *s, struct hfi1_ctxtdata *rcd)
{
	u32 flows_free, tids_free, flow_depth, tid_depth;
	struct tid_wait_stats stats;
	unsigned long flags;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	flows_free = RXE_NUM_TID_FLOWS - hweight_long(rcd->flow_mask);
	tids_free = tid_rdma_free_tids(rcd);
	flow_depth = tid_queue_depth(&rcd->flow_queue);
	tid_depth = tid_queue_depth(&rcd->rarr_queue);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	tid_wait_read_stats(rcd, &stats);
	seq_printf(s, "%u %u %u %u %u %u %u %llu %llu %llu %llu %llu %llu %llu\n",
		   rcd->ctxt, RXE_NUM_TID_FLOWS, flows_free,
		   rcd->expected_count, tids_free, flow_depth, tid_depth,
		   (u64)atomic64_read(&stats.waits),
		   (u64)atomic64_read(&stats.grants),
		   (u64)atomic64_read(&stats.wakeups),
		   (u64)atomic64_read(&stats.futile),
		   (u64)atomic64_read(&stats.passed_on),
		   (u64)atomic64_read(&stats.flushed),
		   div_u64(atomic64_read(&stats.longest_wait), NSEC_PER_USEC));
}

static int contexts_show(struct seq_file *s, void *unused)
{
	struct tid_device *dev = s->private;
	int i;

	seq_puts(s, tid_contexts_header);
	for (i = 0; i < dev->dd->first_dyn_alloc_ctxt; i++)
		if (dev->dd->rcd[i])
			tid_show_context(s, dev->dd->rcd[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(contexts);

/**
 * tid_debugfs_add - make the folder of an HFI
 * @dev: the HFI
 *
 * Context: process context. A failure is not reported: nothing depends on it.
 */
void tid_debugfs_add(struct tid_device *dev)
{
	dev->debugfs = debugfs_create_dir(dev_name(&dev->dd->verbs_dev.rdi.ibdev.dev),
					  tid_debugfs_root);
	debugfs_create_file("contexts", 0400, dev->debugfs, dev,
			    &contexts_fops);
}

/**
 * tid_debugfs_remove - remove the folder of an HFI
 * @dev: the HFI
 *
 * Context: process context; waits for readers.
 */
void tid_debugfs_remove(struct tid_device *dev)
{
	debugfs_remove_recursive(dev->debugfs);
}

/**
 * tid_debugfs_init - make the module's folder
 *
 * Context: process context.
 */
void tid_debugfs_init(void)
{
	tid_debugfs_root = debugfs_create_dir(KBUILD_MODNAME, NULL);
}

/**
 * tid_debugfs_exit - remove the module's folder
 *
 * Context: process context; no HFI is watched any more.
 */
void tid_debugfs_exit(void)
{
	debugfs_remove_recursive(tid_debugfs_root);
}
