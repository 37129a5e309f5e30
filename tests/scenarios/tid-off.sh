#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  with TID RDMA off in hfi1's cap_mask the module loads and says what to set
. /lab/lib.sh
. /lab/traffic.sh

# refuses: tidload needs TID RDMA, says so, and ends with status 3.
refuses() {
	local out
	out=$(tidload verify --deadline 3 2>&1)
	[ $? = 3 ] && [[ $out == *"does not use TID RDMA"* ]]
}

fabric_up cap_mask=0x4C09009CB9A
log_mark
check "loads" tid_wait_load
check "says that TID RDMA is off" log_says "TID RDMA is off"
check "names the option to set" log_says "cap_mask=0x4c09"
traffic "bytes are right without TID RDMA" verify --op both --no-tid
check "no TID RDMA packet was seen" test "$(tid_packets "$(dev0)")" = 0
check "tidload says why it does not start" refuses
nothing_left
