#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a waiting QP is destroyed, reset or in error: the QPs behind it are served all the same
#: hfisim --rcv-array 1024
#: kernels 7.3 6.12 6.1
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# round NAME HOLDERS MEMORY QUEUE COMMAND...: HOLDERS leave too little for the next
# one, which waits, and another one behind it that needs only two TIDs. Then the
# first of the two leaves by COMMAND (a step; QP stands for its number).
round() {
	local name=$1 holders=$2 memory=$3 queue=$4 head=$2 next=$(($2 + 1)) fresh=$(($2 + 2))
	shift 4
	steps --qps $((holders + 3)) --check --timeout 20
	must make "0-$head" 256K "$memory"
	must make "$next-$fresh" 256K contiguous
	hfisimctl hold 0 read_resp >/dev/null
	must post 0-$((holders - 1)) read 256K
	wait_until 20 counter_above 0 held $((holders - 1)) || bail "$name: $holders READs are held"
	must post "$head" read 256K
	wait_until 10 column_is "$queue" 1 || bail "$name: the first waits"
	must post $next read 256K
	wait_until 10 column_is "$queue" 2 || bail "$name: the second waits"
	must "${@/QP/$head}"
	[ "$queue" != tid_queue ] ||
		check "$name: the one behind gets its TIDs at once" wait_until 5 column_is "$queue" 0
	hfisimctl release 0 >/dev/null
	check "$name: those that held complete" \
		step_says "done $holders failed 0 wrong 0 pending 0" wait 0-$((holders - 1)) 20
	check "$name: the one behind is served" \
		step_says "done 1 failed 0 wrong 0 pending 0" wait $next 10
	must post $fresh read 256K
	check "$name: a newcomer is served" \
		step_says "done 1 failed 0 wrong 0 pending 0" wait $fresh 10
	check "$name: the one that left can connect and READ again" again "$head"
	steps_end "$name: tidload ends"
	nothing_left "$name: all is free afterwards"
}

# again QP: connect it anew and READ.
again() {
	step state "$1" 0 reset
	step state "$1" 1 reset
	step connect "$1" && step post "$1" read 256K && step_says "pending 0" wait "$1" 10
}

begin
for queue in tid_queue flow_queue; do
	holders=3 memory=scattered
	[ $queue = tid_queue ] || { holders=32 memory=contiguous; }
	round "destroy in $queue" $holders $memory $queue destroy QP 0
	round "reset in $queue" $holders $memory $queue state QP 0 reset
	round "error in $queue" $holders $memory $queue state QP 0 err
done
no_late_write
