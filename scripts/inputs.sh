# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a build of the module needs from this machine, and how to get what is
# missing. Sourced by scripts/build-module.
#
# Taken from the environment, found if empty:
#	KVER      kernel release to build for (default: the running one)
#	KDIR      its build folder (default: /lib/modules/KVER/build)
#	HFI1_KO   its hfi1 module, maybe compressed (default: the installed one)
#	BTF_BASE  its vmlinux, or /sys/kernel/btf/vmlinux
#	HFI1_SRC  its source tree: take hfi1's types from there
#	CC        the compiler (default: the one that built the kernel)

die() {
	echo "hfi1_tid_wait: $*" >&2
	exit 1
}

# distribution: debian, redhat or suse, after whose fashion packages are named.
distribution() {
	local ID='' ID_LIKE=''
	# shellcheck disable=SC1091
	[ ! -r /etc/os-release ] || . /etc/os-release
	case " $ID $ID_LIKE " in
	*" debian "* | *" ubuntu "*) echo debian ;;
	*" fedora "* | *" rhel "*) echo redhat ;;
	*suse*) echo suse ;;
	*) echo other ;;
	esac
}

# package WHAT: the name of the package that has it.
package() {
	case $(distribution):$1 in
	redhat:headers) echo "kernel-devel-$KVER" ;;
	suse:headers) echo "kernel-${KVER##*-}-devel" ;;
	*:headers) echo "linux-headers-$KVER" ;;
	redhat:hfi1) echo "kernel-modules-$KVER" ;;
	suse:hfi1) echo "kernel-${KVER##*-}" ;;
	*:hfi1) echo "linux-image-$KVER" ;;
	debian:xz) echo xz-utils ;;
	*) echo "$1" ;;
	esac
}

install_command() {
	case $(distribution) in
	debian) echo "apt install $*" ;;
	redhat) echo "dnf install $*" ;;
	suse) echo "zypper install $*" ;;
	*) echo "install $*" ;;
	esac
}

missing=()
packages=()

# lacks WHAT PACKAGE: note that something is missing.
lacks() {
	missing+=("$1")
	packages+=("$2")
}

# tool COMMAND PACKAGE
tool() {
	[ -n "$(type -P "$1")" ] || lacks "$1" "$(package "$2")"
}

find_kernel() {
	: "${KDIR:=}"
	if [ -n "$KDIR" ]; then
		[ -r "$KDIR/include/config/auto.conf" ] ||
			die "KDIR=$KDIR is not the build folder of a configured kernel"
		KVER=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' "$KDIR/include/generated/utsrelease.h")
		return
	fi
	: "${KVER:=$(uname -r)}"
	KDIR=/lib/modules/$KVER/build
	[ -r "$KDIR/include/config/auto.conf" ] ||
		lacks "the headers of kernel $KVER" "$(package headers)"
}

# config OPTION: is it on in that kernel?
config() {
	grep -qx "CONFIG_$1=y" "$KDIR/include/config/auto.conf"
}

find_compiler() {
	local built why=
	if [ -z "${CC:-}" ]; then
		why=", which built kernel $KVER"
		# such as "x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0"
		built=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\?\([^ "]*\).*/\1/p' \
			"$KDIR/include/config/auto.conf")
		CC=${built:-gcc}
		[ -n "$(type -P "$CC")" ] || CC=${CC##*linux-gnu-}
	fi
	[ -n "$(type -P "${CC%% *}")" ] ||
		lacks "the compiler $CC$why" "${CC%% *}"
}

# installed_hfi1: the file that modprobe would load.
installed_hfi1() {
	local found
	if [ -n "$(type -P modinfo)" ]; then
		found=$(modinfo -k "$KVER" -n hfi1 2>/dev/null || true)
		[ ! -f "$found" ] || { echo "$found"; return; }
	fi
	# depmod prefers these to the kernel's own
	find "/lib/modules/$KVER/"{updates,extra,kernel} -name 'hfi1.ko*' \
		2>/dev/null | sed -n 1p || true
}

find_hfi1() {
	if [ -n "${HFI1_KO:-}" ]; then
		[ -r "$HFI1_KO" ] || die "HFI1_KO=$HFI1_KO cannot be read"
	else
		HFI1_KO=$(installed_hfi1)
		[ -n "$HFI1_KO" ] ||
			lacks "the hfi1 module of kernel $KVER" "$(package hfi1)"
	fi
	case $HFI1_KO in
	*.xz) tool xz xz ;;
	*.zst) tool zstd zstd ;;
	*.gz) tool gzip gzip ;;
	esac
}

# find_private: the folder with hfi1's headers, in HFI1_PRIVATE.
find_private() {
	HFI1_PRIVATE=
	[ -n "${HFI1_SRC:-}" ] || return 0
	for HFI1_PRIVATE in "$HFI1_SRC/drivers/infiniband/hw/hfi1" "$HFI1_SRC"; do
		if [ -r "$HFI1_PRIVATE/tid_rdma.h" ]; then
			HFI1_PRIVATE=$(realpath "$HFI1_PRIVATE")
			return
		fi
	done
	die "HFI1_SRC=$HFI1_SRC has no drivers/infiniband/hw/hfi1/tid_rdma.h: give the source tree of kernel $KVER"
}

# find_base: BTF of the kernel itself; empty if there is none.
find_base() {
	local file
	if [ -n "${BTF_BASE:-}" ]; then
		[ -r "$BTF_BASE" ] || die "BTF_BASE=$BTF_BASE cannot be read"
		return
	fi
	local places=("$KDIR/vmlinux" "/usr/lib/debug/boot/vmlinux-$KVER"
		"/usr/lib/debug/lib/modules/$KVER/vmlinux")
	[ "$KVER" != "$(uname -r)" ] ||
		places=(/sys/kernel/btf/vmlinux "${places[@]}")
	for file in "${places[@]}"; do
		[ ! -r "$file" ] || { BTF_BASE=$file; return; }
	done
	BTF_BASE=
}

# find_inputs: all of it, or one line on what is missing.
find_inputs() {
	find_kernel
	[ ${#missing[@]} -gt 0 ] || find_compiler
	find_hfi1
	find_private
	tool make make
	tool nm binutils
	[ -n "$HFI1_PRIVATE" ] || tool bpftool bpftool
	if [ ${#missing[@]} -gt 0 ]; then
		local list
		list=$(printf ', %s' "${missing[@]}")
		die "missing: ${list:2}. To get it: $(install_command "${packages[@]}")"
	fi
	config LIVEPATCH ||
		die "kernel $KVER is built without CONFIG_LIVEPATCH, so no module can take over functions of its hfi1: boot a kernel that has it"
	find_base
}
