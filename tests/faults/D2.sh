#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the first of two waiting QPs goes to the error state: the one behind it is served
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
two_wait
must state 0 0 err
check "its READ is flushed" step_says "done 0 failed 1 wrong 0 pending 0" wait 0 10
# its READ then is on its way: more packets are held
symptom "the one behind is served" wait_until 10 counter_above 0 held 192 || exit 0
hfisimctl release 0 >/dev/null
check "all others complete" step_says "done 4 failed 0 wrong 0 pending 0" wait 1-4 30
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
