# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Names, messages and errors that every part of the lab shares.

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPO=$(cd "$LAB/../.." && pwd)
CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/hfi1-tid-wait}
ROOT=$CACHE/root
FAMILIES="7.3 6.12 6.1"
# kernels that are built here, for the instruments in them
DEBUG_KERNELS="7.3-debug 7.3-kcsan"
# inside the root folder the cache has another name than the user knows it by
SHOWN_CACHE=${LAB_SHOWN_CACHE:-$CACHE}
export LAB REPO CACHE ROOT FAMILIES DEBUG_KERNELS SHOWN_CACHE

say() {
	printf 'lab: %s\n' "$*" >&2
}

# Exit status 2 means that the lab could not be made or was called wrongly.
die() {
	printf 'lab: error: %s\n' "$*" >&2
	exit 2
}

need_root() {
	[ "$(id -u)" = 0 ] ||
		die "the lab mounts and changes root, so it has to run as root: try sudo or su"
}

# family NAME: the kernel family of a family name or of an exact release; a debug
# kernel is a family of its own.
family() {
	local fam
	! is_debug "$1" || { echo "$1" && return; }
	for fam in $FAMILIES; do
		case $1 in
		"$fam" | "$fam".*) echo "$fam" && return ;;
		esac
	done
	die "no kernel family for KERNEL=$1; known are: $FAMILIES (or an exact release of one of them), $DEBUG_KERNELS"
}

# is_debug NAME: is that a kernel that is built here?
is_debug() {
	[[ " $DEBUG_KERNELS " == *" $1 "* ]]
}

# base_family NAME: the family whose source a debug kernel is built from.
base_family() {
	echo "${1%%-*}"
}

# scenario_file NAME: the script of a scenario, or of a test of a fault.
scenario_file() {
	local dir
	for dir in scenarios faults; do
		[ -e "$REPO/tests/$dir/$1.sh" ] && echo "$REPO/tests/$dir/$1.sh" && return
	done
	return 1
}

# need_space MIB WHAT: refuse early rather than fill the disk half-way.
need_space() {
	local free
	mkdir -p "$CACHE" 2>/dev/null || die "cannot make $CACHE; set XDG_CACHE_HOME to a folder that can be written"
	free=$(df --output=avail -BM "$CACHE" | tail -n 1 | tr -dc 0-9)
	[ "$free" -ge "$1" ] ||
		die "disk full: $2 needs $1 MiB in $SHOWN_CACHE, $free MiB are free; free some, or set XDG_CACHE_HOME to a folder on a larger disk"
}

# A stamp says that a step is done, and with what input.
stamp_is() {
	[ -f "$1" ] && [ "$(cat "$1")" = "$2" ]
}

stamp() {
	printf '%s\n' "$2" >"$1.part" && mv "$1.part" "$1"
}

# progress WHAT: show that the command on stdin's other end is alive, by its last line.
progress() {
	local line last=$SECONDS
	while IFS= read -r line; do
		if [ -t 2 ]; then
			printf '\r\033[K%s: %.100s' "$1" "$line" >&2
		elif [ $((SECONDS - last)) -ge 5 ]; then
			last=$SECONDS
			printf '%s: %.100s\n' "$1" "$line" >&2
		fi
	done
	if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# explain LOG WHAT: turn a failed command's log into one line that says what to do.
explain() {
	local free
	free=$(df --output=avail -BM "$CACHE" | tail -n 1 | tr -dc 0-9)
	if grep -qi 'no space left on device\|not enough free space\|write error' "$1" || [ "$free" -lt 16 ]; then
		die "disk full while $2 ($free MiB free in $SHOWN_CACHE); free some, or set XDG_CACHE_HOME to a folder on a larger disk, then run this again"
	fi
	if grep -qE 'Could not connect|Could not resolve|Temporary failure resolving|Connection refused|Connection failed|Failed getting release|Unable to connect|Connection timed out|Failed to fetch|Network is unreachable' "$1"; then
		die "the Debian mirror does not answer while $2; set MIRROR=URL to another one, then run this again (log: ${1/#$CACHE/$SHOWN_CACHE})"
	fi
	die "$2 failed: $(grep -v '^[[:space:]]*$' "$1" | tail -n 1 | cut -c1-200) (log: ${1/#$CACHE/$SHOWN_CACHE})"
}

# logged NAME WHAT COMMAND...: run a step with its output in a log and its progress on stderr.
logged() {
	local name=$1 what=$2 log=$CACHE/log/$1.log
	shift 2
	mkdir -p "$CACHE/log"
	say "$what"
	set -o pipefail
	if ! "$@" 2>&1 </dev/null | tee "$log" | progress "  $name"; then
		explain "$log" "$what"
	fi
}
