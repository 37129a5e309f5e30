# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For the parts of `make check`: report one result a line.

# test_that NAME COMMAND...: ok if the command succeeds, else what it said.
test_that() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		echo "ok - $name"
		return 0
	fi
	printf '%s\n' "# ${out//$'\n'/$'\n'# }"
	echo "not ok - $name"
	part_failed=yes
}

# tap NAME COMMAND...: a command that reports results itself; NAME stands for it
# if it fails without having said why.
tap() {
	local name=$1 log status
	shift
	log=$(mktemp)
	"$@" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	[ "$status" = 0 ] || part_failed=yes
	if [ "$status" != 0 ] && ! grep -q '^ *not ok' "$log"; then
		sed 's/^/# /' "$log" | tail -n 30
		echo "not ok - $name # exit status $status"
	elif ! grep -qE '^ *(not )?ok' "$log"; then
		part_failed=yes
		echo "not ok - $name # reports no result"
	fi
	rm -f "$log"
}

part_end() {
	[ -z "${part_failed:-}" ]
	exit
}

# each_source: the C files and headers of this repository.
each_source() {
	(cd "$REPO" && find . -path ./.git -prune -o -name '*.[ch]' ! -name '*.mod.c' -printf '%P\n' | sort)
}

# each_script: the shell scripts of this repository.
each_script() {
	(cd "$REPO" && grep -rlIE --exclude-dir=.git '^#!/bin/(ba)?sh|^# shellcheck shell=' . | cut -c3- | sort)
}
