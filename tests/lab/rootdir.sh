# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The root folder: Debian 13 with all tools, so that the host needs next to none.

SUITE=trixie
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# host_tools: what the host needs to make the root folder.
host_tools() {
	local tool
	for tool in apt-get dpkg unshare setpriv chroot; do
		command -v "$tool" >/dev/null ||
			die "this machine has no $tool; the lab runs on Debian 12 or 13"
	done
	command -v debootstrap >/dev/null && [ -e "$KEYRING" ] && return
	logged host-apt "installing debootstrap on this machine" host_install
	command -v debootstrap >/dev/null || die "apt did not install debootstrap; install it by hand"
}

host_install() {
	apt-get update -q &&
		DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
			debootstrap debian-archive-keyring
}

# can_unshare: containers often withhold the right to mount.
can_unshare() {
	unshare --mount --pid --fork true 2>/dev/null ||
		die "this machine does not allow mount namespaces (a container without CAP_SYS_ADMIN?); run the lab on a machine or VM that does"
}

bootstrap() {
	mkdir -p "$CACHE/debs"
	rm -rf "$ROOT.part"
	debootstrap --variant=minbase --keyring="$KEYRING" --cache-dir="$CACHE/debs" \
		${1:+--include="$1"} "$SUITE" "$ROOT.part" "$MIRROR"
}

# make_root: the bare Debian, in one step that either happened or did not.
make_root() {
	local include=
	[ ! -d "$ROOT" ] || return 0
	need_space 1000 "the root folder"
	case $MIRROR in https:*) include=ca-certificates ;; esac
	logged debootstrap "making a Debian $SUITE root folder from $MIRROR" bootstrap "$include"
	configure_root "$ROOT.part"
	rm -rf "$CACHE/debs"
	mv "$ROOT.part" "$ROOT"
}

configure_root() {
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod +x "$1/usr/sbin/policy-rc.d"
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/lab"
	printf '%s\n' 'path-exclude=/usr/share/man/*' 'path-exclude=/usr/share/locale/*' \
		'path-exclude=/usr/share/doc/*' >>"$1/etc/dpkg/dpkg.cfg.d/lab"
	echo 'APT::Install-Recommends "false";' >"$1/etc/apt/apt.conf.d/lab"
	echo 'Acquire::Retries "3";' >>"$1/etc/apt/apt.conf.d/lab"
	# as a normal user apt could not write to the cache folder
	echo 'APT::Sandbox::User "root";' >>"$1/etc/apt/apt.conf.d/lab"
}

# apt_sources: (re)write where apt looks, so that a changed MIRROR= counts.
apt_sources() {
	host_acquire >"$ROOT/etc/apt/apt.conf.d/host"
	sources "$SUITE" backports >"$ROOT/etc/apt/sources.list"
	sources bookworm >"$ROOT/etc/apt/bookworm.list"
}

# package_group NAME: what each group is for is what its name says. Packages that
# depend on a library of backports' version must come from backports themselves.
package_group() {
	local bpo=$SUITE-backports
	case $1 in
	guest) echo "qemu-system-x86/$bpo qemu-system-common/$bpo qemu-system-data/$bpo seabios/$bpo
		perftest ibverbs-utils infiniband-diags opa-fm opa-basic-tools
		busybox kmod iproute2 cpio xz-utils zstd" ;;
	build) echo "gcc-14 make libc6-dev libibverbs-dev binutils bc
		libelf-dev/$bpo libelf1t64/$bpo libdw1t64/$bpo bpftool/$bpo pahole libssl3t64" ;;
	build-6.1) echo "gcc-12" ;;
	build-kernel) echo "bison flex perl" ;;
	check) echo "sparse shellcheck clang libclang-rt-dev libcmocka-dev perl coccinelle spin clang-22" ;;
	*) die "no package group $1" ;;
	esac
}

# add_packages GROUP...: install what is not yet there.
add_packages() {
	local group list
	for group in "$@"; do
		list=$(package_group "$group" | xargs)
		! stamp_is "$ROOT/.lab-$group" "$list" || continue
		need_space 1200 "installing the $group packages"
		[ -n "${index_is_fresh:-}" ] || update_index
		logged "apt-$group" "installing packages to $group" install_packages "$list"
		stamp "$ROOT/.lab-$group" "$list"
	done
}

update_index() {
	logged apt-update "reading the package index" "$LAB/in-root" apt-get update -q --error-on=any
	index_is_fresh=yes
}

install_packages() {
	# shellcheck disable=SC2016,SC2086
	"$LAB/in-root" sh -c 'dpkg --configure -a && apt-get install -qy "$@" && apt-get clean' sh $1
}
