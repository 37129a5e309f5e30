#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  a process is killed while its QPs hold and wait; another process is served
#: hfisim --rcv-array 1024
. /lab/lib.sh
. /lab/traffic.sh

begin
for round in 1 2 3; do
	steps --qps 8 --memory scattered --timeout 20
	must make 0-7 256K
	hfisimctl hold 0 read_resp >/dev/null
	must post 0-2 read 256K
	wait_until 20 counter_above 0 held 2 || bail "three READs are held"
	must post 3-7 read 256K
	check "five QPs wait, round $round" wait_until 10 waiters_are 0 5
	steps_kill
	hfisimctl discard 0 >/dev/null
	nothing_left "all is free after the kill, round $round"
	traffic "another process is served, round $round" load --qps 8 --depth 2 --memory scattered \
		--check --operations 100 --timeout 20
done
nothing_left
no_late_write
