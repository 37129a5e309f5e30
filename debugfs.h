/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be seen from outside: /sys/kernel/debug/hfi1_tid_wait/<device>/
 */
#ifndef TID_DEBUGFS_H
#define TID_DEBUGFS_H

struct tid_device;

void tid_debugfs_init(void);
void tid_debugfs_exit(void);
void tid_debugfs_add(struct tid_device *dev);
void tid_debugfs_remove(struct tid_device *dev);

#endif /* TID_DEBUGFS_H */
