#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  one page set of a segment cannot be mapped for DMA: its bytes are right nevertheless
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh
. /lab/inject.sh

begin
steps --qps 1 --check --timeout 20
must make 0 256K scattered
for op in read write; do
	for nth in 1 2 32 64; do
		inject map callers="$SEGMENT" from=$nth
		must post 0 $op 256K
		check "a $op completes of which mapping $nth fails" step_says "pending 0" wait 0 30
		check "mapping $nth failed" injected_is map 1
		inject_end
		symptom "no byte of it is wrong" step_says "wrong 0" wait 0 1
		symptom "the HFI writes to no other memory" counter_is 0 protocol_errors 0
		[ -z "$LAB_STOCK" ] || exit 0
	done
done
check "HFI 1 writes to no other memory" counter_is 1 protocol_errors 0
steps_end "none failed, no byte was wrong"
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
