# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What is built from this repository, into /cache/build. Runs in the root folder.

BUILD=$CACHE/build
HFISIM=$BUILD/hfisim

# quietly WHAT COMMAND...: build with the output in a log; show it on failure.
quietly() {
	local what=$1 log
	log=$CACHE/log/build-${1//[^a-zA-Z0-9.]/-}.log
	shift
	say "building $what"
	"$@" >"$log" 2>&1 && return
	tail -n 30 "$log" >&2
	explain "$log" "building $what"
}

# hfisim_make FAMILY TARGET...: in the emulator's folder; the register addresses
# are the same in all kernels.
hfisim_make() {
	local src=$CACHE/kernel/$1/hfi1-src/drivers/infiniband/hw/hfi1
	shift
	make -s -j"$(nproc)" -C "$REPO/tests/hfisim" CC=gcc-14 O="$HFISIM" HFI1_SRC="$src" "$@"
}

build_hfisim() {
	quietly "the emulator" hfisim_make "$1" all
}

build_tidload() {
	quietly "tidload" gcc-14 -O2 -g -Wall -Wextra -D_GNU_SOURCE -o "$BUILD/tidload" \
		"$REPO"/tests/lab/tidload*.c -libverbs -lpthread
}

# for_kernel FAMILY COMMAND...: run it with what scripts/build-module asks for. A
# kernel that is built here has no BTF.
for_kernel() {
	local dir=$CACHE/kernel/$1 types
	types=BTF_BASE=$dir/vmlinux
	! is_debug "$1" || types=HFI1_SRC=$dir/hfi1-src
	shift
	env KDIR="$dir/headers" "$types" \
		HFI1_KO="$dir/modules/kernel/drivers/infiniband/hw/hfi1/hfi1.ko" "$@"
}

# build_module FAMILY: the module against the unpacked packages.
build_module() {
	quietly "the module for $1" for_kernel "$1" "$REPO/scripts/build-module" "$REPO" "$BUILD/$1"
}

build_unit_tests() {
	quietly "the unit test module for $1" for_kernel "$1" UNIT_TEST=1 \
		"$REPO/scripts/build-module" "$REPO" "$BUILD/$1-unit"
}

build_injector() {
	quietly "the injector of failures for $1" for_kernel "$1" "$REPO/tests/inject/build" "$BUILD/$1-inject"
}

# build_all FAMILY SCENARIO: all that a guest of this kernel takes along; the unit
# tests and the injector only for a scenario that loads them.
build_all() {
	mkdir -p "$BUILD" "$CACHE/log"
	exec {build_lock}>"$BUILD/lock"
	flock "$build_lock"
	[ ! -e "$REPO/tests/hfisim/main.c" ] || build_hfisim "$1"
	[ ! -e "$REPO/tests/lab/tidload.c" ] || build_tidload
	build_module "$1"
	! grep -q hfi1_tid_wait_test.ko "$2" || build_unit_tests "$1"
	! grep -q /lab/inject.sh "$2" || build_injector "$1"
	exec {build_lock}>&-
}
