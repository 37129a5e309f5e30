#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  two guests with an HFI each: ib_read_bw and ib_write_bw between them, over TID RDMA
#: guests 2
#: hfisim --rcv-array 1024
#: memory 1G
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# bandwidth NAME TEST OPTION...: guest 1 is the client.
bandwidth() {
	local name=$1 test=$2 out status
	shift 2
	if [ "$LAB_GUEST" = 0 ]; then
		out=$(timeout 100 "$test" -F "$@" 2>&1)
	else
		out=$(wait_until 30 timeout 100 "$test" -F "$@" guest0 2>&1)
	fi
	status=$?
	note "$out"
	if [ $status = 0 ]; then
		pass "$name"
	else
		fail "$name" "exit status $status"
	fi
}

begin
net_up || bail "the guests reach each other"
barrier 4000 100 || bail "the other guest is there"
bandwidth "ib_read_bw" ib_read_bw -s 1048576 -n 100 -q 8 -t 2 -u 20
bandwidth "ib_write_bw" ib_write_bw -s 1048576 -n 100 -q 8 -t 2 -u 20
check "TID RDMA packets were received" test "$(tid_packets "$(dev0)")" -gt 0
note "$(tid_state)"
nothing_left
barrier 4001 100 || bail "the other guest is still there"
