#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The ways that includes go between folders: tests/layers.

check=$BATS_TEST_DIRNAME/../layers/check

# A tree of two folders of which high includes low.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir low high
	printf 'low:\nhigh: low  # comment\n' >table
	echo 'int low;' >low/low.h
	printf '#include "low/low.h"\n#include "high.h"\n#include <stdio.h>\n#include "made.h"\n' >high/high.c
	echo >high/high.h
}

@test "includes go the ways that the table allows, and no file has more than 500 lines" {
	run "$check"
	[ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "a tree that keeps to its table is accepted" {
	run "$check" table .
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an include that the table does not allow is found, however it is written" {
	for include in '#include "high/high.h"' '# include "../high/high.h"'; do
		echo "$include" >low/low.c
		run "$check" table .
		[ "$status" -eq 1 ]
		[ "$output" = "low/low.c:1: low must not include high" ]
	done
}

@test "an exception is accepted as long as it is needed" {
	echo '#include "high/high.h"' >low/low.c
	echo 'except low high' >>table
	run "$check" table .
	[ "$status" -eq 0 ]
	rm low/low.c
	run "$check" table .
	[ "$status" -eq 1 ]
	[ "$output" = "the exception low high is not needed any more" ]
}

@test "a circle in the table is found" {
	printf 'low: high\nhigh: low\n' >table
	run "$check" table .
	[ "$status" -eq 1 ]
	[[ $output == "a circle in the table: "* ]]
}

@test "a folder that the table does not name is found" {
	mkdir low/deep
	echo >low/deep/deep.c
	run "$check" table .
	[ "$status" -eq 1 ]
	[ "$output" = "low/deep is not in the table" ]
}

@test "a file of more than 500 lines is found" {
	seq 500 | sed 's/^/int a/; s/$/;/' >low/long.c
	run "$check" table .
	[ "$status" -eq 0 ]
	echo >>low/long.c
	run "$check" table .
	[ "$status" -eq 1 ]
	[ "$output" = "low/long.c has 501 lines, more than 500" ]
}

# bash ends a test at a command that fails, but not at one with `!` before it, and not at one that is followed by `&&`.
@test "every assertion can fail" {
	run grep -nE '^\s*! [^|]*(\|[^|]+)*$|^\s*\[.*\] && !? ?\[.*\]$' "$BATS_TEST_DIRNAME"/*.bats
	echo "$output"
	[ "$status" -eq 1 ]
}
