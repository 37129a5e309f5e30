#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a QP goes to the error state while the peer WRITEs to it: nothing lands after that
#: hfisim --rcv-array 1024
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

begin
steps --qps 2 --check --timeout 14
must make 0-1 256K scattered
hfisimctl hold 1 write_data >/dev/null
must post 0 write 256K
wait_until 20 counter_is 1 held 64 || bail "the WRITE's packets are held"
written=$(counter 1 expected_writes)
must state 0 1 err
note "$(programmed 1) RcvArray entries are valid in the error state"
symptom "its RcvArray entries are invalid by then" programmed_is 1 0
hfisimctl release 1 >/dev/null
wait_until 10 counter_is 1 held 0 || bail "the packets are released"
note "$(($(counter 1 expected_writes) - written)) packets landed in the error state"
symptom "nothing lands after that" counter_is 1 expected_writes "$written"
check "the WRITE ends in an error" step_says "done 0 failed 1 wrong 0 pending 0" wait 0 20
must post 1 write 256K
check "another QP's WRITE completes" step_says "done 1 failed 0 wrong 0 pending 0" wait 1 30
steps_end "no byte was wrong"
