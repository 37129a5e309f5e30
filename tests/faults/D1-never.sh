#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a READ's segment needs more TIDs than there are: neither it nor those behind it wait for ever
#: hfisim --rcv-array 256
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
too_many 2
symptom "the one behind completes" step_says "done 2 failed 0 wrong 0 pending 0" wait 1 10 || exit 0
check "so does the one that needs too many" step_says "done 2 failed 0 wrong 0 pending 0" wait 0 30
check "it used TID RDMA, in smaller segments" test "$(tid_packets "$(dev1)")" -ge 3
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
