# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the shell of `make lab` starts with.

. /lab/lib.sh
read -r rows columns <<<"$LAB_SIZE"
stty rows "$rows" cols "$columns"
echo "lab: loading hfi1 and starting the fabric manager"
fabric_up
ib_devices | while read -r dev; do
	echo "lab: $dev is $(port_state "$dev")"
done
echo "lab: tid_wait_load loads the module, tid_state shows its tables, tidload and"
echo "lab: ib_read_bw make traffic, hfisimctl commands the emulator; exit ends the guest"
PS1='guest# '
