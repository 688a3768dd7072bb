#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --equivalence=observers: fewer executions, the same ends. Random programs are compared in search.bats.

load helpers/common

# explore PROGRAM EQUIVALENCE [OPTION...]
explore() {
	local program=$1 equivalence=$2
	shift 2
	rm -rf run
	"$LINCHPIN" run -q --check none --max-time 0 --equivalence "$equivalence" "$@" --json "$equivalence.json" -o run -- \
		"$program" >out 2>&1 || [ $? -eq 1 ]
	[ "$(json "$equivalence.json" complete)" = true ]
}

@test "the order of writes that nobody sees is not searched" {
	local search

	for search in dpor auto; do
		explore "$BUILD/oracles/lastwrite-N7" observers --search "$search"
		[ "$(json observers.json executions)" -eq 7 ]
		[ "$(json observers.json classes)" -eq 7 ]
	done
	explore "$BUILD/oracles/lastwrite-N7" mazurkiewicz
	[ "$(json mazurkiewicz.json classes)" -eq 5040 ]
	explore "$BUILD/oracles/control_flow-N6" observers
	[ "$(json observers.json executions)" -lt 10000 ]
}

@test "by itself where nothing needs each class, and each class where repairs do" {
	"$LINCHPIN" run -q --check none --json fine.json -o fine -- "$BUILD/oracles/lastwrite-N7" >out 2>&1
	[ "$(json fine.json classes)" -eq 7 ]
	gcc -g -w -O1 -fsanitize=thread -DWHERE=0 -c "$PROGRAMS/written_in_turn.c" -o w.o
	gcc w.o -o w -L"$BUILD" -llinchpin -Wl,-rpath,"$BUILD" -pthread
	run "$LINCHPIN" run --check none --json wrong.json -o wrong -- ./w
	[ "$status" -eq 1 ]
	[[ $output != *"writes that nobody sees"* ]]
	[[ $output != *"--equivalence=mazurkiewicz"* ]]
	run "$LINCHPIN" run -q --check none --json each.json --equivalence mazurkiewicz -o each -- ./w
	[ "$(json wrong.json classes)" -eq "$(json each.json classes)" ]
	"$LINCHPIN" run -q --json any.json --max-executions 100 -o any -- "$BUILD/oracles/lastwrite-N7" >out 2>&1 || true
	[ "$(json any.json executions)" -eq 100 ]
}

@test "whoever sees a write, what it leads to is found" {
	local where

	for where in 0 1 2 3 4; do
		gcc -g -w -O1 -fsanitize=thread -DWHERE=$where -c "$PROGRAMS/written_in_turn.c" -o "w$where.o"
		gcc "w$where.o" -o "w$where" -L"$BUILD" -llinchpin -Wl,-rpath,"$BUILD" -pthread
		explore "$PWD/w$where" mazurkiewicz
		explore "$PWD/w$where" observers
		echo "$where: $(json mazurkiewicz.json executions) $(json observers.json executions)"
		[ "$(json mazurkiewicz.json abort)" = "" ] || [ "$(json observers.json abort)" -ge 1 ]
		[ "$(json observers.json abort)" = "" ] || [ "$(json mazurkiewicz.json abort)" -ge 1 ]
		[ "$(json observers.json executions)" -le "$(json mazurkiewicz.json executions)" ]
		[ $where -eq 4 ] || [ "$(json observers.json abort)" -ge 1 ]
	done
}

@test "what needs each class is refused" {
	local program

	program=$(build written_in_turn)
	run "$LINCHPIN" run --equivalence observers -o run -- "$program"
	[ "$status" -eq 2 ]
	[[ $output == *"needs --check=outcome or --check=none"* ]]
	run "$LINCHPIN" run --equivalence observers --check none --races -o run -- "$program"
	[ "$status" -eq 2 ]
	[[ $output == *"--races looks at every class: it needs --equivalence=mazurkiewicz"* ]]
}

@test "the report says what it means, and how to get repairs" {
	gcc -g -w -O1 -fsanitize=thread -DWHERE=0 -c "$PROGRAMS/written_in_turn.c" -o w.o
	gcc w.o -o w -L"$BUILD" -llinchpin -Wl,-rpath,"$BUILD" -pthread
	run "$LINCHPIN" run --equivalence observers --check none -o run -- ./w
	[ "$status" -eq 1 ]
	[[ $output == *"(writes that nobody sees are in no order)"* ]]
	[[ $output == *"--equivalence=mazurkiewicz for repairs, which need each class"* ]]
}
