#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  32 QPs are reset with a READ in flight and connected anew: idle, they hold no flow
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
steps --qps 33 --check --timeout 20
must make 0-32 256K contiguous
hfisimctl hold 0 read_resp >/dev/null
must post 0-31 read 256K
wait_until 30 counter_is 0 held 2048 || bail "32 READs are held" "$(counter 0 held) packets are"
must state 0-31 0 reset
must state 0-31 1 reset
hfisimctl discard 0 >/dev/null
must connect 0-31
must post 32 read 256K
symptom "another QP's READ completes" step_says "done 1 failed 0 wrong 0 pending 0" wait 32 10 || exit 0
must post 0-31 read 256K
check "so do theirs" step_says "done 32 failed 0 wrong 0 pending 0" wait 0-31 30
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
