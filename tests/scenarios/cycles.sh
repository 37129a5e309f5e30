#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is loaded and unloaded twenty times in a row under traffic
#: hfisim --rcv-array 1024
#: timeout 600
. /lab/lib.sh
. /lab/traffic.sh

CYCLES=20

fabric_up
stream --op both --qps 8 --depth 2 --memory scattered --check --timeout 20
stream_moves || bail "traffic runs" "$(cat /tmp/stream.log)"
for ((cycle = 1; cycle <= CYCLES; cycle++)); do
	tid_wait_load || bail "load $cycle of $CYCLES"
	stream_moves || bail "traffic goes on after load $cycle" "$(cat /tmp/stream.log)"
	[ "$cycle" -gt 1 ] || check "our code is at work" wait_until 20 column_above waits 0
	tid_wait_unload || bail "unload $cycle of $CYCLES"
	stream_moves || bail "traffic goes on after unload $cycle" "$(cat /tmp/stream.log)"
done
pass "loaded and unloaded $CYCLES times"
stream_ends "no operation failed, moved a wrong byte or got stuck"
check "loads once more" tid_wait_load
nothing_left
