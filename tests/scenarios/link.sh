#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the stock driver probes both HFIs and the fabric manager takes both ports to ACTIVE
#: kernels 7.3 6.12 6.1
. /lab/lib.sh

fabric_up
pass "both ports are ACTIVE"
note "after $(cut -d' ' -f1 /proc/uptime) s"
