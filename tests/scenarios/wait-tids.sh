#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs wait for TIDs in turn and are woken, with 224 TIDs for 16 QPs
#: hfisim --rcv-array 1024
#: kernels 7.3 6.12 6.1
#: timeout 240
. /lab/lib.sh
. /lab/traffic.sh

begin
note "$(tid_state)"
traffic "16 QPs of 1 MiB READs" load --op read --qps 16 --depth 4 --memory scattered --check \
	--operations 600 --timeout 20
note "$(tid_state)"
check "QPs waited hundreds of times" column_above waits 100
check "QPs were woken" column_above wakeups 0
check "each wait ended in a grant" test "$(column waits)" = "$(column grants)"
traffic "16 QPs of 1 MiB WRITEs" load --op write --qps 16 --depth 4 --memory scattered --check \
	--operations 300 --timeout 20
note "$(tid_state "$(dev1)")"
check "WRITEs waited on HFI 1" column_above waits 0 "$(dev1)"
traffic "READs and WRITEs that want the same TIDs" load --op both --qps 16 --depth 4 \
	--memory scattered --check --operations 300 --timeout 20
nothing_left

# One holds TIDs, the others come behind it in order.
steps --qps 8 --memory scattered --check --timeout 20
must make 0-7 256K
hfisimctl hold 0 read_resp >/dev/null
must post 0-2 read 256K
check "three READs hold their TIDs" wait_until 10 counter_above 0 held 2
for qp in 3 4 5 6 7; do
	must post $qp read 256K
	wait_until 10 waiters_are 0 $((qp - 2)) || bail "QP $qp waits for TIDs" "$(column tid_queue) wait"
done
pass "five more wait for TIDs"
check "none of them completes" step_says "done 0 failed 0 wrong 0 pending 5" wait 3-7 1
hfisimctl release 0 >/dev/null
check "all complete when the TIDs come back" step_says "done 8 failed 0 wrong 0 pending 0" wait 0-7 20
steps_end "tidload ends"
nothing_left "all flows and TIDs are free after the wait"
no_late_write
