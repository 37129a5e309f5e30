#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  packets of READs come twice: no READ fails
#: stock crashes
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# Of one segment each, so that the sender never goes back from one to an older one.
reads() {
	tidload load --op read --qps 8 --depth 1 --size 256K --memory scattered --check --operations 1000 \
		--timeout 12 --deadline 40
}

begin
hfisimctl fault 0 duplicate 20 >/dev/null || bail "fault 0 duplicate"
symptom "READs whose packets come twice complete" reads || exit 0
check "packets came twice" counter_above 0 faults.duplicate 0
hfisimctl fault 0 off >/dev/null
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
