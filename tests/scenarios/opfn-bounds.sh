#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a peer announces TID RDMA parameters at every bound: each request ends, with right bytes or an error
#: timeout 900
. /lab/lib.sh
. /lab/traffic.sh

QPS=2 OPERATIONS=12

# figure NAME: a number of tidload's JSON on stdin.
figure() {
	grep -o "\"$1\":[0-9]*" | cut -d: -f2
}

# ends OP HFI: HFI requests; the QPs agree on TID RDMA in the course of the first
# requests. Every request completes and no byte is wrong.
ends() {
	local out complete
	out=$(tidload load --json --op "$1" --requester "$2" --no-tid --size 1M --qps $QPS --depth 2 \
		--check --operations $OPERATIONS --timeout "$timeout" --deadline 40 2>&1)
	complete=$(figure operations <<<"$out")
	[ -n "$complete" ] || { echo "$out"; return 1; }
	note "$(printf '%-22s %-4s %3d %10d %6d %5d %5d' "$bound" "$1" "$2" "$complete" \
		"$(figure failed <<<"$out")" "$(figure wrong <<<"$out")" "$(figure stuck <<<"$out")")"
	[ "$(figure wrong <<<"$out") $(figure stuck <<<"$out")" = "0 0" ] || { echo "$out"; return 1; }
	[ -z "$served" ] || [ "$complete" = $OPERATIONS ]
}

# bound FIELD=VALUE [TIMEOUT] [served]: HFI 1 announces that, HFI 0 asks it for READs
# and WRITEs, and is asked. With served, no request may fail.
bound() {
	local op hfi
	bound=$1 timeout=${2:-13} served=${3:-}
	hfisimctl opfn 1 "$1" >/dev/null || bail "opfn 1 $1"
	for hfi in 0 1; do
		for op in read write; do
			check "$1: each $op of HFI $hfi ends" ends $op $hfi
		done
	done
	nothing_left "$1: nothing is left"
}

# fails FIELD=VALUE: what is sent to HFI 1 as it asked for is lost, or HFI 0 does not
# agree to that: requests fail by retries, 8 times 8 ms, by 64 for TID RDMA.
fails() {
	bound "$1" 11
}

begin
note "HFI 1 announces        op from   complete failed wrong stuck"
before=$(tid_packets "$(dev0)")
bound jkey=32 14 served
fails jkey=0
fails jkey=63
fails context=0
fails context=255
fails kdeth=0
fails raw=0xffffffffffffffff
bound raw=0
bound urg=1
bound ver=7
# The field holds pages less one: there is no 0.
bound max_len=262144 14 served
bound max_len=4096
fails max_len=266240
fails max_len=8388608
fails max_read=0
bound max_read=1
bound max_read=63
fails max_write=0
bound max_write=1
bound max_write=63
bound timeout=0
bound timeout=31
check "TID RDMA was used" test "$(tid_packets "$(dev0)")" -gt "$before"

hfisimctl opfn 1 off >/dev/null
traffic "an honest peer is served afterwards" load --op both --qps 4 --size 1M --check --operations 40
nothing_left
no_late_write
