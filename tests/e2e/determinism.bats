#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The same program gives the same run directory; every recorded schedule replays to the same bytes; a killed run is
# readable.

load helpers/common

# The parts of a run directory that do not hold times.
same_run() {
	cmp "$1/run" "$2/run"
	cmp "$1/modules" "$2/modules"
	cmp "$1/trace" "$2/trace"
}

@test "two explorations give identical run directories" {
	needs_same_addresses
	program=$(build list)
	for search in $("$LINCHPIN" --version | sed -n 's/^searches *//p'); do
		for i in 1 2; do
			"$LINCHPIN" run -q -o $search.$i --search=$search --max-executions=300 -- \
				"$program" add:2 remove:1 || [ $? -eq 1 ]
		done
		same_run $search.1 $search.2
	done
}

@test "runs that time ends do the same as far as they come" {
	for i in 1 2; do
		"$LINCHPIN" run -q -o $i --check=none --max-time=1 -- "$BUILD/oracles/fib-K6" || [ $? -eq 1 ]
	done
	sizes=($(stat -c %s 1/trace 2/trace | sort -n))
	[ "${sizes[0]}" -gt 1000 ]
	cmp -n "${sizes[0]}" 1/trace 2/trace
}

@test "another seed is another random search" {
	program=$(build counter)
	for search in random pct pos surw walk; do
		for seed in 1 2; do
			"$LINCHPIN" run -q -o $seed --search=$search --seed=$seed --max-executions=20 -- "$program" racy 3 2 ||
				[ $? -eq 1 ]
		done
		! cmp -s 1/trace 2/trace || return 1
	done
}

@test "every recorded schedule replays to the same bytes" {
	needs_same_addresses
	"$LINCHPIN" run -q -o d -- "$(build list)" add:2 remove:1 || [ $? -eq 1 ]
	n=$(classes_of d)
	[ "$n" -ge 3 ]
	for ((i = 1; i <= n; i++)); do
		run "$LINCHPIN" replay d $i
		[ "$status" -ne 2 ]
		[[ $output == *'same trace'* ]]
		"$LINCHPIN" replay --raw d $i >replayed.raw || [ $? -eq 1 ]
		"$LINCHPIN" trace --raw d $i >recorded.raw
		cmp recorded.raw replayed.raw
	done
}

@test "where addresses are random, and that cannot be switched off, replays are the same but for addresses" {
	needs_random_addresses
	cat >given.c <<-'END'
		#include <linchpin.h>
		#include <pthread.h>
		static int object, a, b, *volatile last;
		static int *put(int *p)
		{
			int *before;
			linchpin_call(&object, "exchange", (long)p);
			before = last;
			last = p;
			linchpin_return((long)before);
			return before;
		}
		static void *worker(void *p) { put(p); return p; }
		int main(void)
		{
			pthread_t s, t;
			linchpin_object(&object, "register");
			pthread_create(&s, NULL, worker, &a);
			pthread_create(&t, NULL, worker, &b);
			pthread_join(s, NULL);
			pthread_join(t, NULL);
			return last == &a && put(&a) == &b;
		}
	END
	gcc -g -O1 -pthread -I"$ROOT/include" -o given given.c
	"$RANDOMLY" "$LINCHPIN" run -q --check=outcome -o d --json=j -- ./given || [ $? -eq 1 ]
	cat j
	[ "$(json j replayed)" = true ]
	! grep -q '"replayed": false' j || return 1
	n=$(classes_of d)
	[ "$n" -ge 2 ]
	for ((i = 1; i <= n; i++)); do
		run "$RANDOMLY" "$LINCHPIN" replay d $i
		[[ $output == *'same trace as recorded'* ]]
	done
}

@test "a violation's schedule from the results replays as a violation" {
	"$LINCHPIN" run -q -o d --json=j -- "$(build counter)" || [ $? -eq 1 ]
	[ "$(json j replayed)" = true ]
	schedule=$(json j schedule)
	run "$LINCHPIN" replay d "${schedule//\"/}"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'this execution is a violation'* ]]
	run "$LINCHPIN" replay d '0x1 0.7'
	[ "$status" -eq 2 ]
	run "$LINCHPIN" replay d 99
	[ "$status" -eq 2 ]
	[[ $output == *'no class 99'* ]]
}

@test "bad outcomes replay as well" {
	for how in crash abort assert exit deadlock overflow livelock; do
		"$LINCHPIN" run -q -o d -- "$(build outcome)" $how || [ $? -eq 1 ]
		n=$(classes_of d)
		[ "$n" -ge 2 ]
		for ((i = 1; i <= n; i++)); do
			run "$LINCHPIN" replay d $i
			echo "$how $i: $output"
			[[ $output == *'same trace'* ]]
		done
	done
}

@test "isolation by fork gives identical traces" {
	needs_same_addresses
	program=$(build list)
	for isolate in rollback fork; do
		"$LINCHPIN" run -q -o $isolate --isolate=$isolate -- "$program" add:2 remove:1 || [ $? -eq 1 ]
	done
	cmp rollback/trace fork/trace
	cmp rollback/modules fork/modules
	[ "$(all_traces rollback)" = "$(all_traces fork)" ]
}

@test "kill -9 leaves a run directory that can be read" {
	program=$(build counter)
	LD_PRELOAD=$RUNTIME LINCHPIN_DIR=$PWD/d LINCHPIN_REPORT=0 "$program" racy 4 3 >/dev/null 2>&1 &
	pid=$!
	wait_for_classes d 20
	kill -9 $pid
	wait $pid || true
	"$LINCHPIN" trace --raw d 20 >/dev/null
	# The search may have recorded a lot by then; the beginning is enough for the report.
	run "$LINCHPIN" report --json=j --no-replay d
	echo "$output" | head -n 40
	[ "$status" -eq 1 ]
	[[ $output == *'was killed'* ]]
	[ "$(json j classes)" -ge 20 ]
	[ "$(json j complete)" = false ]
}

@test "SIGTERM to linchpin ends the search and reports what was found" {
	"$LINCHPIN" run -o d --max-time=0 -- "$(build counter)" racy 4 3 >out 2>&1 &
	pid=$!
	wait_for_classes d 200
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	cat out
	[ "$status" -eq 1 ]
	grep -q interrupted out
}

@test "several schedules, of which a later one shows that more memory is shared, are all executed" {
	program=$(build late_share)
	printf '0.1 0.2x3\n0.2 0.1x3 0.2x3\n' >schedules
	LINCHPIN_DIR=$PWD/d LINCHPIN_REPLAY=$PWD/schedules LINCHPIN_REPORT=0 LD_PRELOAD=$RUNTIME "$program"
	[ "$(classes_of d)" -eq 2 ]
}

@test "the process's id is another one in a replay, and that is no difference; threads' ids are the same" {
	program=$(build thread_ids)
	for options in "" "-j 2" --isolate=fork; do
		rm -rf run
		run "$LINCHPIN" run $options -o run --json=json -- "$program"
		[ "$status" -eq 1 ]
		[[ $output == *"executed again with the same result"* ]]
		[ "$options" = --isolate=fork ] || [[ $output != *"not reported"* ]]
		[ "$(json json classes)" -ge 6 ]
		for n in 1 2 6; do
			run "$LINCHPIN" replay run $n
			[[ $output == *"same trace as recorded"* ]]
		done
	done
	run "$LINCHPIN" trace run 1
	[[ $output == *5000002* ]]
}
