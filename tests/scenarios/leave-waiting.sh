#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is disabled and removed while QPs wait for TIDs and flows; they complete on stock code
#: hfisim --rcv-array 1024
#: kernels 7.3 6.12 6.1
. /lab/lib.sh
. /lab/traffic.sh

# leave NAME HOLDERS WAITERS MEMORY COLUMN
leave() {
	local name=$1 holders=$2 waiters=$3 all=$(($2 + $3))
	steps --qps $all --memory "$4" --check --timeout 20
	must make 0-$((all - 1)) 256K
	hfisimctl hold 0 read_resp >/dev/null
	must post 0-$((holders - 1)) read 256K
	wait_until 20 counter_above 0 held $((holders - 1)) || bail "$name: $holders READs are held"
	must post "$holders-$((all - 1))" read 256K
	check "$name: $waiters QPs wait" wait_until 10 column_is "$5" "$waiters"
	check "$name: the module leaves" tid_wait_unload
	check "$name: they still wait" \
		step_says "done 0 failed 0 wrong 0 pending $waiters" wait "$holders-$((all - 1))" 1
	hfisimctl release 0 >/dev/null
	check "$name: all complete on stock code" \
		step_says "done $all failed 0 wrong 0 pending 0" wait 0-$((all - 1)) 30
	check "$name: the module comes back" tid_wait_load
	steps_end "$name: tidload ends"
	nothing_left "$name: all is free afterwards"
}

begin
leave "TIDs" 3 5 scattered tid_queue
leave "flows" 32 8 contiguous flow_queue
no_late_write
