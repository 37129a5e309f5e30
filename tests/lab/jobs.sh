# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For the parts of `make check` that run guests, LAB_JOBS (2) at a time.

jobs_status=0
jobs_running=0

# job COMMAND...: run it in the background as soon as there is room.
job() {
	if [ "$jobs_running" -ge "${LAB_JOBS:-2}" ]; then
		wait -n || jobs_status=1
		jobs_running=$((jobs_running - 1))
	fi
	"$@" &
	jobs_running=$((jobs_running + 1))
}

# jobs_end: wait for all; fails if one of them failed.
jobs_end() {
	while [ "$jobs_running" -gt 0 ]; do
		wait -n || jobs_status=1
		jobs_running=$((jobs_running - 1))
	done
	return "$jobs_status"
}

# guest_job NAME FAMILY: run a scenario, then show its results in one piece.
guest_job() {
	local log=$CACHE/log/check-$1-$2.log status=0 lock
	"$LAB/run" "$1" --kernel "$2" >"$log" || status=$?
	exec {lock}>"$CACHE/log/check.lock"
	flock "$lock"
	sed -E "s/^(not )?ok ([0-9]+ )?(- )?/&$2 $1: /" "$log"
	[ "$status" -lt 2 ] || echo "not ok - $2 $1: runs"
	return "$status"
}

# header KEY FILE: a "#: KEY value" line of a scenario.
header() {
	sed -n "s/^#: $1  *//p" "$2"
}

# wanted FILE FAMILY: does this run include the scenario on that kernel? A debug
# kernel stands for its family.
wanted() {
	local kernels
	kernels=$(header kernels "$1")
	[ -n "${LAB_LONG:-}" ] || [ -z "$(header long "$1")" ] || return 1
	[[ " ${kernels:-7.3} " == *" $(base_family "$2") "* ]]
}
