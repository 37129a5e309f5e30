# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a guest's logs say about a run.

# In the kernel log, a failure whoever caused it.
TROUBLE='BUG:|WARNING:|Oops|UBSAN|KASAN|general protection fault|Kernel panic|blocked for more than|detected stall|soft lockup|refcount_t:|Call Trace:'

# kernel_trouble CONSOLE...: the first line of trouble, if any.
kernel_trouble() {
	cat "$@" | tr -d '\r' | grep -aE "$TROUBLE" | head -n 1
}

# tally: count the results on stdin, "PASSED FAILED". A result that follows
# deeper indented ones sums them up and is none of its own.
tally() {
	awk '
	/^ *(not )?ok/ {
		match($0, /^ */)
		if (RLENGTH < depth && !(deeper_failed == 0 && $1 == "not")) {
			depth = RLENGTH
			next
		}
		depth = RLENGTH
		if ($1 == "not") { failed++; deeper_failed++ } else passed++
	}
	END { print passed + 0, failed + 0 }'
}
