# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a guest's logs say about a run.

# In the kernel log, a failure whoever caused it.
TROUBLE='BUG:|WARNING:|Oops|UBSAN|KASAN|general protection fault|Kernel panic|blocked for more than|detected stall|soft lockup|refcount_t:|Call Trace:'

# The kernel and its drivers trip these on their own: hfi1's trace events on 7.3,
# rdmavt's copy of a work request on 6.1, with or without our module; and livepatch,
# when an interrupt calls a function that is being patched in a task that exits: it
# has left the list of tasks (do_exit()) of which livepatch marks each.
KNOWN_REPORTS='has double dereference in TP_printk|field-spanning write .* of single field "&wqe->wr"'
KNOWN_REPORTS+='|WARNING: .*kernel/livepatch/patch[.]c:.* klp_ftrace_handler[+]'

# without_known: the log without the reports in KNOWN_REPORTS.
without_known() {
	awk -v known="$KNOWN_REPORTS" '
	/\[ cut here \]/ {
		if (inside && !skip)
			printf "%s", report
		report = ""; inside = 1; lines = skip = 0
	}
	!inside { print; next }
	{ report = report $0 "\n" }
	++lines == 2 && $0 ~ known { skip = 1 }
	/\[ end trace / { if (!skip) printf "%s", report; inside = 0 }
	END { if (inside && !skip) printf "%s", report }'
}

# kernel_trouble CONSOLE...: the first line of trouble, if any.
kernel_trouble() {
	cat "$@" | tr -d '\r' | without_known | grep -aE "$TROUBLE" | sed -n 1p
}

# oops_at_symptom CONSOLE: the function of hfi1 in which the kernel oopsed, after
# the test had come to what the fault breaks.
oops_at_symptom() {
	tr -d '\r' <"$1" | sed -n '/# symptom: /,$p' |
		sed -nE 's/.*RIP: 0010:([a-z0-9_.]+)\+.* \[hfi1\]$/\1/p' | sed -n 1p
}

# tally: count the results on stdin, "PASSED FAILED". A result that follows
# deeper indented ones sums them up and is none of its own.
tally() {
	awk '
	/^ *(not )?ok/ {
		match($0, /^ */)
		sums_up = RLENGTH < depth && !($1 == "not" && !deeper_failed)
		depth = RLENGTH
		if (!depth)
			deeper_failed = 0
		if (sums_up)
			next
		if ($1 != "not") { passed++; next }
		failed++
		if (depth)
			deeper_failed = 1
	}
	END { print passed + 0, failed + 0 }'
}
