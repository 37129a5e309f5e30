# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Failures injected into hfi1 and the module, by tests/inject. After traffic.sh.

# SEGMENT: where page sets are mapped and unmapped, in hfi1 and in the module.
# ALWAYS: as many failures as there are calls.
export SEGMENT='dma_map_flow,dma_unmap_flow,hfi1_kern_exp_rcv,[hfi1_tid_wait]' ALWAYS=2147483647
# for the figures at the end: requests under failures, and calls that failed
operations=0
failures=0

# inject POINTS [PARAMETER...]: from now on these calls fail; until inject_end.
inject() {
	insmod /lab/tid_inject.ko points="$1" "${@:2}" || bail "failures of $1 can be injected"
}

inject_end() {
	failures=$((failures + $(figures | awk '{ sum += $3 } END { print sum }')))
	rmmod tid_inject
}

# figures: a line for each point, its name, calls, and how many failed.
figures() {
	cat /sys/module/tid_inject/parameters/figures
}

calls() {
	figures | awk -v point="$1" '$1 == point { print $2 }'
}

injected() {
	figures | awk -v point="$1" '$1 == point { print $3 }'
}

injected_is() {
	[ "$(injected "$1")" = "$2" ]
}

injected_above() {
	[ "$(injected "$1")" -gt "$2" ]
}

# failures_under_load: one call in 50 fails while 16 QPs want the same TIDs. Three
# segments in four fail then, and go behind all others: a WRITE must not be given up
# for a peer that has no memory to answer it for a quarter of a minute.
failures_under_load() {
	local point
	stream --op both --qps 16 --depth 4 --memory scattered --check --timeout 22 --deadline 60
	stream_moves || bail "traffic runs" "$(cat /tmp/stream.log)"
	inject map,memory,shadow,cache one_in=50 count=$ALWAYS \
		callers='[hfi1_tid_wait],setup_tid_rdma_wqe,hfi1_make_rc_req,hfi1_make_tid_rdma_pkt'
	for point in map memory shadow cache; do
		check "calls fail under load: $point" wait_until 60 injected_above $point 5
	done
	check "a thousand mappings failed" wait_until 90 injected_above map 1000
	note "$(figures)"
	stream_ends "16 QPs: each request completes, no byte is wrong"
	inject_end
	operations=$((operations + $(sed -n 's/.* MiB\/s, \([0-9]*\) operations .*/\1/p' /tmp/stream.log)))
}

# tell_figures: in one line.
tell_figures() {
	note "figures: $operations requests, $failures calls failed"
}
