#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  5 000 READs of 256 KiB with one expected packet in 700 lost
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

READS=5000

begin
hfisimctl fault 0 drop 700 >/dev/null || bail "loss is switched on"
traffic "$READS READs, no wrong byte, none lost" load --op read --size 256K --qps 16 --depth 2 \
	--memory scattered --check --operations $READS --timeout 10 --deadline 60
check "packets were lost" counter_above 0 faults.drop 100
nothing_left
