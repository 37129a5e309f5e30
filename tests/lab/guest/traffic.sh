# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TID RDMA traffic for scenarios, and what must be true of it. After lib.sh.

TLOG=/tmp/tidload.err

# begin [PARAMETERS]: both ports ACTIVE and the module at work, or the end. With
# LAB_STOCK the module is left out.
begin() {
	fabric_up "$@"
	[ -n "$LAB_STOCK" ] || tid_wait_load || bail "the module is loaded and active"
}

# column NAME [DEVICE]: a column of the module's table, summed over the contexts.
column() {
	tid_state "${2:-$(dev0)}" | awk -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ sum += $at }
		END { print sum + 0 }'
}

# column_is NAME VALUE [DEVICE]
column_is() {
	[ "$(column "$1" "${3:-}")" = "$2" ]
}

# column_above NAME VALUE [DEVICE]
column_above() {
	[ "$(column "$1" "${3:-}")" -gt "$2" ]
}

# counter HFI NAME: one number of the emulator.
counter() {
	hfisimctl counters "$1" "$2"
}

counter_is() {
	[ "$(counter "$1" "$2")" = "$3" ]
}

counter_above() {
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# What the tests of faults look at, with the module or without:

# sleeps HFI: how often a QP was put to sleep, by hfi1's own count.
sleeps() {
	cat "/sys/class/infiniband/$("dev$1")/hw_counters/TidWait"
}

sleeps_are() {
	[ "$(sleeps "$1")" = "$2" ]
}

# programmed HFI: valid RcvArray entries.
programmed() {
	hfisimctl counters "$1" | grep -o '"rcvarray_valid":{[^}]*}' |
		grep -o ':[0-9]*' | awk -F: '{ sum += $2 } END { print sum + 0 }'
}

programmed_is() {
	[ "$(programmed "$1")" = "$2" ]
}

# tid_packets DEVICE: TID RDMA packets received, opcodes e0 to e7.
tid_packets() {
	local unit=0
	[ "$1" = "$(dev0)" ] || unit=1
	awk '/^e[0-7] / { split($2, n, "/"); sum += n[1] } END { print sum + 0 }' \
		"/sys/kernel/debug/hfi1/hfi1_$unit/opcode_stats"
}

# atomic_acks: received by both HFIs; each ends an exchange of TID RDMA parameters.
atomic_acks() {
	awk '/^12 / { split($2, n, "/"); sum += n[1] } END { print sum + 0 }' \
		/sys/kernel/debug/hfi1/hfi1_*/opcode_stats
}

atomic_acks_above() {
	[ "$(atomic_acks)" -gt "$1" ]
}

# agree QP: of steps with --no-tid; by a READ that is too short for TID RDMA.
agree() {
	local before
	before=$(atomic_acks)
	must post "$1" read 4K
	step_says "pending 0" wait "$1" 20 >/dev/null
	wait_until 20 atomic_acks_above "$before" || bail "QP $1 and its peer agree on TID RDMA"
}

# too_many QPS: on a context with 48 TIDs QP 0 of so many asks for 64, and behind it
# QP 1 for 2.
too_many() {
	steps --qps "$1" --no-tid --check --timeout 20
	must make 0 256K scattered
	must make 1 256K contiguous
	agree 0
	agree 1
	must post 0-1 read 256K
}

# flows_taken N: on HFI 0.
flows_taken() {
	[ $(($(column flows) - $(column flows_free))) = "$1" ]
}

# waiters_are FLOW TID: that many QPs wait for a flow and for TIDs on HFI 0.
waiters_are() {
	column_is flow_queue "$1" && column_is tid_queue "$2"
}

# all_free: nothing is taken, nobody waits, no RcvArray entry is programmed.
all_free() {
	local dev
	for dev in $(ib_devices); do
		column_above flows 0 "$dev" &&
			column_is flows_free "$(column flows "$dev")" "$dev" &&
			column_is tids_free "$(column tids "$dev")" "$dev" &&
			column_is flow_queue 0 "$dev" && column_is tid_queue 0 "$dev" || return
	done
	! hfisimctl counters | grep -o '"rcvarray_valid":{[^}]*}' | grep -q ':[1-9]'
}

# The figures behind a failed all_free.
show_free() {
	local dev
	for dev in $(ib_devices); do
		note "$(tid_state "$dev")"
	done
	note "$(hfisimctl counters | grep -o '"rcvarray_valid":{[^}]*}')"
}

# nothing_left [NAME]: after traffic, all is free again.
nothing_left() {
	local name=${1:-all flows and TIDs are free at the end}
	if wait_until 20 all_free; then
		pass "$name"
	else
		show_free
		fail "$name"
	fi
}

# no_late_write: no expected packet went where nothing was granted.
no_late_write() {
	local hfi
	for hfi in 0 1; do
		if counter_is $hfi late_writes 0 && counter_is $hfi invalid_entry_writes 0; then
			pass "HFI $hfi wrote only what was granted"
		else
			note "$(hfisimctl ledger $hfi | head -c 2000)"
			fail "HFI $hfi wrote only what was granted" \
				"$(counter $hfi late_writes) late, $(counter $hfi invalid_entry_writes) to invalid entries"
		fi
	done
}

# traffic NAME OPTION...: tidload, and a result; shows its figures.
traffic() {
	local name=$1 out status
	shift
	out=$(tidload "$@" 2>&1)
	status=$?
	note "$out"
	if [ $status = 0 ]; then
		pass "$name"
	else
		fail "$name" "tidload exit status $status"
	fi
	return $status
}

# steps OPTION...: start tidload's step command, for step.
steps() {
	coproc TIDLOAD { exec tidload step "$@" 2>"$TLOG"; }
	# a coprocess's own descriptors are closed in subshells
	exec {step_in}>&"${TIDLOAD[1]}" {step_out}<&"${TIDLOAD[0]}"
	steps_pid=$TIDLOAD_PID
}

# step WORD...: one command of tidload step; prints its answer.
step() {
	local answer
	printf '%s\n' "$*" >&"$step_in" || return
	if ! read -r -t 120 -u "$step_out" answer; then
		echo "no answer to $*: $(tail -n 1 "$TLOG")"
		return 1
	fi
	echo "$answer"
	[ "${answer%% *}" = ok ]
}

# step_says TEXT WORD...: the answer holds TEXT.
step_says() {
	local text=$1 answer
	shift
	answer=$(step "$@")
	echo "$answer"
	[[ $answer == *"$text"* ]]
}

# must WORD...: a step without which the rest makes no sense.
must() {
	local answer
	answer=$(step "$@") || bail "step $*" "$answer $(tail -n 1 "$TLOG")"
}

# steps_end NAME: tidload destroys what it has left; all its bytes were right.
steps_end() {
	local status
	printf 'quit\n' >&"$step_in"
	wait "$steps_pid"
	status=$?
	exec {step_in}>&- {step_out}<&-
	if [ $status = 0 ]; then
		pass "$1"
	else
		note "$(cat "$TLOG")"
		fail "$1" "tidload exit status $status"
	fi
}

# steps_over NAME: tidload ends; of the bytes that its QPs moved any may be wrong.
steps_over() {
	local status
	printf 'quit\n' >&"$step_in"
	wait "$steps_pid"
	status=$?
	exec {step_in}>&- {step_out}<&-
	check "$1" test $status -le 1
}

# steps_kill: as a user's kill -9.
steps_kill() {
	kill -KILL "$steps_pid"
	wait "$steps_pid" 2>/dev/null
	exec {step_in}>&- {step_out}<&-
}

# stream OPTION...: tidload load in the background, until stream_ends.
stream() {
	tidload load --seconds 3600 "$@" >/tmp/stream.log 2>&1 &
	stream_pid=$!
}

# stream_moves: TID RDMA packets come in, so the stream runs.
stream_moves() {
	local before end=$((SECONDS + 60))
	before=$(tid_packets "$(dev0)")
	until [ "$(tid_packets "$(dev0)")" -gt $((before + 100)) ]; do
		kill -0 "$stream_pid" 2>/dev/null && [ $SECONDS -lt $end ] || return
		sleep 0.1
	done
}

# stream_ends NAME: no operation failed, moved a wrong byte or got stuck.
stream_ends() {
	local status
	kill "$stream_pid" 2>/dev/null
	wait "$stream_pid"
	status=$?
	note "$(cat /tmp/stream.log)"
	if [ $status = 0 ]; then
		pass "$1"
	else
		fail "$1" "tidload exit status $status"
	fi
}

# cycles N: load and unload the module N times while the stream runs, and end that.
cycles() {
	local cycle
	stream_moves || bail "traffic runs" "$(cat /tmp/stream.log)"
	for ((cycle = 1; cycle <= $1; cycle++)); do
		tid_wait_load || bail "load $cycle of $1"
		stream_moves || bail "traffic goes on after load $cycle" "$(cat /tmp/stream.log)"
		[ "$cycle" -gt 1 ] || check "our code is at work" wait_until 20 column_above waits 0
		tid_wait_unload || bail "unload $cycle of $1"
		stream_moves || bail "traffic goes on after unload $cycle" "$(cat /tmp/stream.log)"
	done
	pass "loaded and unloaded $1 times"
	stream_ends "no operation failed, moved a wrong byte or got stuck"
	check "loads once more" tid_wait_load
}

# qps_there: QPs that hfi1 has, its own included.
qps_there() {
	cat /sys/kernel/debug/hfi1/hfi1_*/qp_stats | grep -c ' QP [0-9a-f]* R '
}

qps_are() {
	[ "$(qps_there)" = "$1" ]
}

# patched: does our code serve the loaded hfi1?
patched() {
	[ "$(cat "/sys/kernel/livepatch/$TID_WAIT/enabled" 2>/dev/null)" = 1 ] && patch_settled
}

# log_says TEXT: since log_mark, in the kernel log.
log_says() {
	dmesg | sed -n "\|log mark $log_marks\$|,\$p" | grep -qF "$1"
}

log_mark() {
	log_marks=$((${log_marks:-0} + 1))
	echo "log mark $log_marks" >/dev/kmsg
}

# two_wait: QPs 2 to 4 hold TIDs of HFI 0 for READs of 64 pages each, which leaves
# 32 of 224. QP 0 waits for 64, and behind it QP 1, which needs 2.
two_wait() {
	local before
	steps --qps 5 --check --timeout 20
	must make 0 256K scattered
	must make 1 256K contiguous
	must make 2-4 256K scattered
	hfisimctl hold 0 read_resp >/dev/null
	must post 2-4 read 256K
	wait_until 20 counter_is 0 held 192 || bail "three READs are held"
	before=$(sleeps 0)
	must post 0 read 256K
	wait_until 10 sleeps_are 0 $((before + 1)) || bail "the first waits" "$(sleeps 0) of $before"
	must post 1 read 256K
	wait_until 10 sleeps_are 0 $((before + 2)) || bail "the second waits" "$(sleeps 0) of $before"
}
