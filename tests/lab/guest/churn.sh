# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# QPs that end at random moments, beside others that go on. After traffic.sh.

# unreclaimable: kernel memory in use, KiB; rings of segments are among it.
unreclaimable() {
	echo 2 >/proc/sys/vm/drop_caches
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

memory_below() {
	[ "$(unreclaimable)" -lt "$1" ]
}

qps_above() {
	[ "$(qps_there)" -gt "$1" ]
}

# bounces QPS: once there are more than so many QPs, take the link down and up for as
# long as the file is there.
bounces() {
	local n=0
	wait_until 60 qps_above "$1" || return
	while [ -e /tmp/bounce ]; do
		hfisimctl link 0 down >/dev/null
		wait_until 20 ports_are DOWN || return
		hfisimctl link 0 up >/dev/null
		wait_until 60 ports_are ACTIVE || return
		n=$((n + 1))
		echo $n >/tmp/bounces
		sleep 3
	done
}

# churning CALM KILLED BOUNCED: so many pairs of QPs are ended at random moments; then
# so many while their processes are killed, and while the link goes down and up.
churning() {
	local qps memory bouncer
	local options="--qps 48 --depth 4 --timeout 13 --deadline 100"
	begin
	qps=$(qps_there)
	stream --op read --qps 4 --depth 1 --size 256K --check --timeout 14 --deadline 100
	stream_moves || bail "traffic runs beside it" "$(cat /tmp/stream.log)"
	memory=$(unreclaimable)
	# shellcheck disable=SC2086
	traffic "$1 pairs of QPs end at random moments" churn $options --qps-total "$1"
	# shellcheck disable=SC2086
	traffic "$2 pairs more, and processes are killed" churn $options --qps-total "$2" --kill 4
	: >/tmp/bounce
	bounces $((qps + 8)) &
	bouncer=$!
	# shellcheck disable=SC2086
	traffic "$3 pairs more, and the link goes down" churn $options --qps-total "$3" --outages
	rm /tmp/bounce
	wait $bouncer
	check "the link came back each time" test $? = 0
	check "it went down several times" test "$(cat /tmp/bounces)" -gt 2
	stream_ends "the QPs beside them met no failure and no wrong byte"
	note "$(tid_state)"
	check "QPs waited hundreds of times" column_above waits 300
	check "QPs were ended while they waited" column_above flushed 0
	nothing_left
	no_late_write
	note "$(($(unreclaimable) - memory)) KiB more of kernel memory are in use"
	check "no kernel memory is lost" wait_until 10 memory_below $((memory + 2048))
	check "no QP is left" wait_until 10 qps_are "$qps"
	check "the module leaves" tid_wait_unload
}
