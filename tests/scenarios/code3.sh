#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the functional simulator's implementation code: no firmware, no link negotiation
#: hfisim --icode 3
. /lab/lib.sh
. /lab/traffic.sh

begin
pass "both ports are ACTIVE"
traffic "bytes are right" verify --op both --size 4K,256K,1M
nothing_left
