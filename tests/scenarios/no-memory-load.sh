#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  calls fail while the module comes in: it serves without, or says why it does not, and loses nothing
#: hfisim --rcv-array 1024
#: timeout 400
. /lab/lib.sh
. /lab/traffic.sh
. /lab/inject.sh

# without POINT NTH [COUNT]: the NTH call of that kind fails, and COUNT in all.
without() {
	log_mark
	inject "$1" callers='[hfi1_tid_wait]' from="$2" count="${3:-1}"
}

# serves POINT NTH [TEXT]: without that it is active, and says TEXT.
serves() {
	local name="without $1, call $2"
	without "$1" "$2"
	check "$name: is loaded and active" tid_wait_load
	check "$name: the call failed" injected_is "$1" 1
	inject_end
	[ -z "${3:-}" ] || check "$name: says so" log_says "$3"
	traffic "$name: QPs are served" load --op both --qps 8 --depth 2 --memory scattered --check \
		--operations 40 --timeout 20
	operations=$((operations + 40))
	check "$name: can be unloaded" tid_wait_unload
	check "$name: leaves nothing programmed" test "$(($(programmed 0) + $(programmed 1)))" = 0
}

# refuses POINT NTH TEXT: without that it is not loaded, and says why.
refuses() {
	local name="without $1, call $2"
	without "$1" "$2"
	check "$name: is refused" not tid_wait_load
	check "$name: the call failed" injected_is "$1" 1
	inject_end
	[ -z "$3" ] || check "$name: says why" log_says "$3"
	check "$name: leaves nothing patched" test ! -e "/sys/kernel/livepatch/$TID_WAIT"
	check "$name: leaves no folder" test ! -e "/sys/kernel/debug/$TID_WAIT"
}

not() {
	! "$@"
}

fabric_up
refuses notifier 1 ""
refuses memory 1 "not active: no memory"
refuses livepatch 1 "not active: livepatch refused (error -12)"
serves memory 2
serves memory 3
serves debugfs 1
serves debugfs 2
serves debugfs 3
serves client 1 "active, but without figures in debugfs (error -12)"
serves kprobe 1 "QPs in error keep the TIDs of inbound WRITEs until they are reset: no kprobe at hfi1:notify_error_qp (error -12)"
serves kprobe 3 "forged packets can crash hfi1: no kprobe at hfi1:hfi1_rc_rcv_tid_rdma_write_resp (error -12)"

# hfi1 alone has let the second of two waiting QPs sleep.
two_wait
must destroy 0 0
without memory 2 2
check "without memory for the HFIs: is loaded and active" tid_wait_load
check "none is known" injected_is memory 2
check "who slept before is woken" wait_until 20 counter_above 0 held 192
inject_end
hfisimctl release 0 >/dev/null
check "and served" step_says "done 4 failed 0 wrong 0 pending 0" wait 1-4 30
steps_end "no byte was wrong"

check "hfi1 is removed" hfi1_unload
without memory 1
fabric_up
check "without memory when hfi1 comes: says so" log_says "not active: no memory"
check "tries again, and is active" wait_until 30 patched
inject_end
traffic "QPs are served" load --op both --qps 8 --depth 2 --memory scattered --check --operations 40 \
	--timeout 20
nothing_left
no_late_write
tell_figures
