#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The specification `self`: what the structure does when its operations run one at a time.

load helpers/common

STRUCTURES=$BUILD/structures

# same_verdicts STRUCTURE: every client of the expectations that has at most 1,000 classes and meets no limit, in the variant they are about and in the
# correct one, has the same histories that are not allowed, and the same number of classes with one, by `self` as by the built-in
# specification: as `--spec self` of a program with marks and hooks, and from a specification file for a plain one.
same_verdicts() {
	local variant client program plain cases=0 bad=0 status_adt status_self

	sed 's/^object .*/object self/' "$ROOT/structures/$1/$1.lin" >self.lin
	while IFS=$'\t' read -r variant client; do
		for program in "$STRUCTURES/$1-$variant" "$STRUCTURES/$1-correct"; do
			status_adt=0 status_self=0
			"$LINCHPIN" run -q -o adt --json adt.json -- "$program" "$client" >/dev/null || status_adt=$?
			"$LINCHPIN" run -q -o self --json self.json -- "$program" --spec self "$client" >/dev/null ||
				status_self=$?
			"$LINCHPIN" report --histories adt >adt.histories || [ $? -eq 1 ]
			"$LINCHPIN" report --histories self >self.histories || [ $? -eq 1 ]
			echo "$program $client: $status_adt $status_self"
			[ "$status_adt" -eq "$status_self" ]
			cmp adt.histories self.histories
			[ "$(json adt.json nonlinearizable)" = "$(json self.json nonlinearizable)" ]
			[ "$(json adt.json classes)" = "$(json self.json classes)" ]
			plain=./$(basename "$program")
			[ -x "$plain" ] || plain_build "$1" "${plain##*-}"
			"$LINCHPIN" run -q -o plain --json plain.json --spec self.lin -- "$plain" "$client" >/dev/null ||
				[ $? -eq "$status_adt" ]
			"$LINCHPIN" report --histories plain >plain.histories || [ $? -eq 1 ]
			cmp adt.histories plain.histories
			[ "$(json adt.json nonlinearizable)" = "$(json plain.json nonlinearizable)" ]
			cases=$((cases + 1))
			bad=$((bad + (status_self == 1)))
		done
	done < <(awk '/^case /{n=""} /^variant /{v=$2} /^client /{sub(/^client /, ""); c=$0} /^classes /{n=$2} /^met /{n=""}
		(/^$/ || /^repair/) && n ~ /^[0-9]+$/ && n <= 1000 {print v "\t" c; n=""}' "$ROOT/structures/$1/$1.expect")
	[ "$cases" -gt 0 ]
	[ $((bad * 2)) -eq "$cases" ]
}

# plain_build STRUCTURE VARIANT: as anybody would compile it, without marks.
plain_build() {
	local macros
	case $2 in
	correct) macros= ;;
	both) macros='-DFAULTY_ADD -DFAULTY_REMOVE' ;;
	*) macros=-DFAULTY_${2^^} ;;
	esac
	# shellcheck disable=SC2086
	gcc -g -O2 -DUNMARKED $macros -pthread -o "$1-$2" "$ROOT/structures/$1/$1.c" "$ROOT/structures/$1/client.c" \
		"$ROOT/structures/client.c"
}

@test "self and the built-in specification agree on every class: array stack" {
	same_verdicts array_stack
}

@test "self and the built-in specification agree on every class: coarse list" {
	same_verdicts coarse_list
}

@test "self and the built-in specification agree on every class: optimistic list" {
	same_verdicts optimistic_list
}

# The first client of each variant. That `self` allows more is right only where the operations are wrong one at a time, too.
@test "self and the built-in specification agree on classes of every structure" {
	local expect structure variant client program way status_adt status_self cases=0 sequential=0
	declare -A specification=([adt]='' [self]='--spec self')
	for expect in "$ROOT"/structures/*/*.expect; do
		structure=$(basename "$expect" .expect)
		while IFS=$'\t' read -r variant client; do
			for program in "$STRUCTURES/$structure-$variant" "$STRUCTURES/$structure-correct"; do
				for way in adt self; do
					declare "status_$way=0"
					"$LINCHPIN" run --max-time=0 --search=dpor --max-executions=200 -o $way -- "$program" \
						${specification[$way]} "$client" >$way.report || declare "status_$way=$?"
					"$LINCHPIN" report --histories $way >$way.histories || [ $? -eq 1 ]
				done
				echo "$program $client: $status_adt $status_self"
				[ "$status_adt" -eq "$status_self" ]
				cases=$((cases + 1))
				if grep -q 'wrong even one at a time' adt.report; then
					sequential=$((sequential + 1))
				else
					cmp adt.histories self.histories
				fi
			done
		done < <(awk '/^variant /{v=$2} /^client / && !seen[v]++ {sub(/^client /, ""); print v "\t" $0}' "$expect")
	done
	[ "$cases" -ge $((2 * $(ls "$ROOT"/structures/*/*.expect | wc -l))) ]
	[ "$sequential" -le 1 ]
}

@test "--spec self is for objects without a specification; a report makes the sequential executions it needs" {
	program=$(build unmarked_object)
	"$LINCHPIN" run -q --check none -o r -- "$program"
	[ ! -e r/self ]
	run "$LINCHPIN" report --check lin --spec self r
	echo "$output"
	[ "$status" -eq 1 ]
	[ -s r/self/trace ]
	[[ $output == *'runs one operation at a time'* || $output == *'not linearizable'* ]]
	run "$LINCHPIN" report --check outcome --spec self r
	[ "$status" -eq 1 ]
	# The directory can be used again.
	"$LINCHPIN" run -q --check none -o r -- "$program"
	[ ! -e r/self ]
}

@test "an operation that waits is possible only where it need not wait" {
	program=$(build blocking)
	run "$LINCHPIN" run -o r --spec self -- "$program"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'all '*' classes'* ]]
	"$LINCHPIN" report --check none --histories r/self >sequential || [ $? -eq 1 ]
	cat sequential
	# take() first: it never returns, and nothing else begins.
	grep -q 'take()=?' sequential
	grep -q 'take()=5' sequential
}

@test "self needs a program" {
	printf '0 1 2 add(1) -> 1\n' >h.txt
	run "$LINCHPIN" check --adt self h.txt
	[ "$status" -eq 2 ]
	[[ $output == *'one operation at a time'* ]]
}

# plain NAME: compiled as anybody would.
plain() {
	gcc -g -O2 -pthread "-I$ROOT/include" -o "$1" "$PROGRAMS/$1.c"
}

@test "executions that come to the same state go on once: orders without number take few executions" {
	plain bumps
	printf 'object self\nop add(key) -> int : set_add(this, key)\n' >bumps.lin
	for rounds in 2 4 8; do
		"$LINCHPIN" run -q --max-executions=20 -o r -- ./bumps $rounds
		"$LINCHPIN" report --json r.json --check none r/self >/dev/null
		[ "$(json r.json complete)" = true ]
		# Without that, 8 rounds have more than 10^9 orders.
		[ "$(json r.json executions)" -lt $((40 * rounds * rounds + 200)) ]
		[ "$(wc -l <r/self/states)" -eq "$(json r.json classes)" ]
	done
	# The same again.
	mv r first
	"$LINCHPIN" run -q --max-executions=20 -o r -- ./bumps 8
	cmp first/self/states r/self/states
	cmp first/self/trace r/self/trace
}

@test "a budget of time bounds sequential executions, too; what was not seen is unknown" {
	plain slow
	run "$LINCHPIN" run --max-time=1 -o r --json r.json -- ./slow
	echo "$output"
	[ "$status" -eq 0 ]
	# All of them would take hours. On a slow machine not even one of the executions comes to its end.
	[[ $output == *'limit:    only '*' sequential execution'*', not all'* || $output == *'nothing is known'* ]]
	[ "$(json r.json nonlinearizable)" -eq 0 ]
}
