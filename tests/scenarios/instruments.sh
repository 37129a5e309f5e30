#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  faults made on purpose, which the instruments of a debug kernel report: it has to fail
#: kernels none
. /lab/lib.sh

# What lockdep has to find comes first: it stops at its first report of a lock, and
# at one of KASAN.
FAULTS="rcu lock-order use-after-free double-add freed-timer unmap sleep leak"
[ -e /proc/lockdep_stats ] || FAULTS=race

check "rdmavt loads" modprobe rdmavt
for fault in $FAULTS; do
	report "# seeded fault: $fault"
	check "made: $fault" insmod /lab/hfi1_tid_wait_test.ko fault="$fault"
	check "removed: $fault" rmmod hfi1_tid_wait_test
done
report "# seeded fault: none"
