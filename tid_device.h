/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The HFIs that hfi1 has registered with the RDMA core, and their contexts.
 */
#ifndef TID_DEVICE_H
#define TID_DEVICE_H

#include "include/hfi1.h"

/**
 * struct tid_device - one HFI
 * @list: in the list of all, under a mutex of tid_device.c
 * @dd: hfi1's device; it stays while the struct is in the list
 * @debugfs: the device's folder, see debugfs.h
 */
struct tid_device {
	struct list_head list;
	struct hfi1_devdata *dd;
	struct dentry *debugfs;
};

int tid_device_watch(void);
void tid_device_unwatch(void);
void tid_device_settle(void);

#endif /* TID_DEVICE_H */
