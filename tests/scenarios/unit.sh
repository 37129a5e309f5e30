#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  unit tests of wait queues, flows, page sets and segments, on fake objects
#: kernels 7.3 6.12 6.1
. /lab/lib.sh

# complete: a report that was cut short has no line of totals.
complete() {
	dmesg | grep -q '# Totals: pass:[1-9]'
}

check "rdmavt loads" modprobe rdmavt
check "the test module loads" ktap_module /lab/hfi1_tid_wait_test.ko
check "the report is complete" complete
check "the test module is removed" rmmod hfi1_tid_wait_test
