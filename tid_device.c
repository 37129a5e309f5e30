// SPDX-License-Identifier: GPL-2.0
/*
 * Follow the HFIs as they come and go, as a client of the RDMA core: it calls
 * add() when a device can be used, and remove() before hfi1 takes it apart.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include "debugfs.h"
#include "tid_device.h"
#include "tid_wait.h"

static DEFINE_MUTEX(tid_devices_lock);
static LIST_HEAD(tid_devices);
static bool tid_devices_watched;

static void tid_device_settle_qp(struct rvt_qp *qp, u64 unused)
{
	tid_wait_settle_qp(qp);
}

/* What whoever served the queues until now has left in them. */
static void tid_device_settle_one(struct hfi1_devdata *dd)
{
	int i;

	rvt_qp_iter(&dd->verbs_dev.rdi, 0, tid_device_settle_qp);
	/* Only the kernel's contexts: those of user processes have no wait queues. */
	for (i = 0; i < dd->first_dyn_alloc_ctxt; i++)
		if (dd->rcd[i])
			tid_wait_settle(dd->rcd[i]);
}

static struct ib_client tid_client;

static int tid_device_add(struct ib_device *ibdev)
{
	struct tid_device *dev;

	if (ibdev->ops.driver_id != RDMA_DRIVER_HFI1)
		return -EOPNOTSUPP;
	dev = kzalloc_obj(*dev);
	if (dev) {
		dev->dd = dd_from_ibdev(ibdev);
		tid_debugfs_add(dev);
		ib_set_client_data(ibdev, &tid_client, dev);
		mutex_lock(&tid_devices_lock);
		list_add_tail(&dev->list, &tid_devices);
		mutex_unlock(&tid_devices_lock);
	}
	/* What stock code left in the queues before we came; needs no memory. */
	tid_device_settle_one(dd_from_ibdev(ibdev));
	return dev ? 0 : -ENOMEM;
}

static void tid_device_remove(struct ib_device *ibdev, void *data)
{
	struct tid_device *dev = data;

	mutex_lock(&tid_devices_lock);
	list_del(&dev->list);
	mutex_unlock(&tid_devices_lock);
	tid_debugfs_remove(dev);
	kfree(dev);
}

static void tid_device_rename(struct ib_device *ibdev, void *data)
{
	tid_debugfs_remove(data);
	tid_debugfs_add(data);
}

static struct ib_client tid_client = {
	.name = KBUILD_MODNAME,
	.add = tid_device_add,
	.remove = tid_device_remove,
	.rename = tid_device_rename,
};

/**
 * tid_device_watch - follow the HFIs that are there and those to come
 *
 * Context: process context. hfi1 must be the one that we were built for: its
 *	structs are read from here on.
 * Return: 0; -ENOMEM if the RDMA core has no memory for a client.
 */
int tid_device_watch(void)
{
	int ret = ib_register_client(&tid_client);

	tid_devices_watched = !ret;
	return ret;
}

/**
 * tid_device_unwatch - forget all HFIs
 *
 * Context: process context; never at the same time as tid_device_watch().
 */
void tid_device_unwatch(void)
{
	if (tid_devices_watched)
		ib_unregister_client(&tid_client);
	tid_devices_watched = false;
}

/**
 * tid_device_settle - make all wait queues right, whoever served them
 *
 * Context: process context; takes the lock of the list, and no HFI goes away
 *	before it is dropped.
 */
void tid_device_settle(void)
{
	struct tid_device *dev;

	mutex_lock(&tid_devices_lock);
	list_for_each_entry(dev, &tid_devices, list)
		tid_device_settle_one(dev->dd);
	mutex_unlock(&tid_devices_lock);
}
