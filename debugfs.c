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

static const char * const tid_counter_names[TID_COUNTERS] = {
	[TID_WAITS] = "waits",
	[TID_GRANTS] = "grants",
	[TID_WAKEUPS] = "wakeups",
	[TID_FUTILE] = "futile",
	[TID_PASSED_ON] = "passed_on",
	[TID_FLUSHED] = "flushed",
};

static u32 tid_queue_depth(struct tid_queue *queue)
{
	return queue->enqueue - queue->dequeue;
}

static void tid_show_context(struct seq_file *s, struct hfi1_ctxtdata *rcd)
{
	u32 flows_free, tids_free, flow_depth, tid_depth;
	struct tid_wait_stats stats;
	unsigned long flags;
	int i;

	spin_lock_irqsave(&rcd->exp_lock, flags);
	flows_free = RXE_NUM_TID_FLOWS - hweight_long(rcd->flow_mask);
	tids_free = tid_rdma_free_tids(rcd);
	flow_depth = tid_queue_depth(&rcd->flow_queue);
	tid_depth = tid_queue_depth(&rcd->rarr_queue);
	spin_unlock_irqrestore(&rcd->exp_lock, flags);

	tid_wait_read_stats(rcd, &stats);
	seq_printf(s, "%u %u %u %u %u %u %u", rcd->ctxt, RXE_NUM_TID_FLOWS,
		   flows_free, rcd->expected_count, tids_free, flow_depth,
		   tid_depth);
	for (i = 0; i < TID_COUNTERS; i++)
		seq_printf(s, " %llu", (u64)atomic64_read(&stats.count[i]));
	seq_printf(s, " %llu\n", div_u64(atomic64_read(&stats.longest_wait),
					 NSEC_PER_USEC));
}

static int contexts_show(struct seq_file *s, void *unused)
{
	struct tid_device *dev = s->private;
	int i;

	seq_puts(s, "context flows flows_free tids tids_free flow_queue tid_queue");
	for (i = 0; i < TID_COUNTERS; i++)
		seq_printf(s, " %s", tid_counter_names[i]);
	seq_puts(s, " longest_wait_us\n");
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
