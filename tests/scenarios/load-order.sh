#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is loaded before hfi1, stays while hfi1 leaves and returns, and is loaded after it
#: hfisim --rcv-array 1024
#: kernels 7.3 6.12 6.1
. /lab/lib.sh
. /lab/traffic.sh

# works NAME: QPs wait and are served, by our code.
works() {
	local before
	before=$(column waits)
	traffic "$1: bytes are right" load --qps 8 --depth 2 --memory scattered --check \
		--operations 100 --timeout 20
	check "$1: QPs waited in our queues" column_above waits "$before"
	nothing_left "$1: all is free afterwards"
}

# insmod does not load what a module needs
modprobe rdmavt
log_mark
check "loads without hfi1" tid_wait_load
check "says that it waits for hfi1" log_says "hfi1 is not loaded yet"
check "patches nothing yet" test ! -e "/sys/kernel/livepatch/$TID_WAIT"
fabric_up
check "is active once hfi1 is there" wait_until 30 patched
works "loaded before hfi1"

check "hfi1 can be removed" hfi1_unload
check "lets go of hfi1" wait_until 10 test ! -e "/sys/kernel/livepatch/$TID_WAIT"
fabric_up
check "is active for the hfi1 that came back" wait_until 30 patched
works "hfi1 loaded again"

check "can be unloaded" tid_wait_unload
traffic "hfi1 alone goes on" load --qps 8 --depth 2 --memory scattered --check --operations 50 \
	--timeout 20
check "loads after hfi1" tid_wait_load
check "is active at once" patched
works "loaded after hfi1"

check "hfi1 can be removed again" hfi1_unload
check "can be unloaded without hfi1" tid_wait_unload
