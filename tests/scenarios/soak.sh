#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  an hour of READs and WRITEs with loss, duplication, reordering, delay and damage (SOAK_SECONDS: so long)
#: hfisim --rcv-array 1024
#: timeout 5400
#: long yes
. /lab/lib.sh
. /lab/traffic.sh

SECONDS_LONG=${LAB_SOAK:-3600}
FAULTS="drop duplicate reorder delay corrupt"
pids=()

# load NAME OPTION...: traffic in the background, until SIGTERM.
load() {
	local name=$1
	shift
	tidload load --seconds 7200 --check --deadline 120 "$@" >"/tmp/soak-$name.log" 2>&1 &
	pids+=($!)
	names+=("$name")
}

# all_run: none of them has ended.
all_run() {
	kill -0 "${pids[@]}" 2>/dev/null
}

# injected KIND: on both HFIs.
injected() {
	echo $(($(counter 0 "faults.$1") + $(counter 1 "faults.$1")))
}

begin
qps_before=$(qps_there)
# hfi1 waits 64 times as long as the ACK timeout for the data of a READ, but not for
# what answers a WRITE.
load read256 --op read --qps 12 --size 256K --memory scattered --timeout 12
load read1024 --op read --qps 4 --size 1M --memory contiguous --timeout 12
load back --op read --qps 4 --size 256K --memory scattered --timeout 12 --requester 1
load write1024 --op write --qps 4 --size 1M --memory scattered --timeout 17
load write320 --op write --qps 4 --size 320K --memory contiguous --timeout 17
load plain --op both --qps 4 --size 100000 --no-tid --timeout 17
end=$((SECONDS + 30))
while all_run && [ $SECONDS -lt $end ]; do sleep 1; done
for hfi in 0 1; do
	for fault in "drop 1500" "duplicate 700" "reorder 700" "delay 1000 delay=20" "corrupt 1500"; do
		# shellcheck disable=SC2086
		hfisimctl fault $hfi $fault >/dev/null || bail "fault $hfi $fault"
	done
done
end=$((SECONDS + SECONDS_LONG))
while all_run && [ $SECONDS -lt $end ]; do sleep 5; done
check "all traffic runs to the end of $SECONDS_LONG s" all_run
for hfi in 0 1; do
	hfisimctl fault $hfi off >/dev/null
done
kill "${pids[@]}" 2>/dev/null
for i in "${!pids[@]}"; do
	wait "${pids[i]}"
	status=$?
	note "${names[i]}: $(grep -hE 'operations in|failed,|tidload:' "/tmp/soak-${names[i]}.log" | xargs)"
	check "${names[i]}: no operation failed, moved a wrong byte or got stuck" test $status = 0
done
figures=
for kind in $FAULTS; do
	figures="$figures, $(injected "$kind") $kind"
	check "packets met the fault: $kind" test "$(injected "$kind")" -gt 0
done
note "soak: $SECONDS_LONG s, $(awk '/ operations in / { n += $4 } END { print n + 0 }' /tmp/soak-*.log) operations$figures"
check "QPs waited" column_above waits 0
nothing_left
no_late_write
check "no QP is left" wait_until 10 qps_are "$qps_before"
check "the module leaves" tid_wait_unload
