#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  hfi1 freezes the chip and sets it up again under traffic
#: hfisim --rcv-array 1024
. /lab/lib.sh
. /lab/traffic.sh

begin
# Timeout 14: hfi1 asks again after 64 * 67 ms.
stream --op read --qps 8 --depth 2 --memory scattered --check --timeout 14 --deadline 60
stream_moves || bail "traffic runs" "$(cat /tmp/stream.log)"
for round in 1 2 3; do
	for hfi in 0 1; do
		before=$(counter $hfi unfreezes)
		log_mark
		hfisimctl freeze $hfi >/dev/null
		check "HFI $hfi freezes and comes back, round $round" \
			wait_until 20 counter_above $hfi unfreezes "$before"
		check "hfi1 saw an error of HFI $hfi, round $round" log_says "RxCsrParityErr"
	done
	check "traffic goes on, round $round" stream_moves
done
stream_ends "no operation failed, moved a wrong byte or got stuck"
check "QPs waited" column_above waits 0
check "the link stayed up" ports_are ACTIVE
nothing_left
