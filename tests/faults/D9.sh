#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  mappings fail in the middle of segments, again and again: what is unmapped was mapped
#: stock crashes
#: timeout 300
# What can be seen of D9 on the stock driver is that it unmaps what it never mapped.
# The rest of D9 is in the way back from a mapping that failed. That is not taken
# there: because of D8, hfi1 never knows that one failed. tests/unit/tid_map_test.c has it.
. /lab/lib.sh
. /lab/traffic.sh
. /lab/inject.sh

# all_unmapped: what was mapped is unmapped, and nothing twice.
all_unmapped() {
	[ $(($(calls map) - $(injected map))) = "$(calls unmap)" ]
}

begin
# Four READs each, so that those of one QP take turns with its pages.
steps --qps 8 --depth 4 --check --timeout 20
must make 0-7 256K scattered
# what it programs may also crash it, before the READs end
[ -z "$LAB_STOCK" ] || report "# symptom: hfi1 survives mappings that fail"
inject map,unmap,unmap_none callers="$SEGMENT" from=32 count=60 one_in=20
for _ in 1 2 3 4; do
	must post 0-7 read 256K
done
if [ -n "$LAB_STOCK" ]; then
	wait_until 30 injected_is map 60
	must destroy 0-7 0
else
	check "all READs complete" step_says "done 32 failed 0 wrong 0 pending 0" wait 0-7 60
fi
note "$(figures)"
check "mappings failed" injected_is map 60
symptom "nothing is unmapped that was not mapped" test "$(calls unmap_none)" = 0 || exit 0
check "all is unmapped that was mapped" wait_until 10 all_unmapped
inject_end
steps_end "no byte was wrong"
nothing_left
no_late_write
