#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is loaded and unloaded a thousand times while 32 QPs read and write
#: hfisim --rcv-array 1024
#: timeout 21600
#: long yes
. /lab/lib.sh
. /lab/traffic.sh

fabric_up
stream --op both --qps 32 --depth 1 --size 256K --memory scattered --check --timeout 20 --deadline 60
cycles 1000
nothing_left
no_late_write
