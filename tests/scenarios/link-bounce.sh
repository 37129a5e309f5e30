#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the link goes down and comes back under traffic
#: hfisim --rcv-array 1024
. /lab/lib.sh
. /lab/traffic.sh

begin
# Timeout 14: hfi1 asks again after 64 * 67 ms, and gives up after eight times that.
stream --op read --qps 8 --depth 2 --memory scattered --check --timeout 14 --deadline 60
stream_moves || bail "traffic runs" "$(cat /tmp/stream.log)"
for round in 1 2 3; do
	hfisimctl link 0 down >/dev/null
	check "both ports go down, round $round" wait_until 20 ports_are DOWN
	hfisimctl link 0 up >/dev/null
	check "both ports come back, round $round" wait_until 60 ports_are ACTIVE
	check "traffic goes on, round $round" stream_moves
done
stream_ends "no operation failed, moved a wrong byte or got stuck"
check "QPs waited" column_above waits 0
nothing_left
