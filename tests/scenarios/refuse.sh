#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  another hfi1 than the module was made for is refused, and never kept from loading
#: kernels 7.3 6.12 6.1
#: timeout 300
. /lab/lib.sh
. /lab/traffic.sh

HFI1=/lib/modules/$(uname -r)/kernel/drivers/infiniband/hw/hfi1/hfi1.ko
NOTE=/sys/module/hfi1/notes/.note.gnu.build-id

hex() {
	xxd -p | tr -d '\n'
}

# altered FROM TO OLD NEW: a copy of a module in which a string of bytes, given
# in hex, is another one. Its signature is taken for none, since it would not fit.
altered() {
	local magic new
	magic=$(printf '~Module signature appended~' | hex)
	new=$(printf '~module signature appended~' | hex)
	hex <"$1" | sed "s/$3/$4/g; s/$magic/$new/" | xxd -r -p >"$2"
	! cmp -s "$1" "$2"
}

# refused FILE TEXT: insmod fails with that text, which is kmod's for ENOEXEC
# (Invalid module format) or ENOENT (Unknown symbol).
refused() {
	local out
	out=$(insmod "$1" 2>&1) && echo "was loaded" && return 1
	echo "$out"
	[[ $out == *"$2"* ]]
}

nothing_patched() {
	[ ! -e "/sys/kernel/livepatch/$TID_WAIT" ] && ! grep -q "^$TID_WAIT " /proc/modules
}

fabric_up
id=$(tail -c 20 "$NOTE" | hex)
# A compiler may keep the id in pieces of 8 bytes: its first 4 are enough.
start=${id:0:8}
other=$(printf '%s' "$start" | tr 0123456789abcdef 123456789abcdef0)
function=$(printf 'hfi1_kern_exp_rcv_setup\0' | hex)
renamed=$(printf 'hfi1_kern_exp_rcv_setuq\0' | hex)

# A module made for another build of hfi1.
altered "/lab/$TID_WAIT.ko" /tmp/other.ko "$start" "$other" || bail "the module holds the build id of hfi1"
log_mark
check "a module made for another hfi1 is refused" refused /tmp/other.ko "Invalid module format"
check "the message names the build id it found" log_says "$id"
check "the message says what to do" log_says "run make again"
check "nothing is patched" nothing_patched
check "hfi1 can be removed" hfi1_unload

# hfi1 of another build: with our module waiting for it, it loads nevertheless.
altered "$HFI1" /tmp/hfi1.ko "$start" "$other" || bail "hfi1 holds its build id"
mv "$HFI1" /tmp/true.ko
cp /tmp/hfi1.ko "$HFI1"
check "loads without hfi1" tid_wait_load
log_mark
fabric_up
pass "another build of hfi1 loads and works"
check "the message names its build id" log_says "$other${id:8}"
check "it is not patched" test ! -e "/sys/kernel/livepatch/$TID_WAIT"
traffic "its bytes are right" verify --op both --size 256K,1M
check "our module leaves" rmmod "$TID_WAIT"
check "loaded after it, our module is refused" refused "/lab/$TID_WAIT.ko" "Invalid module format"
check "nothing is patched" nothing_patched
check "it can be removed" hfi1_unload

# hfi1 that lacks one of the functions.
altered /tmp/true.ko "$HFI1" "$function" "$renamed" || bail "hfi1 has a function by the expected name"
check "loads without hfi1" tid_wait_load
log_mark
fabric_up
pass "an hfi1 without one of our functions loads and works"
check "the message names the function" log_says "no function hfi1_kern_exp_rcv_setup"
check "it is not patched" test ! -e "/sys/kernel/livepatch/$TID_WAIT"
traffic "its bytes are right" verify --op both --size 256K,1M
check "our module leaves" rmmod "$TID_WAIT"
check "loaded after it, our module is refused" refused "/lab/$TID_WAIT.ko" "Unknown symbol"
check "nothing is patched" nothing_patched
check "it can be removed" hfi1_unload

# And the true one is still taken.
cp /tmp/true.ko "$HFI1"
fabric_up
check "the hfi1 it was made for is taken" tid_wait_load
check "and patched" patched
