#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a peer announces segments of 4 KiB and of 512 KiB: no array is overrun, READs complete
#: stock crashes
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

# reads SECONDS: without completions for so long it ends.
reads() {
	tidload load --op read --no-tid --size 1M --memory scattered --check --operations 20 --deadline "$1"
}

begin
hfisimctl opfn 1 max_len=4096 >/dev/null || bail "opfn 1 max_len=4096"
check "READs from a peer that announces 4 KiB" reads 30
hfisimctl opfn 1 max_len=524288 >/dev/null || bail "opfn 1 max_len=524288"
symptom "READs from a peer that announces 512 KiB" reads 30
hfisimctl opfn 1 off >/dev/null
traffic "READs from a peer that announces what it should" load --op read --size 1M --memory scattered \
	--check --operations 20
check "no RcvArray entry stays programmed" wait_until 10 programmed_is 0 0
no_late_write
