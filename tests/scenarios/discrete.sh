#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the discrete card's device number, 24f0
#: hfisim --device-id 24f0
. /lab/lib.sh
. /lab/traffic.sh

begin
check "the device is 8086:24f0" grep -q 0x24f0 "/sys/class/infiniband/$(dev0)/device/device"
pass "both ports are ACTIVE"
traffic "bytes are right" verify --op both --size 4K,256K,1M
nothing_left
