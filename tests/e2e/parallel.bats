#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches in parts: -j, --resume, --shard, merge (docs/parallel.md). LINCHPIN_TEST_PART makes parts of so few executions that
# small programs have many.

load helpers/common

files="trace modules frontier"

# explore DIR OPTION... -- PROGRAM...
explore() {
	local dir=$1

	shift
	"$LINCHPIN" run -q --check=none --prove=0 --max-time=0 --json="$dir.json" -o "$dir" "$@" >/dev/null || [ $? -eq 1 ]
}

# facts JSON: how many classes there are of each kind of end, and whether these are all.
facts() {
	python3 - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
print(d["complete"], d["classes"], sorted(d["outcomes"].items()))
END
}

same() {
	for file in $files; do
		cmp "$1/$file" "$2/$file"
	done
}

@test "a search in parts finds the classes of the whole one, whatever the number of processes" {
	while read -r part search program; do
		explore whole --search="$search" -- "$BUILD/oracles/$program"
		for n in 1 3; do
			LINCHPIN_TEST_PART=$part explore $n --search="$search" -j$n -- "$BUILD/oracles/$program"
			facts whole.json >whole.facts
			facts $n.json | diff whole.facts -
		done
		same 1 3
		rm -rf whole 1 3
	done <<-END
		300 dpor fib-K4
		20 source mutex-N3-K2
		60 dfs cas_increment-N2-K2
		100 dpor gadget-G4
		40 dpor mcs-N3
	END
}

@test "the classes are the same, not only their number" {
	explore whole --search=dpor -- "$BUILD/oracles/fib-K2"
	LINCHPIN_TEST_PART=5 explore d --search=dpor -j2 -- "$BUILD/oracles/fib-K2"
	all_traces whole | sort >whole.traces
	all_traces d | sort | diff whole.traces -
	[ "$(sort -u whole.traces | wc -l)" -eq 19 ]
}

@test "random programs: parts of three executions find what the whole search finds" {
	mkdir fuzz
	"$BUILD/tests/fuzz-search" -c "$LINCHPIN" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -x 600 2000 12
}

@test "a random search draws the same whatever the number of processes, and as often as it may" {
	for n in 1 3; do
		explore $n --search=random --max-executions=12000 -j$n -- "$BUILD/oracles/treiber-N2"
		[ "$(json $n.json executions)" -eq 12000 ]
	done
	same 1 3
	cmp 1/keys 3/keys
	[ "$(json 1.json classes)" -le 40 ]
}

@test "auto in parts is complete, and counts no class twice" {
	explore auto -j2 -- "$BUILD/oracles/fib-K4"
	[ "$(json auto.json classes)" -eq 1107 ]
	[ "$(json auto.json complete)" = true ]
	LINCHPIN_TEST_PART=6000 explore auto -j2 -- "$BUILD/oracles/treiber-N3"
	[ "$(json auto.json classes)" -eq 25680 ]
	[ "$(json auto.json complete)" = true ]
	[ "$(json auto.json executions)" -gt 25680 ]
}

# wait_for ROUND: until RUNDIR/frontier is that of this round, or a later one.
wait_for() {
	local round=0

	while kill -0 "$pid" 2>/dev/null && [ "${round:-0}" -lt "$1" ]; do
		round=$(awk '$1 == "round" { print $2 }' d/frontier 2>/dev/null) || round=0
		sleep 0.01
	done
}

below() {
	local child

	for child in $(cat /proc/"$1"/task/"$1"/children 2>/dev/null); do
		echo "$child"
		below "$child"
	done
}

@test "a search that was killed goes on, and comes to the same" {
	export LINCHPIN_TEST_PART=150
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K4"
	"$LINCHPIN" run -q --search=dpor --check=none --max-time=0 -j2 -o d -- "$BUILD/oracles/fib-K4" >/dev/null 2>&1 &
	pid=$!
	for round in 1 2 3; do
		wait_for $round
		kill -9 $pid || break
		wait $pid || true
		"$LINCHPIN" run -q --max-time=0 -j2 --resume=d >/dev/null 2>&1 &
		pid=$!
	done
	wait $pid
	same whole d
	[ ! -e d/parts ]
}

@test "a process that is killed is begun again" {
	export LINCHPIN_TEST_PART=150
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K4"
	"$LINCHPIN" run -q --search=dpor --check=none --max-time=0 -j2 -o d -- "$BUILD/oracles/fib-K4" >/dev/null 2>&1 &
	pid=$!
	for round in 1 2 3; do
		wait_for $round
		for victim in $(below $pid); do
			kill -9 "$victim" 2>/dev/null || true
		done
	done
	wait $pid
	same whole d
}

@test "a search that came to a bound goes on" {
	export LINCHPIN_TEST_PART=100
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K4"
	explore d --search=dpor --max-executions=300 -j2 -- "$BUILD/oracles/fib-K4"
	[ "$(json d.json executions)" -eq 300 ]
	[ "$(json d.json complete)" = false ]
	run "$LINCHPIN" run --max-time=0 --resume=d
	[ "$status" -eq 0 ]
	[[ $output == *'all 1107 classes'* ]]
}

@test "the shards of a search are joined to what one search finds" {
	while read -r part search n program classes; do
		export LINCHPIN_TEST_PART=$part
		dirs=
		for ((i = 1; i <= n; i++)); do
			explore s$i --search="$search" --shard="$i/$n" -- "$BUILD/oracles/$program"
			dirs="s$i $dirs"
		done
		run "$LINCHPIN" merge --max-time=0 -o all $dirs
		[ "$status" -eq 0 ]
		[[ $output == *"all $classes classes"* ]]
		rm -rf s? all
	done <<-END
		150 dpor 4 fib-K4 1107
		100 dpor 2 gadget-G4 625
		10 source 3 mutex-N3-K2 90
		200 auto 2 fib-K4 1107
	END
}

@test "shards that do not belong together are not joined" {
	export LINCHPIN_TEST_PART=40
	explore s1 --search=dpor --shard=1/2 -- "$BUILD/oracles/fib-K4"
	explore s2 --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K4"
	explore other --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K3"
	explore whole --search=dpor -j2 -- "$BUILD/oracles/fib-K3"
	while IFS='|' read -r dirs message; do
		run "$LINCHPIN" merge -o all $dirs
		[ "$status" -eq 2 ]
		[[ $output == *"$message"* ]] || { echo "$dirs: $output"; false; }
	done <<-END
		s1|one of 2 shards, but 1 were given
		s1 s1|are the same shard
		s1 other|are of different searches
		s1 whole|was not made with --shard
	END
	run "$LINCHPIN" merge --only-join --require-complete -o all s1 s2
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

@test "what one process learns of the program all know" {
	explore whole --search=dpor -- "$(build late_share)"
	LINCHPIN_TEST_PART=3 explore d --search=dpor -j2 -- "$(build late_share)"
	facts whole.json >whole.facts
	facts d.json | diff whole.facts -
}

@test "what cannot be divided says so" {
	explore plain --search=dpor -- "$BUILD/oracles/fib-K2"
	while IFS='|' read -r options message; do
		run "$LINCHPIN" run $options
		[ "$status" -eq 2 ]
		[[ $output == *"$message"* ]] || { echo "$options: $output"; false; }
	done <<-END
		-j2 --search=bounded -- $BUILD/oracles/fib-K2|is not divided
		-j2 --progress=lock-free -- $BUILD/oracles/fib-K2|is not divided
		-j2 --coverage -- $BUILD/oracles/fib-K2|--coverage is that of one process
		--shard=3/2 -- $BUILD/oracles/fib-K2|--shard must be I/N
		--resume=plain|only a search that was made with -j or --shard can go on
		--resume=plain -- $BUILD/oracles/fib-K2|leave the program out
		-j2|an argument is missing
	END
}

@test "violations are found in parts, and replayed" {
	LINCHPIN_TEST_PART=10 run "$LINCHPIN" run -j2 --max-time=0 -o d -- "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	[ "$status" -eq 1 ]
	[[ $output == *'not linearizable'* ]]
	run "$LINCHPIN" run --max-time=0 -o whole -- "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	[ "$status" -eq 1 ]
	[ "$("$LINCHPIN" report --histories d)" = "$("$LINCHPIN" report --histories whole)" ]
}

@test "the program prints once, and each part reads its input from the beginning" {
	printf '#include <pthread.h>\n#include <stdio.h>\nint x;\nvoid *f(void *a) { __atomic_fetch_add(&x, 1, 0); __atomic_fetch_add(&x, 1, 0); return a; }\n
int main(void) { int n = 0; pthread_t t, u; scanf("%%d", &n); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
pthread_join(t, 0); pthread_join(u, 0); printf("%%d\\n", n + x); return n != 7; }\n' >reads.c
	cc -g -o reads reads.c -pthread
	echo 7 >seven
	LINCHPIN_TEST_PART=1 "$LINCHPIN" run -q -j2 --check=none -o d -- ./reads <seven >out
	[ "$(cat out)" = 11 ]
	run "$LINCHPIN" report d
	[[ $output == *' 6 ok'* ]]
}
