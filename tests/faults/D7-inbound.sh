#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs are reset while a WRITE is under way and connected anew: they serve WRITEs as new ones do
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
steps --qps 8 --depth 2 --check --timeout 14 --deadline 15
must make 0-7 1M scattered
hfisimctl hold 1 write_data >/dev/null
must post 0-7 write 1M
wait_until 20 counter_above 1 held 200 || bail "WRITEs are held" "$(counter 1 held) packets are"
must state 0-7 0 reset
must state 0-7 1 reset
hfisimctl discard 1 >/dev/null
must connect 0-7
must post 0-7 write 1M
symptom "their WRITEs complete" step_says "done 8 failed 0 wrong 0 pending 0" wait 0-7 30 || exit 0
steps_end "no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 1 0
no_late_write
