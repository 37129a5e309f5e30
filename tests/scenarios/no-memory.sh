#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  mappings and allocations fail, at each point and at random: each request ends once, and right
#: hfisim --rcv-array 1024
#: kernels 7.3
#: timeout 400
. /lab/lib.sh
. /lab/traffic.sh
. /lab/inject.sh

# completes NAME OP: one more on QP 0.
completes() {
	operations=$((operations + 1))
	must post 0 "$2" 256K
	check "$1: the $2 completes, no byte is wrong" \
		step_says "done $operations failed 0 wrong 0 pending 0" wait 0 60
}

# without_memory OP CALLER: the first try of CALLER to get some fails.
without_memory() {
	local point=cache
	[ "$2" != setup_tid_rdma_wqe ] || point=memory
	inject $point callers="$2"
	completes "no memory in $2" "$1"
	check "there was none" injected_is $point 1
	inject_end
}

# Each failure by itself. A mapping fails fifty times in a row, so that retries fail too.
begin
steps --qps 1 --check --timeout 20
must make 0 256K scattered
for op in read write; do
	for nth in 1 2 32 64; do
		inject map callers="$SEGMENT" from=$nth count=50
		completes "mapping $nth fails" $op
		check "it failed fifty times" injected_is map 50
		inject_end
	done
	without_memory $op setup_tid_rdma_wqe
	without_memory $op hfi1_make_rc_req
done
without_memory write hfi1_make_tid_rdma_pkt
steps_end "no byte was wrong"
nothing_left "all is free after single failures"

inject memory callers=tid_rdma_conn_reply count=2
traffic "no memory for what the peer announces" load --no-tid --op both --qps 1 --check --operations 10 --timeout 20
check "there was none" injected_above memory 0
inject_end

# Without memory for a single figure.
inject shadow count="$ALWAYS"
two_wait
hfisimctl release 0 >/dev/null
check "QPs that wait are served" step_says "done 5 failed 0 wrong 0 pending 0" wait 0-4 30
check "nothing could be counted" injected_above shadow 0
steps_end "no byte was wrong"
inject_end
operations=$((operations + 10 + 5))

# Nothing can be mapped for as long as these QPs live.
for end in err reset kill; do
	steps --qps 2 --check --timeout 14
	must make 0-1 256K scattered
	inject map callers="$SEGMENT" count="$ALWAYS"
	must post 0 read 256K
	must post 1 write 256K
	check "mapping is tried again and again" wait_until 20 injected_above map 100
	check "nothing completes meanwhile" step_says "done 0" wait 0 1
	case $end in
	err)
		must state 0-1 0 err
		check "both are flushed" step_says "done 0 failed 2 wrong 0 pending 0" wait 0-1 20
		steps_end "the QPs are destroyed"
		;;
	reset)
		must state 0-1 0 reset
		steps_end "the QPs are destroyed"
		;;
	kill) steps_kill ;;
	esac
	inject_end
	nothing_left "all is free after that, $end"
	operations=$((operations + 2))
done

failures_under_load
nothing_left
no_late_write
tell_figures
