#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#: what  over 20 000 packets that no peer has sent: the kernel stays up, honest QPs go on, nothing is written outside a grant
#: timeout 500
. /lab/lib.sh
. /lab/traffic.sh

VICTIMS=0-3

all_told() {
	counter_is 0 lies.left 0 && counter_is 1 lies.left 0
}

# told: lies told so far.
told() {
	echo $(($(counter 0 lies.told) + $(counter 1 lies.told)))
}

# order NAME HFI WORD...: begin to tell lies to one HFI.
order() {
	local answer
	answer=$(hfisimctl lie "${@:2}" 2>&1) || bail "$1" "lie ${*:2}: $answer"
	note "$1: lie ${*:2}: $answer"
}

# end NAME COUNT: until that many have been told since the count was taken.
end() {
	wait_until 90 all_told || note "$(counter 0 lies.left) and $(counter 1 lies.left) are left"
	check "$1: $2 lies" test $(($(told) - before)) = "$2"
	before=$(told)
}

# both NAME COUNT WORD...: lies to both HFIs.
both() {
	order "$1" 0 "${@:2}"
	order "$1" 1 "${@:2}"
	end "$1" $(($2 * 2))
}

# victims_of HFI: the numbers of its QPs, as lie wants them.
victims_of() {
	local qp answer list=
	for qp in 0 1 2 3; do
		answer=$(step number $qp "$1") || bail "the number of QP $qp"
		list+=,${answer#ok }
	done
	echo "${list#,}"
}

# sum_up NAME: of what a victim was asked for all has ended, one way or the other.
sum_up() {
	local answer
	answer=$(step wait $VICTIMS 90)
	note "$1: $answer"
	case $answer in
	ok*"pending 0") pass "$1: each request of the victims has ended" ;;
	*) fail "$1: each request of the victims has ended" "$answer" ;;
	esac
}

# as_new: the victims are reset and connected anew, and serve.
as_new() {
	local op answer before
	must state $VICTIMS 0 reset
	must state $VICTIMS 1 reset
	must connect $VICTIMS
	before=$(step wait $VICTIMS 1)
	for op in write read; do
		must post $VICTIMS $op 1M
		answer=$(step wait $VICTIMS 60)
		[[ $answer == *"failed 0 wrong 0 pending 0" ]] ||
			fail "$1: the victims are as new after a reset" "$op: $before, $answer"
	done
}

# to_victims NAME COUNT HFI WORD...: begin to tell lies to the victims of one HFI.
to_victims() {
	order "$1" "$3" "$2" "${@:4}" "qp=$(victims_of "$3")"
}

# in_flight OP HFI KIND: the victims' requests, whose data is held at HFI.
in_flight() {
	hfisimctl hold "$2" "$3" >/dev/null
	must post $VICTIMS "$1" 1M
	wait_until 20 counter_above "$2" held 0 || bail "$1 is held"
}

let_go() {
	hfisimctl release 0 >/dev/null
	hfisimctl release 1 >/dev/null
	sum_up "$1"
	as_new "$1"
}

# The victims of HFI 0 send WRITEs, those of HFI 1 receive them.

begin
before=0
stream --op both --qps 4 --depth 2 --size 1M --check
stream_moves || bail "the honest QPs move data"
both "QPs that nobody has, made up" 4000 from=random seed=1
both "QPs that nobody has, distorted" 4000 from=real seed=2
both "one behind three packets" 2000 every=3 seed=3
both "QPs of the subnet manager" 1000 qp=0-1 seed=4
check "the honest QPs still move data" stream_moves

steps --qps 4 --depth 4 --timeout 12 --deadline 60
must make $VICTIMS 1M scattered
must post $VICTIMS write 1M
must post $VICTIMS read 1M
sum_up "before any lie"
to_victims "idle victims" 600 0 seed=10
to_victims "idle victims" 600 1 seed=11
end "idle victims" 1200
must post $VICTIMS read 1M
must post $VICTIMS write 1M
let_go "idle victims"
check "the honest QPs still move data, with victims beside them" stream_moves
stream_ends "honest QPs: none failed, no byte was wrong"
no_late_write

# A lie that ends a segment before its time makes the rest of it come late: the
# victims are alone with that. e1, e4 and e5 soon put a QP into error, which takes no
# more of them: they are not in each round.
round=0
while read -r opcodes; do
	round=$((round + 1))
	in_flight read 0 read_resp
	to_victims "READs" 150 0 seed=2$round way=eager "opcode=$opcodes"
	to_victims "READs" 150 1 seed=3$round way=eager "opcode=$opcodes"
	end "READs" 300
	let_go "READs"
	in_flight write 1 write_data
	to_victims "WRITEs" 150 0 seed=4$round way=eager "opcode=$opcodes"
	to_victims "WRITEs" 150 1 seed=5$round way=eager "opcode=$opcodes"
	end "WRITEs" 300
	let_go "WRITEs"
	in_flight read 0 read_resp
	to_victims "READs, also into their grants" 150 0 seed=6$round way=expected hits "opcode=$opcodes"
	end "READs, also into their grants" 150
	let_go "READs, also into their grants"
	in_flight write 1 write_data
	to_victims "WRITEs, also into their grants" 150 1 seed=7$round way=expected hits "opcode=$opcodes"
	end "WRITEs, also into their grants" 150
	let_go "WRITEs, also into their grants"
done <<END
0xe0,0xe2-0xe3,0xe6-0xff
0xe1
0xe4
0xe5
0xe0-0xff
END
note "$before lies: $(hfisimctl counters | grep -o '"lies":{[^}]*}')"
check "over 20 000 lies were told" test "$before" -gt 20000
check "lies hit grants" test $(($(counter 0 lies.in_grant) + $(counter 1 lies.in_grant))) -gt 0
steps_over "tidload ends"
nothing_left
traffic "honest QPs are served afterwards" load --op both --qps 4 --size 1M --check --operations 40
