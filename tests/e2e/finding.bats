#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches find faults of different kinds (bench/search) within a budget; the table of docs/search.md has more.

load helpers/common

# finds SEARCH SEED EXECUTIONS PROGRAM [ARGUMENT]: the fault is found, and the report knows in which execution.
finds() {
	local search=$1 seed=$2 most=$3 first
	shift 3
	"$LINCHPIN" run -q --check none --search "$search" --seed "$seed" --max-executions "$most" --stop-at 1 --json j -o d -- \
		"$BUILD/bench/search/$1" "${@:2}" >out && return 1
	rm -rf d
	first=$(json j first_failure)
	echo "$search, seed $seed, $*: execution $first"
	[ "$first" -ge 1 ]
	[ "$first" -eq "$(json j executions)" ]
	[ "$(json j complete)" = false ]
}

@test "random search finds faults of every kind" {
	for seed in 1 2; do
		finds random $seed 10000 reorder 10
		finds random $seed 10000 reorder 20
		finds random $seed 10000 wronglock
		finds random $seed 10000 bluetooth
		finds random $seed 10000 account
		finds random $seed 10000 chain
		finds random $seed 10000 window
		finds random $seed 10000 wsq
	done
	finds random 1 10000 twostage 6
}

@test "each of its parts finds what it is good at" {
	finds walk 1 10000 bluetooth
	finds pct 1 10000 window
	finds pos 1 10000 chain
	finds surw 1 10000 reorder 20
	finds surw 1 600 chain
	finds surw 1 600 twostage 60
}

@test "random search sets out from where something rare happened" {
	for seed in 1 2 3; do
		finds random $seed 100000 safestack
	done
}

@test "a priority search says with what probability it finds a fault" {
	run "$LINCHPIN" run --check none --search pct --max-executions 100 -o d -- "$BUILD/bench/search/wsq"
	[[ $output == *'bound:'*'the limit on executions was reached: '*'; each execution meets a fault of depth 3 with probability 1/'* ]]
	[[ $output == *' or more ('[0-9]*' threads, '[0-9]*' steps on shared memory)'* ]]
}

@test "--stop-at counts ends with an error" {
	run "$LINCHPIN" run --check none --search random --max-executions 10000 --stop-at 3 --json j -o d -- "$BUILD/bench/search/wsq"
	[ "$status" -eq 1 ]
	[[ $output == *'bound:'*'the search was to stop here (--stop-at): '* ]]
	[ "$(json j assert)" -eq 3 ]
}

@test "the default search finishes what can be finished, and counts each class once" {
	"$LINCHPIN" run -q --check none --max-time 0 --json j -o d -- "$BUILD/oracles/treiber-N3" >out || [ $? -eq 1 ]
	[ "$(json j complete)" = true ]
	[ "$(json j classes)" -eq 25680 ]
	[ "$(json j exit)" -eq 23040 ]
	[ "$(json j executions)" -gt 25680 ]
}

@test "the default search finds faults of clients that it cannot finish" {
	finds auto 1 40000 window
	finds auto 2 40000 reorder 20
	run "$LINCHPIN" run --check none --max-executions 1000 -o e -- "$BUILD/bench/search/safestack"
	[[ $output == *'bound:'*'the limit on executions was reached: '*'; 2'[0-9][0-9]' of 1,000 executions were drawn at random'* ]]
}

@test "searches bound by bound find what needs few switches, and say how far they have come" {
	finds bounded 1 10000 wsq
	finds delayed 1 10000 bluetooth
	run "$LINCHPIN" run --check none --search bounded --max-executions 2000 -o e -- "$BUILD/bench/search/wsq"
	[[ $output == *'bound:'*'the limit on executions was reached: '*'; every class with at most '[1-9]*' preemption'*' is among them'* ]]
	run "$LINCHPIN" run --check none --search delayed --json j -o f -- "$(build counter)" racy 2 1
	[ "$(json j complete)" = true ]
	[[ $output == *'bound:'*'all '* ]]
}
