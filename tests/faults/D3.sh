#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs that wait for TIDs are destroyed: who waits for a flow later knows its position
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# rnr_naks [CODE]: RNR NAKs on the wire, all or those that ask for that delay.
rnr_naks() {
	hfisimctl counters | grep -o '"rnr_nak":{[^}]*}' | grep -oE "\"${1:-[0-9]*}\":[0-9]+" |
		awk -F: '{ sum += $2 } END { print sum + 0 }'
}

rnr_naks_above() {
	[ "$(rnr_naks)" -gt "$1" ]
}

begin
steps --qps 9 --timeout 20
must make 0-8 256K scattered
hfisimctl hold 0 read_resp >/dev/null
must post 0-2 read 256K
wait_until 20 counter_is 0 held 192 || bail "three READs are held"
before=$(sleeps 0)
must post 3-8 read 256K
wait_until 10 sleeps_are 0 $((before + 6)) || bail "six QPs wait for TIDs" "$(sleeps 0) of $before"
must destroy 3-8 0
hfisimctl release 0 >/dev/null
check "the others complete" step_says "done 3 failed 0 wrong 0 pending 0" wait 0-2 30
steps_end "the QPs are destroyed"

# 32 WRITEs hold the flows of HFI 0. The next one is told how long to wait for the
# first place in the queue, which is 32 segments: code 13, 0.96 ms.
steps --qps 33 --requester 1 --check --timeout 20
must make 0-32 256K contiguous
hfisimctl hold 0 write_data >/dev/null
must post 0-31 write 256K
wait_until 30 counter_is 0 held 2048 || bail "32 WRITEs are held" "$(counter 0 held) packets are"
before=$(rnr_naks) in_time=$(rnr_naks 13)
must post 32 write 256K
wait_until 10 rnr_naks_above "$before" || bail "one more is told to wait"
note "$(hfisimctl counters | grep -o '"rnr_nak":{[^}]*}')"
symptom "it is told to wait for the first place" test "$(rnr_naks 13)" -gt "$in_time"
hfisimctl release 0 >/dev/null
check "all complete" step_says "done 33 failed 0 wrong 0 pending 0" wait 0-32 30
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
