#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Proposals for ordinary programs (init/*.c). A comment in each gives the lines that its proposal must contain and the exit
# status of a run that uses it.

load helpers/common

INIT=$ROOT/tests/e2e/init

unset LINCHPIN_SPEC LINCHPIN_OPS

# tried SOURCE COMPILER [FLAG...]: compiled so, the program gets its proposal and its verdict.
tried() {
	local source=$1 wanted status_run=0
	shift
	"$@" -g -pthread -o program "$source"
	"$LINCHPIN" init ./program >proposal
	while IFS= read -r wanted; do
		grep -qxF -- "$wanted" proposal || grep -F -- "$wanted" proposal | grep -q '^#' || {
			echo "$*: $source: no line: $wanted"
			cat proposal
			return 1
		}
	done < <(sed -n 's/^ \* wants: //p' "$source")
	while IFS= read -r wanted; do
		if grep -q "^op .*$wanted" proposal; then
			echo "$*: $source: a line about $wanted"
			return 1
		fi
	done < <(sed -n 's/^ \* lacks: //p' "$source")
	rm -rf r
	"$LINCHPIN" run -q -o r -- ./program >report 2>&1 || status_run=$?
	if [ $status_run -ne "$(sed -n 's/^ \* verdict: //p' "$source")" ]; then
		echo "$*: $source: status $status_run"
		cat report
		return 1
	fi
}

@test "ordinary programs get a suitable proposal and the right verdict" {
	for source in "$INIT"/*.c; do
		grep -q '^ \* wants: ' "$source"
		tried "$source" gcc -O0
		tried "$source" gcc -O2 -fno-inline
	done
}

@test "the same with clang" {
	command -v clang >/dev/null || skip "there is no clang"
	for source in "$INIT"/*.c; do
		tried "$source" clang -O0
		# What clang may have changed is refused.
		grep -q '^static .*(lf_stack \*s' "$source" || tried "$source" clang -O2 -fno-inline
	done
}

@test "methods of a class" {
	command -v g++ >/dev/null || skip "there is no g++"
	for source in "$INIT"/*.cc; do
		tried "$source" g++ -O0
		tried "$source" g++ -O2 -fno-inline
	done
}

@test "without the source file the proposal says that results are less certain" {
	cp "$INIT/treiber.c" .
	gcc -g -pthread -o treiber treiber.c
	rm treiber.c
	"$LINCHPIN" init ./treiber >proposal
	cat proposal
	grep -qx 'op pop() -> int : pop()' proposal
	grep -q '^# unsure: does a value mean that there is nothing' proposal
}

@test "sentences name threads as interleavings do" {
	gcc -g -pthread -o program "$INIT/fetch_inc.c"
	run "$LINCHPIN" run -q -o r -- ./program
	echo "$output"
	[[ $output == *'two operations returned 0, but only one can be the first: fetch_inc -> 0 (T0.'*' and fetch_inc -> 0 (T0.'* ]]
}

@test "an operation that is inlined everywhere: the message says what to do" {
	gcc -g -O2 -pthread -o program "$INIT/counter.c"
	run "$LINCHPIN" init ./program
	echo "$output"
	[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	[[ $output == *'# left out: `counter_inc` '*'inlined'*'-fno-inline'* ]]
}
