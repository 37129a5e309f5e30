#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  40 QPs on one context share its 32 flows, in turn
#: timeout 240
. /lab/lib.sh
. /lab/traffic.sh

begin
traffic "40 QPs of 256 KiB READs" load --op read --qps 40 --depth 2 --size 256K --check \
	--operations 3000 --timeout 20
note "$(tid_state)"
check "QPs waited hundreds of times" column_above waits 100
check "each wait ended in a grant" test "$(column waits)" = "$(column grants)"
nothing_left

steps --qps 40 --check --timeout 20
must make 0-39 256K
hfisimctl hold 0 read_resp >/dev/null
must post 0-31 read 256K
check "32 READs hold all flows" wait_until 20 flows_taken 32
for qp in 32 33 34 35 36 37 38 39; do
	must post $qp read 256K
	wait_until 10 waiters_are $((qp - 31)) 0 || bail "QP $qp waits for a flow" "$(column flow_queue) wait"
done
pass "eight more wait for a flow"
check "none of them completes" step_says "done 0 failed 0 wrong 0 pending 8" wait 32-39 1
hfisimctl release 0 >/dev/null
check "all complete when flows come back" step_says "done 40 failed 0 wrong 0 pending 0" wait 0-39 20
steps_end "tidload ends"
nothing_left "all flows and TIDs are free after the wait"
no_late_write
