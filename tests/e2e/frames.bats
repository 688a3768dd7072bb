#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is called dead of registers and stack frames: overwriting it at every event changes nothing.

load helpers/common

FORMS=$ROOT/tests/instrument

# explore DIR PROGRAM ARGUMENT...: the run directory DIR; prints the lines that say what was found.
explore() {
	local dir=$1
	shift
	rm -rf "$dir"
	"$LINCHPIN" run -q --check none --max-executions 500 -o "$dir" -- "$@" >out 2>&1 || [ $? -eq 1 ]
	"$LINCHPIN" report --no-replay "$dir" 2>&1 | grep -E '^(bound|limit|ends|result):'
}

# same_when_poisoned PROGRAM ARGUMENT...
same_when_poisoned() {
	explore plain "$@" >plain.out
	LINCHPIN_TEST_POISON=1 explore poisoned "$@" >poisoned.out
	diff plain.out poisoned.out && cmp plain/trace poisoned/trace && ! grep -E 'assert|crash' plain.out
}

each_function() {
	local k
	for k in $(seq 0 14); do
		same_when_poisoned "$1" "$k" || { echo "# $1 $k $2"; return 1; }
	done
}

@test "dead registers and bytes of instrumented functions can hold anything" {
	for cc in gcc $(command -v clang); do
		for flags in -O0 -O1 '-O2 -fno-pie -no-pie' -O3 '-Os -fstack-protector-all -fno-omit-frame-pointer'; do
			# shellcheck disable=SC2086
			$cc -g $flags -o waits "$FORMS/waits.c" -pthread
			each_function ./waits "$cc $flags"
		done
	done
}

@test "dead registers and bytes of functions with compiler hooks can hold anything" {
	for cc in gcc $(command -v clang); do
		for flags in -O0 -O1 -O2 -O3; do
			# shellcheck disable=SC2046
			$cc $("$LINCHPIN" cflags --cc="$cc") $flags -c -o hooks.o "$FORMS/waits.c"
			# shellcheck disable=SC2046
			$cc -o hooks hooks.o $("$LINCHPIN" libs)
			each_function ./hooks "$cc $flags"
		done
	done
}

# What is below the stack pointer is the same in the next execution, as long as its steps are.
@test "the runtime leaves the same words on the program's stack each time" {
	local program n=0

	for program in "$BUILD"/structures/{avl_map-insert,bst_set-mark,ms_queue-head,split_ordered_set-init} \
		       "$BUILD"/structures/native/{avl_map-insert,bst_set-flag,handle_table-get,split_ordered_set-init}; do
		sed -n 's/^client //p' "$ROOT/structures/$(basename "${program%-*}")"/*.expect | head -4 >clients
		while read -r client; do
			LINCHPIN_TEST_LEFT=1 "$LINCHPIN" run -q --check=none --search=dpor --max-executions=3000 -o left -- \
				"$program" "$client" >out 2>&1 </dev/null || [ $? -eq 1 ] || { cat out; return 1; }
			[ -s left/trace ]
			rm -rf left
			n=$((n + 1))
		done <clients
	done
	[ "$n" -ge 16 ]
}
