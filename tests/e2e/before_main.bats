#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory and locks from before main.

load helpers/common

@test "blocks of constructors and of main have different names, and poll without descriptors takes no time" {
	run timeout 60 "$LINCHPIN" run -q --check=none --max-executions=1 -o d -- "$(build before_main)"
	echo "$output"
	[ "$status" -eq 0 ]
	run "$LINCHPIN" trace d 1
	echo "$output"
	# Two threads write the object once each, and 16 other blocks.
	[ "$(grep -c 'write queue = 1' <<<"$output")" -eq 2 ]
	[ "$(grep -o 'write heap T0#[0-9]*' <<<"$output" | sort -u | wc -l)" -eq 16 ]
}

@test "locks that a constructor has used are free when main begins" {
	gcc -g -O1 -o early "$PROGRAMS/early_locks.c" -pthread
	run "$LINCHPIN" run --check=none --max-executions=2000 -o d -- ./early
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'ends: '*' ok'* ]]
}
