#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module is loaded while QPs wait in stock hfi1's queues, and serves them
#: hfisim --rcv-array 1024
. /lab/lib.sh
. /lab/traffic.sh

# sleeps: how often stock hfi1 put a QP of HFI 0 to sleep.
sleeps() {
	cat "/sys/class/infiniband/$(dev0)/hw_counters/TidWait"
}

# sleeps_are N
sleeps_are() {
	[ "$(sleeps)" = "$1" ]
}

fabric_up
steps --qps 8 --memory scattered --check --timeout 20
must make 0-7 256K
before=$(sleeps)
hfisimctl hold 0 read_resp >/dev/null
must post 0-2 read 256K
wait_until 20 counter_above 0 held 2 || bail "three READs are held"
must post 3-7 read 256K
check "five QPs wait in stock code" wait_until 10 sleeps_are $((before + 5))
check "the module is loaded" tid_wait_load
check "it finds the five" waiters_are 0 5
hfisimctl release 0 >/dev/null
check "all complete" step_says "done 8 failed 0 wrong 0 pending 0" wait 0-7 30
steps_end "tidload ends"
nothing_left
no_late_write
