#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Progress conditions: programs/progress, with hooks and without.

load helpers/common

# compile NAME HOW [FLAG...]: HOW is hooks, or a level of optimization. Makes ./program.
compile() {
	local source=$PROGRAMS/progress/$1.c how=$2
	shift 2
	if [ "$how" = hooks ]; then
		# shellcheck disable=SC2046
		$CC -g -O1 -pthread $("$LINCHPIN" cflags --cc="$CC") "$@" -c -o program.o "$source" &&
			$CC -o program program.o $("$LINCHPIN" libs)
	else
		$CC -g "$how" -pthread -I"$ROOT/include" "$@" -o program "$source"
	fi
}

# explore CONDITION [OPTION...]: explores ./program; the exit status is in $status.
explore() {
	local condition=$1
	shift
	rm -f json
	status=0
	timeout 60 "$LINCHPIN" run --progress="$condition" --json json -o run "$@" -- ./program >log 2>&1 || status=$?
}

# line NAME TEXT: the line of programs/progress/NAME.c with this text.
line() {
	grep -n -- "$2" "$PROGRAMS/progress/$1.c" | tail -n 1 | cut -d : -f 1
}

# keeps CONDITION: no counterexample, and everything was looked at.
keeps() {
	explore "$1"
	[ "$status" -eq 0 ]
	[ "$(json json complete)" = true ]
	[ "$(json json counterexamples)" = 0 ]
	grep -q "^progress: $1: no counterexample in the states of [0-9]* classes" log
}

# breaks CONDITION NAME LINE WAITS [OPTION...]: the error is at the line, a note at that of those who wait; it happens
# again, and its trace is the same.
breaks() {
	local condition=$1 name=$2 error=$3 waits=$4 class
	shift 4
	explore "$condition" "$@"
	[ "$status" -eq 1 ]
	[ "$(json json counterexamples)" = 1 ]
	[ "$(json json replayed)" = true ]
	grep -q "$name.c:$error:.* error: not $condition: " log
	grep -q "$name.c:$waits:.* note: " log
	grep -q "^progress: not $condition: 1 counterexample in" log
	class=$(json json class)
	"$LINCHPIN" replay run "$class" >again || [ $? -eq 1 ]
	grep -q '^same trace as recorded$' again
	grep -q '^this execution is a violation$' again
}

@test "Treiber's stack and the queue of Michael and Scott are lock-free" {
	for name in treiber ms_queue; do
		for how in hooks -O0 -O2; do
			compile $name $how
			keeps obstruction-free
			keeps lock-free
		done
	done
}

@test "a stack under a mutex: the stalled thread is in the critical section" {
	for how in hooks -O0 -O2; do
		compile lock_stack $how
		for condition in obstruction-free lock-free wait-free; do
			breaks $condition lock_stack "$(line lock_stack 'stalled here')" "$(line lock_stack 'waits here')"
			grep -q "note: T0.[12] waits for lock mutex, held by T0.[12] since" log
		done
	done
}

@test "a stack under a spin lock is not even obstruction-free" {
	for how in hooks -O0 -O2; do
		compile lock_stack $how -DSPIN
		breaks obstruction-free lock_stack "$(line lock_stack 'stalled here')" "$(line lock_stack 'spins here')"
	done
}

@test "a queue whose tail only its enqueuer moves: the line at which it must not be stalled" {
	for how in hooks -O0 -O2; do
		compile ms_queue $how -DUNHELPED
		breaks lock-free ms_queue "$(line ms_queue 'stalled here')" "$(line ms_queue 'last = atomic_load')"
		grep -q 'waiting for a change of tail' log
	done
}

@test "a counter by fetch-and-add is wait-free, one by compare-and-exchange only lock-free" {
	for how in hooks -O2; do
		compile counter $how
		keeps wait-free
		! grep -q '^limit:' log || return 1
		compile counter $how -DCAS
		keeps lock-free
		breaks wait-free counter "$(line counter 'again')" "$(line counter 'old = atomic_load')"
	done
}

@test "threads that take something away from each other for ever are only obstruction-free" {
	for how in hooks -O2; do
		compile polite $how
		explore obstruction-free --max-executions=50
		[ "$status" -eq 0 ]
		breaks lock-free polite "$(line polite 'nobody came between')" "$(line polite 'store(&claim')" --max-executions=50
		grep -q 'T0.1 and T0.2 can go round for ever' log
	done
}

@test "too few operations for wait-freedom are a limit" {
	compile counter -O2 -DOPERATIONS=2
	explore wait-free
	[ "$status" -eq 0 ]
	grep -q '^limit: .*wait-free' log
}

@test "every way to run finds the same" {
	local option
	compile lock_stack -O2 -DSPIN
	for option in --isolate=fork --search=dfs "--search=random --max-executions=50"; do
		# shellcheck disable=SC2086
		breaks lock-free lock_stack "$(line lock_stack 'stalled here')" "$(line lock_stack 'spins here')" $option
	done
}

@test "two runs record the same" {
	compile lock_stack -O2 -DSPIN
	explore lock-free
	mv run first
	explore lock-free
	cmp first/trace run/trace
}

@test "a claim that is not true is none" {
	compile treiber -O2
	explore lock-free
	"$LINCHPIN" replay run '0.1x3 !2:0.2' >out
	grep -q '^outcome: ok' out
	grep -q '^this execution is not a violation' out
}

@test "a program without operations is told so" {
	cp "$(build unmarked)" program
	explore lock-free --spec=none
	[ "$status" -eq 2 ]
	grep -q 'no operation was seen' log
}
