#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  QPs wait for TIDs and are served: each sleep and each wakeup is an event, and TidWait counts the sleeps
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

TRACING=/sys/kernel/tracing

# events NAME: so many are in the trace.
events() {
	grep -c " $1: " $TRACING/trace
}

# woken: whoever was served after a sleep was woken.
woken() {
	[ "$(events "$wake")" -ge "$(events "$sleep")" ]
}

begin
if [ -n "$LAB_STOCK" ]; then
	sleep=hfi1_qpsleep wake=hfi1_qpwakeup
	set -- hfi1_tx/hfi1_qpsleep hfi1_tx/hfi1_qpwakeup
else
	sleep=wait wake=wake
	set -- hfi1_tid_wait
fi
echo 8192 >$TRACING/buffer_size_kb
for event; do
	echo 1 >"$TRACING/events/$event/enable" || bail "there are events $event"
done
before=$(sleeps 0)
traffic "QPs read, and wait for TIDs" load --op read --qps 8 --depth 2 --size 1M --memory scattered --check \
	--operations 400
check "hundreds had to wait" test $(($(sleeps 0) - before)) -gt 100
note "$(($(sleeps 0) - before)) sleeps counted, $(events "$sleep") traced, $(events "$wake") wakeups traced"
symptom "every QP that was served was seen to be woken" woken || exit 0
check "every sleep is an event" test "$(events wait)" = $(($(sleeps 0) - before))
check "every grant is an event" test "$(events grant)" = "$(column grants)"
check "every wakeup is an event" test "$(events wake)" = "$(column wakeups)"
check "TidWait counts what the module counts" test $(($(sleeps 0) - before)) = "$(column waits)"
nothing_left
