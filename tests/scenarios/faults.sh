#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  bytes stay right when expected packets are lost, doubled, swapped, late or damaged
#: timeout 400
. /lab/lib.sh
. /lab/traffic.sh

# under OP SIZE TIMEOUT HFI KIND EVERY [WORD...]: traffic whose expected packets,
# which arrive at HFI, suffer one fault. TIMEOUT is the ACK timeout of the QPs: hfi1
# waits 64 times as long for a READ (timeout_shift of tid_rdma_conn_reply), but
# not for the data of a WRITE.
under() {
	local op=$1 size=$2 timeout=$3 hfi=$4 kind=$5
	hfisimctl fault "${@:4}" >/dev/null || bail "fault ${*:4}"
	traffic "$op of $size, one packet in $6: $kind" load --op "$op" --qps 8 --depth 1 --size "$size" \
		--memory scattered --check --operations 200 --timeout "$timeout" --deadline 40
	hfisimctl fault "$hfi" off >/dev/null
	check "HFI $hfi met the fault: $kind" counter_above "$hfi" "faults.$kind" 0
	nothing_left "all flows and TIDs are free after $op with: $kind"
}

# without NTH SIZE: the NTH packet of a new QP's first WRITE is lost. It may be the
# segment's last: nothing follows then that tells the receiver, only the sender's
# timer does.
without() {
	local before
	before=$(counter 1 faults.drop)
	hfisimctl fault 1 drop "$1" 1 write_data >/dev/null || bail "fault 1 drop $1"
	traffic "WRITE of $2, packet $1 is lost" load --op write --qps 1 --depth 1 --size "$2" \
		--memory scattered --check --operations 3 --timeout 14 --deadline 40
	check "packet $1 of $2 was lost" counter_above 1 faults.drop "$before"
}

begin
# Of a segment each, and two of them at once: when the rest of a READ is asked for
# again after a pause, hfi1 may find that it came meanwhile, and end the READ.
under read 256K 12 0 drop 200
under read 256K 12 0 duplicate 100
under read 256K 12 0 reorder 100
under read 256K 12 0 delay 200 delay=20
under read 256K 12 0 corrupt 200
under read 1M 12 0 duplicate 100
under write 1M 17 1 drop 700
under write 1M 17 1 duplicate 300
under write 1M 17 1 reorder 300
under write 1M 17 1 delay 500 delay=20
under write 1M 17 1 corrupt 700
for size in 256K 1M; do
	for nth in 1 63 64; do
		without $nth $size
	done
done
nothing_left
traffic "all is well afterwards" verify --op both --size 4K,256K,4M
