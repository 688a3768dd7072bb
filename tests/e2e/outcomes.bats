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

@test "a program without a fault" {
	run "$LINCHPIN" run -o d --json=j -- "$(build outcome)" nothing
	[ "$status" -eq 0 ]
	[ "$(json j complete)" = true ]
}
