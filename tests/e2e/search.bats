#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every reduction against plain depth-first search, on programs drawn from a seed (programs/random_ops.c).

load helpers/common

# explore SEARCH SEED FEATURES [OPTION...]
explore() {
	local search=$1 seed=$2 features=$3
	shift 3
	rm -rf run
	"$LINCHPIN" run -q --instrument none --search "$search" --check none --max-time 0 "$@" --json "$search.json" -o run -- \
		"$(build random_ops)" "$seed" "$features" >/dev/null 2>"$search.err" || [ $? -eq 1 ] ||
		grep -q 'vacuous test' "$search.err" || { cat "$search.err"; return 1; }
}

# The outcomes object on one line.
outcomes() {
	tr -d ' \n' <"$1.json" | sed 's/.*"outcomes":{\([^}]*\)}.*/\1/'
}

# bounded SEED FEATURES: searches bound by bound find the same as depth-first search, if they are finished soon.
bounded() {
	local search

	for search in bounded delayed; do
		explore $search "$1" "$2" --max-executions 3000
		[ "$(json $search.json complete)" = true ] || continue
		[ "$(json $search.json classes)" -eq "$(json dfs.json classes)" ]
		[ "$(outcomes $search)" = "$(outcomes dfs)" ]
	done
}

# agree FEATURES FIRST LAST: dynamic partial order reduction finds as many classes with the same outcomes as depth-first
# search, and runs none twice; random search finds no other.
agree() {
	local seed compared=0

	for seed in $(seq "$2" "$3"); do
		explore dfs "$seed" "$1" --max-executions 200000
		grep -q 'vacuous test' dfs.err && continue	# the threads have nothing in common
		[ "$(json dfs.json complete)" = true ] || continue	# too many for depth-first search
		explore dpor "$seed" "$1"
		explore source "$seed" "$1"
		[ "$(json source.json complete)" = true ]
		[ "$(json source.json classes)" -eq "$(json dpor.json classes)" ]
		[ "$(outcomes source)" = "$(outcomes dpor)" ]
		explore random "$seed" "$1" --max-executions 300
		bounded "$seed" "$1"
		echo "seed $seed: dfs $(json dfs.json classes) $(outcomes dfs)," \
			"dpor $(json dpor.json classes) $(outcomes dpor), random $(json random.json classes)"
		[ "$(json dpor.json complete)" = true ]
		[ "$(json dfs.json classes)" -eq "$(json dpor.json classes)" ]
		[ "$(outcomes dfs)" = "$(outcomes dpor)" ]
		[ "$(json random.json classes)" -le "$(json dfs.json classes)" ]
		compared=$((compared + 1))
	done
	[ "$compared" -ge 4 ]
}

@test "plain accesses, atomics and compare-exchange" {
	agree pac 1 12
}

@test "mutexes, with deadlocks" {
	agree m 1 12
}

@test "trylock and timedlock" {
	agree t 1 16
}

@test "reader-writer locks" {
	agree rp 1 12
}

@test "semaphores" {
	agree s 1 30
}

@test "condition variables" {
	agree w 1 12
}

@test "barriers and once" {
	agree bo 1 10
}

@test "futexes" {
	agree f 1 8
	agree fq 1 8
	agree lf 5 9
}

@test "signals and cancellation" {
	agree k 11 17
	agree kms 1 8
	agree z 1 10
	agree zmwf 1 8
}

@test "all kinds mixed" {
	agree pacmtrs 1 12
}

@test "exit in a thread" {
	agree ax 1 10
	agree mx 5 14
}

@test "detached threads" {
	agree da 1 8
}

@test "random programs of every kind of event come to what a model of every state finds" {
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -x 600 1 300
	"$BUILD/tests/fuzz-search" -k -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -x 600
}

@test "random programs that write more than they read come to what a model of every state finds" {
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -w -x 1500 1 40
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -w -x 1500 119 1
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -w -x 1500 198 1
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -y -x 600 1 40
}

@test "random programs that pass a block of the heap around come to what a model of every state finds" {
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -b -x 600 1 40
	# Frees and what comes between them and the next use, or allocation, of the block.
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -b 347 1
	"$BUILD/tests/fuzz-search" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -b 80 1
}

# found NAME[-MACRO] OUTCOME...: all three searches find these ends, as many classes of each, and the same number of classes.
# They are complete, or not (COMPLETE=false).
found() {
	local name=$1 program=$BATS_FILE_TMPDIR/$1 outcome search
	shift
	[ -x "$program" ] || gcc -g -w -O2 -pthread -D"${name#*-}" "$PROGRAMS/dependence/${name%-*}.c" -o "$program"
	for search in source dpor dfs; do
		"$LINCHPIN" run -q --search "$search" --check none --max-time 0 --json "$search.json" -o run -- "$program" >out || true
		[ "$(json "$search.json" complete)" = "${COMPLETE:-true}" ]
		for outcome in "$@"; do
			[ "$(json "$search.json" "$outcome")" -ge 1 ]
		done
	done
	echo "$name: dfs $(json dfs.json classes) $(outcomes dfs), dpor $(json dpor.json classes) $(outcomes dpor)"
	[ "$(outcomes dfs)" = "$(outcomes dpor)" ]
	[ "$(outcomes dfs)" = "$(outcomes source)" ]
}

@test "locks that are tried, semaphores that are asked, what is made late, second time-outs" {
	found try_read_try_write assert ok
	found try_read_result assert ok
	found try_write_twice assert ok
	found writer_leaves assert ok
	found try_lost deadlock ok
	[ "$(json dpor.json classes)" -eq 14 ]
	found try_lock_twice_each ok
	found try_and_keep deadlock ok
	found lock_fails_try-MUTEX assert ok
	found lock_fails_try-RWLOCK assert ok
	found lock_fails_try-SPIN assert ok
	found semaphore_value assert ok
	found semaphore_try assert ok
	found semaphore_made_late ok
	COMPLETE=false found mtx_made_late abort misuse
	found condition_made_late ok
	found condition_twice abort ok
}

@test "what is known of steps that are made again is known as if they were new" {
	found many_places assert ok
	[ "$(json dpor.json classes)" -eq 3 ]
	found processor_time ok
	[ "$(json dpor.json ok)" -eq 2 ]
	[ "$(json dpor.json classes)" -eq 2 ]
}

@test "whole tables and large blocks, then parts of them" {
	found large_range-SET assert ok
	[ "$(json dpor.json classes)" -eq 2 ]
	found large_range-COPIED assert ok
	[ "$(json dpor.json classes)" -eq 2 ]
	found large_range-GIVEN use-after-free ok
	[ "$(json dpor.json classes)" -eq 3 ]
}

@test "how much of a string is read follows from what was written, not from when the call began" {
	for what in LENGTH COMPARED COPIED FOUND; do
		found strings-$what ok
	done
	# each length, with the handler before and after the reading
	found strings_interrupted abort exit ok
	[ "$(json dfs.json exit)" -eq 2 ]
	[ "$(json dfs.json abort)" -eq 2 ]
}

@test "what lets threads go on when nobody can does so in each execution" {
	local classes= search
	gcc -g -O2 -pthread -o p "$PROGRAMS/timer_first.c"
	for search in dfs source dpor; do
		run "$LINCHPIN" run --check=none --search=$search -o $search --json=$search.json -- ./p
		[ "$status" -eq 0 ]
		[[ $output != *"blocked in a system call"* ]]
		classes=${classes:-$(json $search.json classes)}
		[ "$classes" -gt 100 ]
		[ "$(json $search.json classes)" -eq "$classes" ]
	done
}
