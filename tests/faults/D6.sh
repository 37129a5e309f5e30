#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a QP is reset while it waits for TIDs: what it reads later goes where it belongs
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
# QP 0 has a READ in flight and a second one, into other memory, that waits for TIDs.
steps --qps 3 --depth 2 --check --timeout 20
must make 0-2 256K scattered
hfisimctl hold 0 read_resp >/dev/null
must post 1-2 read 256K
wait_until 20 counter_is 0 held 128 || bail "two READs are held"
must post 0 read 256K
wait_until 20 counter_is 0 held 192 || bail "three READs are held"
before=$(sleeps 0)
must post 0 read 256K
wait_until 10 sleeps_are 0 $((before + 1)) || bail "the fourth READ waits" "$(sleeps 0) of $before"
must state 0 0 reset
must state 0 1 reset
hfisimctl release 0 128 >/dev/null
check "the two others complete" step_says "done 2 failed 0 wrong 0 pending 0" wait 1-2 30
hfisimctl discard 0 >/dev/null
must connect 0
# as many as it has places for work requests
for n in 1 2 3 4; do
	must post 0 read 256K
	check "READ $n after the reset completes" step_says "done $n failed 0" wait 0 30
done
symptom "no byte was wrong" step_says "wrong 0" wait 0 0 || exit 0
steps_end "tidload ends"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
