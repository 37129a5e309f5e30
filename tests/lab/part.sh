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
	sed 's/^/# /' <<<"$out"
	echo "not ok - $name"
	part_failed=yes
}

part_end() {
	[ -z "${part_failed:-}" ]
	exit
}

# each_source: the C files and headers of this repository.
each_source() {
	(cd "$REPO" && find . -path ./.git -prune -o -name '*.[ch]' ! -name '*.mod.c' -print | sort)
}

# each_script: the shell scripts of this repository.
each_script() {
	(cd "$REPO" && grep -rlIE --exclude-dir=.git '^#!/bin/(ba)?sh|^# shellcheck shell=' . | sort)
}
