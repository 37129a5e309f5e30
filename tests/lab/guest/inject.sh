# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Failures injected into hfi1 and the module, by tests/inject. After traffic.sh.

# where a segment's page sets are mapped and unmapped: in hfi1 and in the module
SEGMENT=dma_map_flow,dma_unmap_flow,hfi1_kern_exp_rcv,[hfi1_tid_wait]
ALWAYS=4294967295

# inject POINTS [PARAMETER...]: from now on these calls fail; until inject_end.
inject() {
	insmod /lab/tid_inject.ko points="$1" "${@:2}" || bail "failures of $1 can be injected"
}

inject_end() {
	rmmod tid_inject
}

# figures: a line for each point, its name, calls, and how many failed.
figures() {
	cat /sys/module/tid_inject/parameters/figures
}

calls() {
	figures | awk -v point="$1" '$1 == point { print $2 }'
}

injected() {
	figures | awk -v point="$1" '$1 == point { print $3 }'
}

injected_is() {
	[ "$(injected "$1")" = "$2" ]
}

injected_above() {
	[ "$(injected "$1")" -gt "$2" ]
}
