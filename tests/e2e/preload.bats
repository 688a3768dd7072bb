#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# LD_PRELOAD=libsched.so ./test, with nothing else to learn.

load helpers/common

@test "a bare preload explores, reports, and exits with the status of the report" {
	program=$(build counter)
	run env LD_PRELOAD="$RUNTIME" "$program"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"counter.c:$(line_of counter read)"* ]]
	[ -f linchpin.1/trace ]
	run env LD_PRELOAD="$RUNTIME" "$program" locked
	echo "$output"
	[ "$status" -eq 0 ]
	[ -f linchpin.2/trace ]
}

@test "a bare preload and linchpin run record the same traces" {
	program=$(build list)
	"$LINCHPIN" run -q -o run -- "$program" add:2 add:2 || [ $? -eq 1 ]
	LD_PRELOAD=$RUNTIME LINCHPIN_DIR=$PWD/bare "$program" add:2 add:2 >/dev/null 2>&1 || [ $? -eq 1 ]
	cmp run/trace bare/trace
}

@test "LINCHPIN_ variables configure a bare run" {
	LD_PRELOAD=$RUNTIME LINCHPIN_DIR=$PWD/d LINCHPIN_MAX_EXECUTIONS=5 LINCHPIN_REPORT=0 \
		"$(build counter)" locked 3 2
	run "$LINCHPIN" report d
	[ "$status" -eq 0 ]
	[[ $output == *'5 executions'* ]]
}

@test "exec in an execution ends the run with a message" {
	run env LD_PRELOAD="$RUNTIME" LINCHPIN_DIR=d env true
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'calls exec'*'explore that one'* ]]
}
