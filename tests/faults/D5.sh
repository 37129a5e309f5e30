#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a QP goes to the error state with a READ in flight: nothing lands after its completion, no TID is lost
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
steps --qps 2 --check --timeout 20
must make 0-1 256K scattered
hfisimctl hold 0 read_resp >/dev/null
must post 0 read 256K
wait_until 20 counter_is 0 held 64 || bail "the READ's packets are held"
written=$(counter 0 expected_writes)
must state 0 0 err
check "the READ is flushed" step_says "done 0 failed 1 wrong 0 pending 0" wait 0 10
note "$(programmed 0) RcvArray entries are valid after the completion"
symptom "its RcvArray entries are invalid by then" programmed_is 0 0
hfisimctl release 0 >/dev/null
wait_until 10 counter_is 0 held 0 || bail "the packets are released"
note "$(($(counter 0 expected_writes) - written)) packets landed after the completion"
symptom "nothing lands after that" counter_is 0 expected_writes "$written"
must destroy 0 0
note "$(programmed 0) RcvArray entries are valid after it is destroyed"
symptom "it holds no TIDs after it is destroyed" programmed_is 0 0
must post 1 read 256K
check "another QP's READ completes" step_says "done 1 failed 0 wrong 0 pending 0" wait 1 30
steps_end "no byte was wrong"
