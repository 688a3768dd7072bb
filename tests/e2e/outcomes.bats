#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each kind of failure (crash, deadlock, ...) is one outcome among others: it is found with its line, and the search goes on.

load helpers/common

# outcome HOW KIND MARK: the exploration is complete, has executions of this outcome and others that ended well, and the
# report names the line of the mark.
outcome() {
	program=$(build outcome)
	run "$LINCHPIN" run -o d --json=j -- "$program" "$1"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(json j complete)" = true ]
	[ "$(json j "$2")" -ge 1 ]
	[ "$(json j ok)" -ge 1 ]
	[[ $output == *"outcome.c:$(line_of outcome "$3")"* ]]
}

@test "a crash" {
	outcome crash crash crash
}

@test "abort()" {
	outcome abort abort abort
}

@test "a failed assertion, with its text" {
	outcome assert assert assert
	[[ $output == *'flag == 0'* ]]
}

@test "exit with an error from a thread" {
	outcome exit exit exit
}

@test "libc ends the process" {
	gcc -g -O1 -o early "$PROGRAMS/early_locks.c" -pthread
	run "$LINCHPIN" run --check=none --search=random --max-executions=500 -o d --json=j -- ./early errx
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(json j exit)" -ge 1 ]
	[ "$(json j ok)" -ge 1 ]
	[[ $output == *"early_locks.c:$(line_of early_locks errx)"*'exit with status 3 in worker'* ]]
}

@test "exit(0) from a thread is an outcome, not a fault" {
	program=$(build outcome)
	run "$LINCHPIN" run -o d --json=j -- "$program" exit0
	[ "$status" -eq 0 ]
	[ "$(json j exit)" -ge 1 ]
	[ "$(json j ok)" -ge 1 ]
}

@test "a deadlock, with both lines" {
	outcome deadlock deadlock deadlock
}

@test "a stack overflow" {
	outcome overflow stack-overflow overflow
}

@test "a spin loop that never ends" {
	outcome livelock livelock livelock
}

@test "a loop that writes for ever is a limit, not an error" {
	program=$(build outcome)
	run "$LINCHPIN" run -o d --json=j --max-steps=2000 --max-executions=50 -- "$program" endless
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$(json j endless)" ]
	[ "$(json j ok)" -ge 1 ]
	[ "$(json j complete)" = false ]
	[[ $output == *"limit:"*"thread stopped after 2,000 steps (--max-steps) at "*"outcome.c:"* ]]
}

@test "a timer runs out in a loop that waits for its handler: alone after the watchdog has met it, in threads at once" {
	gcc -g -O2 -pthread -o p "$PROGRAMS/timer_in_loop.c"
	run "$LINCHPIN" run --check=none --max-time=0 -o d --json=j -- ./p alone
	[ "$(json j ok)" = 4 ]
	[ "$(json j classes)" = 4 ]
	run "$LINCHPIN" replay d 3
	[[ $output == *"same trace as recorded"* ]]
	for program in ./p "$(build timer_in_loop)"; do
		run "$LINCHPIN" run --check=none --max-time=0 -o d --json=j -- "$program" threads
		[ "$(json j ok)" = "$(json j classes)" ]
		[ "$(json j ok)" -ge 1 ]
		run "$LINCHPIN" replay d 1
		[[ $output == *"same trace as recorded"* ]]
	done
}

@test "an endless loop without events has one place, wherever the watchdog has met it" {
	gcc -g -O2 -pthread -o p "$PROGRAMS/timer_in_loop.c"
	run "$LINCHPIN" run --check=none --max-time=0 --max-executions=1 -o d -- ./p never
	[[ $output == *"timer_in_loop.c:"*": error: endless execution"* ]]
	[[ $output == *"executed again with the same result"* ]]
	run "$LINCHPIN" replay d 1
	[[ $output == *"same trace as recorded"* ]]
}

@test "a program without a fault" {
	run "$LINCHPIN" run -o d --json=j -- "$(build outcome)" nothing
	[ "$status" -eq 0 ]
	[ "$(json j complete)" = true ]
}

# The one order that fails is the last one of so many that there is no time to judge them all.
@test "executions that end with an error are found however little time there is to judge the rest" {
	cat >late.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int order;

static void *first(void *unused)
{
	for (int i = 0; i < 5; i++)
		atomic_fetch_add(&order, 1);
	return unused;
}

static void *second(void *unused)
{
	for (int i = 0; i < 5; i++)
		atomic_fetch_add(&order, order < 5 ? 1 : 100);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(order < 500);
	return 0;
}
END
	gcc -g -O1 -pthread late.c -o late
	"$LINCHPIN" run -q --check=none --search=dpor --max-time=0 --prove=0 -o d -- ./late || [ $? -eq 1 ]
	run "$LINCHPIN" report --max-time=0.001 --json=j d
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(json j class)" -gt 100 ]
	[ "$(json j complete)" = false ]
	[[ $output == *'not judged'*'1 assert'* ]]
}

# At each time with every fourth kind of access; all kinds in each build.
@test "an access where nothing is: each kind, each size, at any time" {
	local program kind when out status
	gcc -w -g -O2 -pthread -o plain "$PROGRAMS/wild.c"
	for program in "$(build wild -w -g)" ./plain; do
		for kind in {0..78}; do
			[ "$program" = ./plain ] || [ $kind -lt 40 ] || continue
			for when in before among after; do
				[ $when = among ] || ((kind % 4 == 2)) || continue
				out=$("$LINCHPIN" run -q --check=none -o d -- "$program" "$kind" $when 2>&1) && status=0 || status=$?
				[[ $status == 1 && $out == *'error: crash: segmentation fault'*'in access_nowhere'* ]] || {
					echo "$program $kind $when: $status: $out"
					return 1
				}
				rm -rf d
			done
		done
	done
}
