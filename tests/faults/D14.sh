#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  packets that nothing in a QP explains are not followed to where nothing is
#: stock crashes
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

all_told() {
	counter_is 1 lies.left 0
}

# Data of a WRITE, and the request to begin anew, for QPs that have received none.
lies() {
	hfisimctl lie 1 200 seed=1 opcode=0xe2-0xe3,0xe6 way=eager "qp=$victims" && wait_until 60 all_told
}

begin
steps --qps 2 --depth 1 --timeout 14 --deadline 40
must make 0-1 1M scattered
must post 0-1 read 1M
must wait 0-1 20
victims=$(step number 0 1 | sed 's/^ok //'),$(step number 1 1 | sed 's/^ok //')
symptom "QPs get data that they have granted nothing for" lies || exit 0
check "200 lies were told" test "$(counter 1 lies.told)" = 200
must post 0-1 write 1M
check "the QPs still receive WRITEs" step_says "done 4 failed 0 wrong 0 pending 0" wait 0-1 30
steps_over "tidload ends"
nothing_left
no_late_write
