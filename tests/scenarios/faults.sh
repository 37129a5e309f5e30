#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  bytes stay right when expected packets are lost, and for WRITE also when they are doubled, swapped, late or damaged
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# under OP TIMEOUT HFI KIND EVERY [WORD...]: traffic whose expected packets, which
# arrive at HFI, suffer one fault. TIMEOUT is the ACK timeout of the QPs: hfi1
# waits 64 times as long for a READ (timeout_shift of tid_rdma_conn_reply), but
# not for the data of a WRITE.
under() {
	local op=$1 timeout=$2 hfi=$3 kind=$4
	hfisimctl fault "${@:3}" >/dev/null || bail "fault ${*:3}"
	traffic "$op, one packet in $5: $kind" load --op "$op" --qps 4 --depth 2 --size 1M \
		--memory scattered --check --operations 200 --timeout "$timeout" --deadline 40
	hfisimctl fault "$hfi" off >/dev/null
	check "HFI $hfi met the fault: $kind" counter_above "$hfi" "faults.$kind" 0
	nothing_left "all flows and TIDs are free after $op with: $kind"
}

begin
# Of READs only loss: on a doubled or swapped packet hfi1 asks for the rest once
# more, gets it twice, and handle_read_kdeth_eflags() then looks at a request that
# is gone.
under read 10 0 drop 700
under write 17 1 drop 700
under write 17 1 duplicate 300
under write 17 1 reorder 300
under write 17 1 delay 500 delay=20
under write 17 1 corrupt 700
traffic "all is well afterwards" verify --op both --size 4K,256K,4M
