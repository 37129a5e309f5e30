#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the guest's half of make demo: ib_read_bw over TID RDMA with more QPs than TIDs, every byte checked
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# of ib_read_bw
PORT=18515
HUGE_PAGES=32

# row NAME VALUE: a line of the table that tests/lab/demo prints.
row() {
	printf 'row\t%s\t%s\n' "$1" "$2"
}

listens() {
	grep -qi ":$(printf '%04x' $PORT) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# bandwidth QPS READS OPTION...: ib_read_bw of 1 MiB between the two HFIs; prints
# what its client says.
bandwidth() {
	local server options="-F -p $PORT -q $1 -n $2 -t 4 -u 20 -s 1048576 ${*:3}"
	# shellcheck disable=SC2086
	ib_read_bw -d "$(dev1)" $options >/tmp/server.log 2>&1 &
	server=$!
	wait_until 30 listens || return
	echo "ib_read_bw -d $(dev0) $options 127.0.0.1"
	# shellcheck disable=SC2086
	timeout 120 ib_read_bw -d "$(dev0)" $options 127.0.0.1 2>&1 || return
	wait $server
}

# average FILE: the bandwidth that ib_read_bw printed.
average() {
	awk '$1 == 1048576 { print $4 " MiB/s" }' "$1"
}

# verified OP OFFSET: a line of the byte check.
verified() {
	traffic "byte check: $1, 4 KiB to 4 MiB, offset $2" verify --op "$1" --offset "$2" \
		--memory scattered
}

# both COMMAND WORD...: its answer for HFI 0 and HFI 1.
both() {
	echo "HFI 0: $("$1" 0 "$2"), HFI 1: $("$1" 1 "$2")"
}

# total COLUMN: over both HFIs.
total() {
	echo $(($(column "$1" "$(dev0)") + $(column "$1" "$(dev1)")))
}

longest_wait() {
	awk '$1 ~ /^[0-9]/ && $NF > most { most = $NF } END { printf "%.1f ms\n", most / 1000 }' \
		"/sys/kernel/debug/$TID_WAIT"/*/contexts
}

row "kernel" "$(uname -r)"
fabric_up
echo "active"
tid_wait_load || bail "the module is loaded and active"
row "hfi1" "$(modinfo -F filename hfi1 | sed 's|.*/||') of that kernel, build id $(tail -c 20 /sys/module/hfi1/notes/.note.gnu.build-id | xxd -p)"
row "module" "$TID_WAIT $(cat "/sys/module/$TID_WAIT/version"), livepatch enabled: $(cat "/sys/kernel/livepatch/$TID_WAIT/enabled")"
bandwidth 16 64 | tee /tmp/many.log
check "ib_read_bw with 16 QPs reports its bandwidth" grep -qE '^ 1048576 .*[1-9]' /tmp/many.log
waits=$(column waits)
row "ib_read_bw, 16 QPs wait for TIDs" "$(average /tmp/many.log)"
echo $HUGE_PAGES >/proc/sys/vm/nr_hugepages
bandwidth 2 400 --use_hugepages | tee /tmp/few.log
check "ib_read_bw with 2 QPs reports its bandwidth" grep -qE '^ 1048576 .*[1-9]' /tmp/few.log
row "ib_read_bw, 2 QPs, huge pages" "$(average /tmp/few.log)"
right=0
for offset in 0 100; do
	for op in read write; do
		verified $op $offset && right=$((right + 1))
	done
done
row "byte check" "READ and WRITE, 4 KiB to 4 MiB, aligned and not: $right of 4 right"
packets0=$(tid_packets "$(dev0)")
packets1=$(tid_packets "$(dev1)")
row "TID RDMA packets received" "HFI 0: $packets0, HFI 1: $packets1"
row "expected packets" "$(both counter kinds.expected)"
row "suppressed headers" "$(both counter suppressed_headers)"
nothing_left
row "waits, grants, wakeups" "$(total waits), $(total grants), $(total wakeups)"
row "longest wait" "$(longest_wait)"
row "flows free at the end" "$(total flows_free) of $(total flows)"
row "TIDs free at the end" "$(total tids_free) of $(total tids)"
check "TID RDMA packets went both ways" test "$packets0" -gt 0 -a "$packets1" -gt 0
check "the 16 QPs waited hundreds of times" test "$waits" -gt 200
check "our code granted what they waited for" test "$(total grants)" -gt 200 -a "$(total grants)" = "$(total waits)"
check "our code is still the one that runs" patched
no_late_write
