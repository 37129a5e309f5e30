#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  READ and WRITE move the right bytes, at every size, aligned or not, with the module at work
#: kernels 7.3 6.12 6.1
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

ODD_SIZES=4096,4100,65536,100000,262144,262148,1048576,4194304

begin
for memory in contiguous scattered; do
	for op in read write; do
		traffic "$op, 4 KiB to 4 MiB, $memory pages" verify --op $op --memory $memory
	done
done
check "HFI 0 received TID RDMA packets" test "$(tid_packets "$(dev0)")" -gt 0
check "HFI 1 received TID RDMA packets" test "$(tid_packets "$(dev1)")" -gt 0
check "HFI 0 stored expected packets" counter_above 0 kinds.expected 0
check "HFI 1 stored expected packets" counter_above 1 kinds.expected 0
check "HFI 0 suppressed headers" counter_above 0 suppressed_headers 0

traffic "not aligned to a page" verify --op both --offset 100 --size $ODD_SIZES
traffic "aligned, lengths of all kinds" verify --op both --size $ODD_SIZES
traffic "READ and WRITE on the same QPs at once, both directions of the wire" \
	load --op both --qps 4 --depth 4 --check --operations 200
traffic "posted from HFI 1" verify --op both --requester 1 --size 256K,1M,4M
nothing_left
no_late_write
