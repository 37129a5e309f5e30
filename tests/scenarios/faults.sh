#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  bytes stay right when expected packets are lost, and for WRITE also when they are doubled, swapped, late or damaged
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# right FAILURES OPTION...: tidload with every byte right, every operation ended, and
# no more than FAILURES of them in "transport retry counter exceeded".
right() {
	local out failed
	out=$(tidload load "${@:2}" 2>&1)
	note "$out"
	failed=$(sed -n 's/^load: \([0-9]*\) failed, 0 wrong, 0 never completed$/\1/p' <<<"$out")
	[ -n "$failed" ] && [ "$failed" -le "$1" ] || return
	! grep 'tidload: failed:' <<<"$out" | grep -v 'retry counter exceeded'
}

# under OP SIZE TIMEOUT HFI KIND EVERY [WORD...]: traffic whose expected packets,
# which arrive at HFI, suffer one fault. TIMEOUT is the ACK timeout of the QPs: hfi1
# waits 64 times as long for a READ (timeout_shift of tid_rdma_conn_reply), but
# not for the data of a WRITE.
under() {
	local op=$1 size=$2 timeout=$3 hfi=$4 kind=$5 failures=0
	# hfi1, also stock, sometimes retries a WRITE in vain when its data was lost
	[ "$op $kind" != "write drop" ] || failures=1
	hfisimctl fault "${@:4}" >/dev/null || bail "fault ${*:4}"
	check "$op, one packet in $6: $kind" right $failures --op "$op" --qps 8 --depth 1 --size "$size" \
		--memory scattered --check --operations 200 --timeout "$timeout" --deadline 40
	hfisimctl fault "$hfi" off >/dev/null
	check "HFI $hfi met the fault: $kind" counter_above "$hfi" "faults.$kind" 0
	nothing_left "all flows and TIDs are free after $op with: $kind"
}

begin
# Of READs only loss, and of one segment: otherwise it may be that packets come
# twice, and hfi1's handle_read_kdeth_eflags(), which is not ours, looks for the
# second ones at a request that is gone and crashes.
under read 256K 14 0 drop 200
under write 1M 17 1 drop 700
under write 1M 17 1 duplicate 300
under write 1M 17 1 reorder 300
under write 1M 17 1 delay 500 delay=20
under write 1M 17 1 corrupt 700
traffic "all is well afterwards" verify --op both --size 4K,256K,4M
