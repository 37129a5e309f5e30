#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  the module comes in while QPs wait for what they can never get: their requests end in an error, later ones complete
#: kernels 7.3 6.12 6.1
#: hfisim --rcv-array 256
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

fabric_up
# Requester of READs, on stock code.
too_many 4
wait_until 10 sleeps_are 0 2 || bail "two QPs wait" "$(sleeps 0)"
# QP 2 has agreed on segments of 256 KiB, and uses them later. QP 3's peer has
# announced more than any segment may have.
must make 2 256K scattered
agree 2
hfisimctl opfn 1 max_len=524288 >/dev/null || bail "opfn 1 max_len=524288"
must make 3 1M scattered
agree 3
hfisimctl opfn 1 off >/dev/null

check "the module is loaded and active" tid_wait_load
check "the READ that needs too many fails" step_says "done 1 failed 1 wrong 0 pending 0" wait 0 20
check "the one behind it completes" step_says "done 2 failed 0 wrong 0 pending 0" wait 1 20
must post 2 read 256K
check "a READ that is posted later completes" step_says "done 2 failed 0 wrong 0 pending 0" wait 2 20
must post 3 read 1M
check "so does one from a peer with segments larger than any may be" step_says "done 2 failed 0 wrong 0 pending 0" wait 3 20
must destroy 0 0
must destroy 0 1
must connect 0
must post 0 read 256K
check "connected anew, a READ completes" step_says "done 2 failed 1 wrong 0 pending 0" wait 0 30
steps_end "no byte was wrong"

# Receiver of WRITEs: the peer's request ends in its own timeout.
check "the module is unloaded" tid_wait_unload
steps --qps 2 --no-tid --check --timeout 12
must make 0 256K scattered
agree 0
check "the module is loaded and active" tid_wait_load
must post 0 write 256K
check "a WRITE that needs too many fails" step_says "done 1 failed 1 wrong 0 pending 0" wait 0 60
must make 1 256K contiguous
must post 1 write 256K
check "another QP's WRITE completes" step_says "done 1 failed 0 wrong 0 pending 0" wait 1 30
steps_end "no byte was wrong"
nothing_left
no_late_write
