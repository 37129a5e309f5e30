#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs are reset while a WRITE is under way and connected anew: their first READ does not wait for it
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# reads QPS: one of each.
reads() {
	must post "$1" read 4096
	must wait 0-7 20
}

# A QP keeps the last 26 requests of its peer, in a ring that begins anew with a reset.
# The first READ would wait for a WRITE in the ring's last place: so many come before
# the WRITE that it is there with one of the QPs.
begin
steps --qps 8 --depth 2 --check --timeout 14 --deadline 15
must make 0-7 1M scattered
for _ in $(seq 20); do
	reads 0-7
done
for qp in $(seq 7); do
	reads "$qp-7"
done
hfisimctl hold 1 write_data >/dev/null
must post 0-7 write 1M
wait_until 20 counter_above 1 held 200 || bail "WRITEs are held" "$(counter 1 held) packets are"
must state 0-7 0 reset
must state 0-7 1 reset
hfisimctl discard 1 >/dev/null
symptom "READs complete until they have agreed on TID RDMA" step connect 0-7 || exit 0
must post 0-7 read 1M
check "READs of TID RDMA do too" step_says "failed 0 wrong 0 pending 0" wait 0-7 30
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 1 0
no_late_write
