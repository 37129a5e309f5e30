# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a scenario can call, in the guest. The lab sets in /lab/env: LAB_HFI1
# (parameters of hfi1), LAB_HFIS (HFIs of this guest), LAB_GUEST (0 or 1),
# LAB_GUESTS, LAB_STOCK (not empty: the driver is to be left as it is), LAB_SOAK
# (seconds of the soak, if not an hour) and LAB_SLOW (how many times slower than
# others this kernel may be).

. /lab/env

TID_WAIT=hfi1_tid_wait
FM_LOG=/tmp/opa-fm.log
KTAP='^ *(ok |not ok |# |KTAP |1\.\.)'
tests=0

# A scenario may redirect a command's output: results go where it began.
exec {results}>&1

report() {
	printf '%s\n' "$1" >&"$results"
	printf '%s\n' "$1" >/dev/kmsg
}

pass() {
	tests=$((tests + 1))
	report "ok $tests - $1"
}

# fail NAME [WHY]
fail() {
	tests=$((tests + 1))
	report "not ok $tests - $1${2:+ # $2}"
}

# skip NAME WHY
skip() {
	tests=$((tests + 1))
	report "ok $tests - $1 # SKIP $2"
}

# check NAME COMMAND...: pass if the command succeeds, else show what it said.
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		pass "$name"
		return 0
	fi
	note "$out"
	fail "$name" "$*"
	return 1
}

# symptom NAME COMMAND...: a check that a fault of hfi1's own code makes fail. With
# LAB_STOCK it has to fail, and one such symptom makes the test pass.
symptom() {
	local name=$1 out
	if [ -z "$LAB_STOCK" ]; then
		check "$@"
		return
	fi
	shift
	report "# symptom: $name"
	if out=$("$@" 2>&1); then
		note "did not fail: $out"
		return 0
	fi
	note "$out"
	pass "$name: fails as expected"
	return 1
}

# note TEXT: a diagnostic for whoever reads a failure.
note() {
	printf '%s\n' "$1" | sed 's/^/# /' >&"$results"
}

# bail WHY: the rest of the scenario makes no sense.
bail() {
	fail "$1" "${2:-}"
	exit 1
}

# wait_until SECONDS COMMAND...: look again and again until it succeeds.
wait_until() {
	local end=$((SECONDS + $1 * LAB_SLOW))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# ktap_module FILE [PARAMETERS]: load a test module and report its results, which
# it prints into the kernel log while it loads.
ktap_module() {
	local status=0
	echo "ktap_module: $1" >/dev/kmsg
	insmod "$@" || status=$?
	dmesg | sed -n "\|ktap_module: $1\$|,\$s/^\[[^]]*\] //p" | grep -E "$KTAP" >&"$results"
	return $status
}

ib_devices() {
	local dev
	for dev in /sys/class/infiniband/*; do
		[ -e "$dev" ] || return 0
		echo "$(readlink -f "$dev/device") ${dev##*/}"
	done | sort | cut -d' ' -f2
}

# dev0, dev1: the IB device of the emulator's HFI 0 and HFI 1.
dev0() {
	ib_devices | sed -n 1p
}

dev1() {
	ib_devices | sed -n 2p
}

port_state() {
	local state
	read -r state <"/sys/class/infiniband/$1/ports/1/state" 2>/dev/null && echo "${state#*: }"
}

# ports_are STATE: are all ports of this guest in that state?
ports_are() {
	local dev n=0
	for dev in $(ib_devices); do
		[ "$(port_state "$dev")" = "$1" ] || return 1
		n=$((n + 1))
	done
	[ "$n" = "$LAB_HFIS" ]
}

# hfi1_load [PARAMETERS]: load the driver; later parameters win.
hfi1_load() {
	# shellcheck disable=SC2086
	modprobe -a ib_umad ib_uverbs && modprobe hfi1 $LAB_HFI1 "$@"
}

# hfi1_unload: a fabric manager that goes while its port is ACTIVE makes hfi1 send
# a trap, and hfi1 does not stop the trap's timer when it is removed. So the cable
# is pulled first, and put back in the end.
hfi1_unload() {
	local status=0
	if [ -n "${fm_pid:-}" ]; then
		hfisimctl link 0 down >/dev/null && wait_until 30 ports_are DOWN || return
		fm_stop
	fi
	wait_until 10 module_unused hfi1
	rmmod hfi1 || status=$?
	hfisimctl link 0 up >/dev/null
	return $status
}

module_unused() {
	[ "$(cat "/sys/module/$1/refcnt" 2>/dev/null || echo 0)" = 0 ]
}

fm_start() {
	(cd /usr/lib/opa-fm/runtime && exec ./sm -e sm_0) >"$FM_LOG" 2>&1 {results}>&- &
	fm_pid=$!
}

fm_stop() {
	[ -n "${fm_pid:-}" ] || return 0
	kill "$fm_pid" 2>/dev/null
	wait "$fm_pid" 2>/dev/null
	fm_pid=
}

# fabric_up [PARAMETERS]: driver, fabric manager, all ports ACTIVE; or the end. The
# fabric manager looks at a port that is not yet INIT only every few seconds.
fabric_up() {
	hfi1_load "$@" || bail "hfi1 loads"
	wait_until 60 ports_are INIT
	[ "$LAB_GUEST" != 0 ] || fm_start
	wait_until 60 ports_are ACTIVE && return
	note "$(ibstat 2>&1)"
	note "$(tail -n 20 "$FM_LOG" 2>&1)"
	bail "all ports become ACTIVE"
}

patch_settled() {
	[ "$(cat "/sys/kernel/livepatch/$TID_WAIT/transition" 2>/dev/null || echo 0)" = 0 ]
}

# tid_wait_load [PARAMETERS]: load the module and wait until all tasks use it.
tid_wait_load() {
	insmod "/lab/$TID_WAIT.ko" "$@" && wait_until 60 patch_settled
}

# tid_wait_unload: disable the module, wait until no task uses it, remove it.
tid_wait_unload() {
	[ ! -e "/sys/kernel/livepatch/$TID_WAIT/enabled" ] ||
		echo 0 >"/sys/kernel/livepatch/$TID_WAIT/enabled" || return
	wait_until 60 patch_settled && wait_until 10 module_unused "$TID_WAIT" && rmmod "$TID_WAIT"
}

# tid_state [DEVICE]: the module's table of receive contexts.
tid_state() {
	cat "/sys/kernel/debug/$TID_WAIT/${1:-$(dev0)}/contexts"
}

# net_up: in a pair of guests, the addresses guest0 and guest1.
net_up() {
	modprobe virtio_net
	wait_until 10 test -e /sys/class/net/eth0 &&
		ip addr add "10.0.0.$((LAB_GUEST + 1))/24" dev eth0 && ip link set eth0 up
}

# barrier PORT: wait until the other guest is at the same place.
barrier() {
	if [ "$LAB_GUEST" = 0 ]; then
		echo "$1" | timeout "${2:-60}" nc -l -p "$1" >/dev/null
	else
		wait_until "${2:-60}" peer_is_at "$1"
	fi
}

peer_is_at() {
	[ "$(nc -w 2 guest0 "$1" 2>/dev/null </dev/null)" = "$1" ]
}
