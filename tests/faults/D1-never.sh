#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a READ's segment needs more TIDs than there are: neither it nor those behind it wait for ever
#: hfisim --rcv-array 256
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
steps --qps 2 --no-tid --check --timeout 20
must make 0 256K scattered
must make 1 256K contiguous
agree 0
agree 1
must post 0 read 256K
must post 1 read 256K
symptom "the one behind completes" step_says "done 2 failed 0 wrong 0 pending 0" wait 1 10 || exit 0
check "so does the one that needs too many" step_says "done 2 failed 0 wrong 0 pending 0" wait 0 30
check "it used TID RDMA, in smaller segments" test "$(tid_packets "$(dev1)")" -ge 3
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
