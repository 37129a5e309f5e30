#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  5 000 READs of 256 KiB with one expected packet in 700 lost
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

READS=5000

begin
# One READ at a time on each QP: hfi1 asks again at once when packets are missing,
# but after a second loss without a pause only by its timer. A lost last packet
# always takes the timer, 64 * 67 ms; less would fire on a slow guest too.
hfisimctl fault 0 drop 700 >/dev/null || bail "loss is switched on"
traffic "$READS READs, no wrong byte, none lost" load --op read --size 256K --qps 16 --depth 1 \
	--memory scattered --check --operations $READS --timeout 14 --deadline 60
check "packets were lost" counter_above 0 faults.drop 100
nothing_left
