#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the guest's half of make demo: ib_read_bw over TID RDMA with more QPs than TIDs, every byte checked
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

QPS=16
PORT=18515

# row NAME VALUE: a line of the table that tests/lab/demo prints.
row() {
	printf 'row\t%s\t%s\n' "$1" "$2"
}

listens() {
	grep -qi ":$(printf '%04x' $PORT) .* 0A " /proc/net/tcp /proc/net/tcp6
}

# bandwidth: ib_read_bw between the two HFIs; prints what its client says.
bandwidth() {
	local server options="-F -p $PORT -q $QPS -t 4 -s 1048576 -n 64"
	# shellcheck disable=SC2086
	ib_read_bw -d "$(dev1)" $options >/tmp/server.log 2>&1 &
	server=$!
	wait_until 30 listens || return
	echo "ib_read_bw -d $(dev0) $options 127.0.0.1"
	# shellcheck disable=SC2086
	timeout 120 ib_read_bw -d "$(dev0)" $options 127.0.0.1 2>&1 || return
	wait $server
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
begin
echo "active"
row "hfi1" "$(modinfo -F filename hfi1 | sed 's|.*/||') of that kernel, build id $(tail -c 20 /sys/module/hfi1/notes/.note.gnu.build-id | xxd -p)"
row "module" "$TID_WAIT $(cat "/sys/module/$TID_WAIT/version"), livepatch enabled: $(cat "/sys/kernel/livepatch/$TID_WAIT/enabled")"
bandwidth | tee /tmp/client.log
check "ib_read_bw reports its bandwidth" grep -qE '^ 1048576 .*[1-9]' /tmp/client.log
waits=$(column waits)
row "ib_read_bw, $QPS QPs, 1 MiB READs" "$(awk '$1 == 1048576 { print $4 " MiB/s" }' /tmp/client.log)"
right=0
for offset in 0 100; do
	for op in read write; do
		verified $op $offset && right=$((right + 1))
	done
done
row "byte check" "READ and WRITE, 4 KiB to 4 MiB, aligned and not: $((right)) of 4 right"
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
check "QPs of ib_read_bw waited hundreds of times" test "$waits" -gt 200
check "our code granted what they waited for" test "$(total grants)" -gt 200 -a "$(total grants)" = "$(total waits)"
check "our code is still the one that runs" patched
no_late_write
