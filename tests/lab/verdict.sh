# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a guest's logs say about a run.

# In the kernel log, a failure whoever caused it.
TROUBLE='(^|[^E])BUG:|WARNING:|Oops|UBSAN|KASAN|general protection fault|Kernel panic|blocked for more than|detected stall|soft lockup|refcount_t:|Call Trace:'
# What the instruments of a debug kernel say, or say of themselves when they give up.
TROUBLE+='|INFO: trying to register non-static key|turning off the locking correctness validator|lockdep is turned off'
TROUBLE+='|list_(add|del) (corruption|double add)|ODEBUG: .*(object|memory)|DMA-API: .*(device driver|mapping sg|exceeded|disabl|error|out of memory)'
TROUBLE+='|kmemleak: .*(suspected memory leaks|Cannot allocate|detector disabled)'

# The kernel and its drivers trip these on their own: hfi1's trace events on 7.3,
# rdmavt's copy of a work request on 6.1, with or without our module; and livepatch,
# when an interrupt calls a function that is being patched in a task that exits: it
# has left the list of tasks (do_exit()) of which livepatch marks each.
KNOWN_REPORTS='has double dereference in TP_printk|field-spanning write .* of single field "&wqe->wr"'
KNOWN_REPORTS+='|WARNING: .*kernel/livepatch/patch[.]c:.* klp_ftrace_handler[+]'
# Each time TID RDMA is negotiated: the table by which hfi1 turns opcodes into those
# of completions (ib_hfi1_wc_opcode) has no entry for the work request of OPFN.
KNOWN_REPORTS+='|BUG: KASAN: global-out-of-bounds in do_rc_completion[+]'
# Whoever reads into one page with many QPs at once maps it that often; a limit of
# the instrument, which goes on.
KNOWN_REPORTS+='|DMA-API: exceeded [0-9]+ overlapping mappings of cacheline'

# without_known: the log without the reports in KNOWN_REPORTS, and without data races
# (KCSAN) of others than our module.
without_known() {
	awk -v known="$KNOWN_REPORTS" '
	# KASAN and KCSAN put their reports between two such lines
	function bar() { return $NF ~ /^=+$/ && length($NF) == 66 }
	function show() {
		if (inside && !skip && !(race && !ours))
			printf "%s", report
		inside = ""
	}
	/\[ cut here \]/ || (!inside && bar()) {
		show()
		report = ""; lines = skip = race = ours = 0
		inside = bar() ? "bars" : "cut"
	}
	!inside { print; next }
	{ report = report $0 "\n"; lines++ }
	lines == 2 && $0 ~ known { skip = 1 }
	lines == 2 && /BUG: KCSAN: / { race = 1 }
	/\[hfi1_tid_wait/ { ours = 1 }
	(inside == "cut" && /\[ end trace /) || (inside == "bars" && lines > 1 && bar()) { show() }
	END { show() }'
}

# kernel_trouble CONSOLE...: the first line of trouble, if any.
kernel_trouble() {
	cat "$@" | tr -d '\r' | without_known | grep -aE "$TROUBLE" | sed -n 1p
}

# report_at_symptom CONSOLE: what the kernel reported of hfi1, after the test had come
# to what the fault breaks: the function in which it oopsed, or the line of an array
# that was left.
report_at_symptom() {
	tr -d '\r' <"$1" | sed -n '/# symptom: /,$p' | sed -nE '
		s/.*RIP: 0010:([a-z0-9_.]+)\+.* \[hfi1\]$/oops in \1/p
		s@.*UBSAN: (.*) in .*/hw/hfi1/([^/]*)$@\1 in \2@p' | sed -n 1p
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
