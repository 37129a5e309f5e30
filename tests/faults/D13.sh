#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a WRITE loses the last packet of its last segment, and completes
#: stock crashes
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# The 64th expected packet is the last of the first segment.
write() {
	tidload load --op write --qps 1 --depth 1 --size 256K --memory scattered --check --operations 3 \
		--timeout 14 --deadline 40
}

begin
for round in 1 2 3; do
	hfisimctl fault 1 drop 64 1 write_data >/dev/null || bail "fault 1 drop"
	symptom "a WRITE that loses its last packet completes, round $round" write || exit 0
	check "a packet was lost, round $round" counter_is 1 faults.drop $round
done
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 1 0
