#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  stock hfi1 probes both HFIs, brings the link up, survives a bounce, a reset and removal
#: kernels 7.3 6.12 6.1
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# reset HFI: function level reset of a device that no driver holds.
reset() {
	echo 1 >"$1/reset"
}

fabric_up
pass "both ports are ACTIVE"
note "after $(cut -d' ' -f1 /proc/uptime) s"
check "ib_devices finds two HFIs" test "$(ib_devices | wc -l)" = 2
check "the link width is what opa-fm wants" grep -q 'rate\|100' "/sys/class/infiniband/$(dev0)/ports/1/rate"
traffic "READ and WRITE on stock hfi1" verify --op both --size 4K,256K,1M

for hfi in 0 1; do
	hfisimctl link $hfi down >/dev/null
	check "both ports go down when HFI $hfi loses its cable" wait_until 20 ports_are DOWN
	hfisimctl link $hfi up >/dev/null
	check "both ports come back" wait_until 60 ports_are ACTIVE
done
traffic "READ and WRITE after it" verify --op both --size 4K,256K,1M

devices=$(for dev in $(ib_devices); do readlink -f "/sys/class/infiniband/$dev/device"; done)
for round in 1 2; do
	check "hfi1 can be removed, round $round" hfi1_unload
	for device in $devices; do
		check "${device##*/} takes a function level reset" reset "$device"
	done
	fabric_up
	pass "both ports are ACTIVE again, round $round"
	traffic "READ and WRITE after it" verify --op both --size 4K,256K,1M
done
check "the emulator saw no broken rule" counter_is 0 protocol_errors 0
