# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How a guest is started. Runs in the root folder.

BOOT_ARGS="console=ttyS0 panic=-1 oops=panic mitigations=off nokaslr log_buf_len=4M printk.devkmsg=on"

# kvm_works FAMILY: does a guest really run on KVM? In nested guests it often
# starts and then hangs, so boot one; the answer holds until the host reboots.
kvm_works() {
	local stamp=$CACHE/kvm.stamp boot
	[ "${LAB_KVM:-}" != no ] && [ -w /dev/kvm ] || return 1
	boot=$(cat /proc/sys/kernel/random/boot_id)
	if ! stamp_is "$stamp" "$boot yes" && ! stamp_is "$stamp" "$boot no"; then
		say "trying whether a guest runs on KVM"
		if (kvm_probe "$1") 2>/dev/null; then
			stamp "$stamp" "$boot yes"
		else
			stamp "$stamp" "$boot no"
			say "KVM does not work here; guests run on QEMU's own emulation"
		fi
	fi
	stamp_is "$stamp" "$boot yes"
}

# kvm_probe FAMILY: boot a guest whose first process says that it runs.
kvm_probe() {
	local dir=$CACHE/run/kvm-probe
	mkdir -p "$dir"
	tiny_initramfs "$dir" "$LAB/guest/kvm-probe" >"$dir/initramfs"
	timeout -s KILL 10 qemu-system-x86_64 -nodefaults -nographic -no-reboot -machine q35 \
		-accel kvm -cpu host -smp 2 -m 512M -serial "file:$dir/console.log" -serial "file:$dir/output.log" \
		-kernel "$CACHE/kernel/$1/vmlinuz" -initrd "$dir/initramfs" \
		-append "$BOOT_ARGS" >"$dir/qemu.log" 2>&1 </dev/null || true
	grep -qs 'KVM PROBE OK' "$dir/output.log"
}

# tiny_initramfs DIR INIT: the programs with another first process.
tiny_initramfs() {
	rm -rf "$1/tree"
	mkdir -p "$1/tree"
	cp "$2" "$1/tree/init"
	cat "$CACHE/image/user.cpio"
	(cd "$1/tree" && find . | cpio -o -H newc --quiet)
}

# qemu_args FAMILY DIR GUEST GUESTS MEMORY: set the array qemu_args.
qemu_args() {
	local fam=$1 dir=$2 guest=$3 guests=$4 memory=$5 hfi
	qemu_args=(-nodefaults -nographic -no-reboot -monitor none -machine "q35,memory-backend=ram"
		-object "memory-backend-memfd,id=ram,size=$memory,share=on" -m "$memory" -smp 2
		-kernel "$CACHE/kernel/$fam/vmlinuz" -initrd "$dir/initramfs$guest"
		-device "virtio-serial-pci,addr=0x8" -chardev "socket,id=ctl,path=$dir/ctl.sock"
		-device "virtserialport,chardev=ctl,name=hfisim.ctl")
	if kvm_works "$fam"; then
		qemu_args+=(-accel kvm -cpu host)
	else
		qemu_args+=(-accel "tcg,thread=multi" -cpu max)
	fi
	for ((hfi = guests > 1 ? guest : 0; hfi <= (guests > 1 ? guest : 1); hfi++)); do
		qemu_args+=(-device "{\"driver\":\"vfio-user-pci\",\"rombar\":0,\"addr\":\"0x1$hfi\",\"socket\":{\"type\":\"unix\",\"path\":\"$dir/hfi$hfi.sock\"}}")
	done
	[ "$guests" = 1 ] || net_args "$dir" "$guest"
}

# net_args DIR GUEST: a cable between the two guests.
net_args() {
	local end="server=off,reconnect-ms=200"
	[ "$2" = 1 ] || end="server=on"
	qemu_args+=(-netdev "stream,id=net,$end,addr.type=unix,addr.path=$1/net.sock"
		-device "virtio-net-pci,netdev=net,addr=0x9,mac=52:54:00:00:00:0$(($2 + 1))")
}
