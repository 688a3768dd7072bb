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
	needs_same_addresses
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
	printf '#include <unistd.h>\nint main(void) { return execl("/bin/true", "true", (char *)0); }\n' >exec.c
	$CC -g -o exec exec.c
	run env LD_PRELOAD="$RUNTIME" LINCHPIN_DIR=d ./exec
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'calls exec'*'explore that one'* ]]
}

@test "what starts another program is passed by, and the test is explored" {
	program=$(build counter)
	export LINCHPIN_DIR=$PWD/d
	for start in 'timeout 100' 'env A=1' 'nice' 'nohup' 'setsid -w' 'env timeout 100 nice'; do
		# shellcheck disable=SC2086
		LD_PRELOAD=$RUNTIME run $start "$program" racy 2 2
		[ "$status" -eq 1 ]
		[[ $output == *'explored: '*"recorded: $PWD/d"* ]]
	done
}

@test "under a shell or make, tests are explored and the system's own programs are not" {
	program=$(build counter)
	export LINCHPIN_DIR=$PWD/d
	LD_PRELOAD=$RUNTIME run sh -c "echo one | cat; '$program' locked 2 2; echo status \$?; '$program' racy 2 2 | grep result"
	[ "$(grep -c '^explored: ' <<<"$output")" -eq 1 ]
	[[ $output == one*'result:   no violation'*'status 0'*'not allowed'* ]]
	! [[ $output == *'is not explored'* ]] || return 1
	printf 'test:\n\t%s racy 2 2\n' "$program" >Makefile
	LD_PRELOAD=$RUNTIME run make test
	[ "$status" -ne 0 ]
	[[ $output == *'explored: '* ]]
}

@test "a program of the system that is not explored is named" {
	LD_PRELOAD=$RUNTIME run timeout 100 true
	[ "$status" -eq 0 ]
	[[ $output == *'which timeout has started, is not explored'* ]]
	[ ! -e linchpin.1 ]
	run "$LINCHPIN" run -o r -- timeout 100 true
	[ "$status" -eq 2 ]
	[[ $output == *'write `timeout ... linchpin run -- ./test`'* ]]
}
