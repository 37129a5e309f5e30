#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a READ of a QP ends while the QP receives a WRITE: the WRITE keeps its flow
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# resyncs: received by HFI 0. A RESYNC asks for all packets in a new generation.
resyncs() {
	awk '$1 == "e6" { split($2, n, "/"); sum += n[1] } END { print sum + 0 }' /sys/kernel/debug/hfi1/hfi1_0/opcode_stats
}

# The numbers of a flow's packets follow each other: first the READ's, then the WRITE's.
# All is over before the WRITE is sent again, after 8.6 s.
begin
steps --qps 1 --depth 2 --check --timeout 21
must make 0 256K scattered
hfisimctl hold 0 all >/dev/null
must post 0 read 256K 0
wait_until 20 counter_is 0 held 64 || bail "the READ's packets are held"
must post 0 write 256K 1
wait_until 20 counter_is 0 held 128 || bail "the WRITE's packets are held" "$(counter 0 held)"
hfisimctl release 0 64 >/dev/null
check "the READ completes" wait_until 5 step_says "done 1 failed 0 wrong 0 pending 1" wait 0 0
hfisimctl release 0 >/dev/null
symptom "the WRITE completes with the packets that were on their way" \
	step_says "done 2 failed 0 wrong 0 pending 0" wait 0 4 || exit 0
check "it was not sent again" test "$(resyncs)" = 0
steps_end "no byte was wrong"
nothing_left
no_late_write
