# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# On a debug kernel, after a scenario: unload everything, and hear what the
# instruments have to say that is not in the kernel log of itself.

. /lab/lib.sh

LEAKS=/sys/kernel/debug/kmemleak
DMA=/sys/kernel/debug/dma-api
# below this age an object is not looked at
LEAK_AGE=5

fabric_modules() {
	grep -oE '^(rdma|ib|iw|rdmavt|i2c_algo)[a-z_]* ' /proc/modules
}

# unload: DMA_API_DEBUG looks for what is still mapped when hfi1 leaves its devices.
unload() {
	local modules
	# shellcheck disable=SC2034 # hfi1_unload looks at it
	fm_pid=$(pidof sm)
	[ ! -e "/sys/module/$TID_WAIT" ] || tid_wait_unload || return
	[ ! -e /sys/module/hfi1 ] || hfi1_unload || return
	modules=$(fabric_modules)
	# shellcheck disable=SC2086
	[ -z "$modules" ] || modprobe -r $modules
}

# leaks: what nobody points at any more. A frame without a symbol is code of a module
# that was removed: the modules before are ours, hfi1 and what they use.
leaks() {
	echo scan >$LEAKS
	sleep $LEAK_AGE
	echo scan >$LEAKS
	awk '
	/^unreferenced object/ { if (ours) printf "%s", report; report = ""; ours = 0 }
	{ report = report $0 "\n" }
	/^ +0x[0-9a-f]+$/ || /\[(hfi1|rdmavt)/ { ours = 1 }
	END { if (ours) printf "%s", report }' $LEAKS
}

# Not when all is unloaded: a report of KASAN about that stops it.
check "locks are still watched" grep -q 'debug_locks: *1$' /proc/lockdep_stats
modules=$(grep -E '^(hfi1|rdmavt|ib_)' /proc/modules)
check "all modules are removed" unload
if [ -e $LEAKS ]; then
	leaked=$(leaks)
	[ -z "$leaked" ] || note "$modules"$'\n'"$leaked"
	check "no memory is leaked" test -z "$leaked"
fi
[ ! -e $DMA ] || check "DMA is still watched" grep -q N $DMA/disabled
