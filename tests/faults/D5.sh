#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a QP goes to the error state with a READ or a WRITE in flight: nothing lands later, no TID is lost
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

# The same with a WRITE that the QP receives: there is no completion.
granted=$(programmed 0)
steps --qps 1 --requester 1 --check --timeout 20
must make 0 256K scattered
hfisimctl hold 0 write_data >/dev/null
must post 0 write 256K
wait_until 20 counter_is 0 held 64 || bail "the WRITE's packets are held"
written=$(counter 0 expected_writes)
must state 0 0 err
symptom "the RcvArray entries of a WRITE are invalid" wait_until 5 programmed_is 0 "$granted"
hfisimctl release 0 >/dev/null
wait_until 10 counter_is 0 held 0 || bail "the packets are released"
note "$(($(counter 0 expected_writes) - written)) packets of the WRITE landed"
symptom "nothing of the WRITE lands" counter_is 0 expected_writes "$written"
steps_end "the QPs are destroyed"
