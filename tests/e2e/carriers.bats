#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Threads of the program as threads of the system, one at a time (--threads, LINCHPIN_TLS=threads): the same executions.
bats_require_minimum_version 1.5.0
load helpers/common

export DEBUGINFOD_URLS=

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# same_by_threads SEARCH EXECUTIONS PROGRAM [ARGUMENT...]: byte for byte, and the same end of linchpin.
same_by_threads() {
	local search=$1 executions=$2 way=fibers got
	shift 2

	for way in auto threads; do
		got=0
		LINCHPIN_TLS=$way timeout 100 "$LINCHPIN" run -q --check=none --prove=0 --max-time=0 --search="$search" \
			--max-executions="$executions" -o $way -- "$@" >$way.out 2>&1 || got=$?
		echo "exit $got" >>$way.out
	done
	cmp auto/trace threads/trace || { echo "$search $*"; cat threads.out; return 1; }
	[ "$(tail -n 1 auto.out)" = "$(tail -n 1 threads.out)" ]
	rm -rf auto threads
}

@test "random schedules of structures" {
	needs_same_addresses
	same_by_threads random 300 "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	same_by_threads random 100 "$BUILD/structures/avl_map-both" '{a10}|{a11 r11}'
	same_by_threads random 100 "$BUILD/structures/blocking_queue-correct" '{o}|{i1 i2}|{o}'
	same_by_threads random 100 "$BUILD/structures/coarse_list-both" '[a5] {a1 r5}|{a2 c1}|{r2}'
	same_by_threads random 100 "$BUILD/structures/epoch_stack-early" '{p1 o}|{o}|{p2}'
}

@test "every search, with restarts, more threads than at first, and what ends an execution" {
	needs_same_addresses
	local program source flags search
	for search in dpor source dfs bounded auto; do
		same_by_threads $search 200 "$BUILD/oracles/fib-K2"
	done
	while IFS='|' read -r source flags; do
		compiler=$CC
		[[ $source == *.cc ]] && compiler=g++
		# shellcheck disable=SC2086
		$compiler -w -g -O1 -pthread -I"$ROOT/include" -o p "$BATS_TEST_DIRNAME/$source" $flags
		same_by_threads dpor 100 ./p
		same_by_threads random 60 ./p
	done <<-'END'
		programs/late_share.c|
		programs/no_threads.c|
		library/hundred_threads.c|
		library/cancel_unwinds.cc|
		library/signal_kills.c|
		library/ends.c|-DHOW=0
		library/cpp_threads.cc|-std=c++20
		library/channels.c|-DWHAT=polled
		library/stack_given.c|
		library/rounding.c|-lm
		library/children.c|-DHOW=forks
		debugger/crash.c|
		debugger/deadlock.c|
		debugger/tight.c|
		debugger/own.c|
	END
}

@test "replay --threads comes to the recorded trace" {
	$CC -g -O2 -pthread -o stack -I"$ROOT/include" "$BATS_TEST_DIRNAME/debugger/stack.c"
	"$LINCHPIN" run -q -o d -- ./stack >/dev/null || [ $? -eq 1 ]
	run "$LINCHPIN" replay --threads d 2
	[ "$status" -le 1 ]
	[[ $output == *"same trace as recorded"* ]]
	"$LINCHPIN" run -q --isolate=fork -o forked -- ./stack >/dev/null || [ $? -eq 1 ]
	run "$LINCHPIN" replay --threads forked 2
	[ "$status" -eq 2 ]
	[[ $output == *"--threads: forked was explored with --isolate=fork"* ]]
}

# session OPTIONS PROGRAM COMMAND...: gdb at the program's first finding, its output in $output.
session() {
	local program=$1 args=()
	shift
	command -v gdb >/dev/null || skip "gdb is not installed"
	for c; do
		args+=(-ex "$c")
	done
	"$LINCHPIN" run -q --check=outcome --prove=0 -o "$program.run" -- "./$program" >out || [ $? -eq 1 ]
	n=$(sed -n "s/^  to stand there: linchpin replay --gdb [^ ]* //p" out | head -n 1 | tr -d "'")
	last=$("$LINCHPIN" replay "$program.run" "$n" | awk '/write last = / && !n { n = $1 } END { print n }')
	args=("${args[@]//LAST/$last}")
	run timeout 100 "$LINCHPIN" replay --threads --gdb "$program.run" "$n" -- -batch "${args[@]}"
	[ "$status" -eq 0 ]
	[[ $output != *Python* && $output != *Traceback* ]]
	rm -r "$program.run"
}

@test "gdb: threads have their names, stacks and variables, also of those that do not run" {
	local build
	for build in "-O0" "-O2" "-O1 $("$LINCHPIN" cflags --cc=gcc)"; do
		# shellcheck disable=SC2046,SC2086
		gcc -g $build -c -o own.o "$BATS_TEST_DIRNAME/debugger/own.c" && gcc -o own own.o $("$LINCHPIN" libs)
		session own 'lp goto LAST' 'info threads' 'lp thread 0.1 print mine' 'lp thread 0.2 print mine' 'lp thread 0 print mine' \
			'thread apply all bt' 'thread 1' 'lp prev' 'lp next' 'lp next' continue 'info threads'
		[[ $output == *'Thread '*'"T0" '*'"T0.1"'*'"T0.2"'* ]]
		[[ $output == *'$1 = 10'*'$2 = 20'*'$3 = 7'* ]]
		[ "$(grep -cE '^#[0-9]+ .*worker \(' <<<"$output")" -ge 2 ]
		[[ $output == *"Thread 1 ("*"main () at "* ]]
		[[ $output == *"outcome: abort in main"* ]]
	done
}

@test "gdb: backwards, deadlocks and crashes" {
	for program in deadlock crash; do
		gcc -g -O2 -pthread -o $program "$BATS_TEST_DIRNAME/debugger/$program.c"
	done
	session deadlock continue 'lp threads' 'lp thread 0.2' 'lp thread 0.1' 'lp prev' 'lp prev' 'lp prev' 'lp where' continue
	[[ $output == *"deadlock: every thread waits"*"T0.1 waits for lock"* ]]
	[[ $output == *"in ba ("*"in ab ("* || $output == *"both ("*"ba ("* ]]
	[ "$(grep -c '^=>' <<<"$output")" -ge 4 ]
	session crash continue 'print otherwise' 'lp prev' 'lp prev' 'lp goto 1' continue 'lp where'
	[[ $output == *SIGSEGV*"look (otherwise=7)"*'$1 = 7'*"=>    1 "*SIGSEGV* ]]
}
