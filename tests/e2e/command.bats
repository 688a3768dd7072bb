#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command line itself: help, versions, mistakes, flags.

load helpers/common

@test "--help lists the commands, exit codes and specifications" {
	run "$LINCHPIN" --help
	[ "$status" -eq 0 ]
	for word in run report replay trace fix check cflags libs 'Exit codes' stack; do
		[[ $output == *"$word"* ]]
	done
}

@test "--version, and what this build is" {
	run "$LINCHPIN" --version
	echo "$output"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^linchpin\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	for fact in compiler 'C library' libdw "runtime     $RUNTIME" 'searches    auto dfs dpor'; do
		[[ $output == *$'\n'"$fact"* ]]
	done
}

@test "every command answers --help" {
	for command in run report replay trace fix check init generate stress suite history bisect cflags libs completion; do
		run "$LINCHPIN" "$command" --help
		[ "$status" -eq 0 ]
		[[ $output == *"linchpin $command"* ]]
	done
}

@test "no command, an unknown command, an unknown option: one message, exit 2" {
	run "$LINCHPIN"
	[ "$status" -eq 2 ]
	run "$LINCHPIN" explore
	[ "$status" -eq 2 ]
	[[ $output == *'no command `explore`'* ]]
	run "$LINCHPIN" run --fast -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'no option --fast'* ]]
	run "$LINCHPIN" run
	[ "$status" -eq 2 ]
	[[ $output == *'argument is missing'* ]]
}

@test "values of options are checked" {
	run "$LINCHPIN" run --search=guess -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'--search must be one of'* ]]
	run "$LINCHPIN" run --seed=-1 -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'--seed must be a whole number'* ]]
	run "$LINCHPIN" run --max-time=soon -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'--max-time must be a number of seconds'* ]]
	while read -r option value message; do
		run "$LINCHPIN" run "$option=$value" -- /bin/true
		echo "$option=$value: $status $output"
		[ "$status" -eq 2 ]
		[[ ${lines[0]} == "linchpin: $option must be $message"* ]]
		[[ $output != *LINCHPIN_* ]]
	done <<-'END'
		--max-steps 9 from 10 to 10000000, not `9`
		--max-steps 0 from 10 to 10000000
		--max-steps 10000001 from 10 to 10000000
		--max-steps 18446744073709551615 from 10 to 10000000
		--max-steps 18446744073709551616 a whole number
		--max-time 0x10 a number of seconds
		--max-time 1e3 a number of seconds
		--max-time 18446744073709551615 at most 1000000000 seconds
		--max-executions 1.5 a whole number
		--stop-at some a whole number
		--prove 1x a whole number
		--jobs -1 a whole number
		--keep 1x all, findings or a whole number
		--shard 3/2 I/N with I from 1 to N
		--shard 1/0 I/N with I from 1 to N
	END
	run "$LINCHPIN" run --max-executions
	[ "$status" -eq 2 ]
	[[ $output == *'needs a value'* ]]
	# A forgotten value is not taken from what follows.
	run "$LINCHPIN" run --json -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'`--json` needs a value, not `--`'* ]]
	run "$LINCHPIN" run -o --json=x -- /bin/true
	[ "$status" -eq 2 ]
	[[ $output == *'`-o` needs a value, not `--json=x`'* ]]
	[ ! -e ./-- ]
	[ ! -e ./--json=x ]
}

@test "cflags and libs work in a compile and a link command, by gcc and by clang" {
	for cc in gcc clang; do
		command -v "$cc" >/dev/null || continue
		# shellcheck disable=SC2046
		"$cc" $("$LINCHPIN" cflags --cc=$cc) -Werror -c -o counter.o "$PROGRAMS/counter.c"
		# shellcheck disable=SC2046
		"$cc" -o counter counter.o $("$LINCHPIN" libs)
		# On its own the program is what it would be without linchpin.
		./counter
	done
}

@test "linking does not ask for the sanitizer's runtime" {
	run "$LINCHPIN" libs
	[ "$status" -eq 0 ]
	[[ $output != *sanitize* ]]
	[[ $output == *-llinchpin* ]]
}

@test "pkg-config gives the same flags from the build directory" {
	export PKG_CONFIG_PATH=$BUILD
	# shellcheck disable=SC2046
	gcc $(pkg-config --cflags linchpin) -c -o counter.o "$PROGRAMS/counter.c"
	# shellcheck disable=SC2046
	gcc -o counter counter.o $(pkg-config --libs linchpin)
	./counter
}

@test "a directory that is not a run directory: one message, exit 2" {
	mkdir empty
	for command in 'report empty' 'report missing' 'trace empty 1' 'replay empty 1'; do
		# shellcheck disable=SC2086
		run "$LINCHPIN" $command
		[ "$status" -eq 2 ]
		[[ $output == linchpin:* ]]
	done
}
