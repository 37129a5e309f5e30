#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is loaded and unloaded twenty times in a row under traffic
#: hfisim --rcv-array 1024
#: timeout 600
. /lab/lib.sh
. /lab/traffic.sh

fabric_up
stream --op both --qps 8 --depth 2 --memory scattered --check --timeout 20
cycles 20
nothing_left
