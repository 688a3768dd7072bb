#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Results while a search goes on, and Ctrl-C at any moment. No search here ends by itself.

load helpers/common

interrupt() {
	timeout 120 python3 "$ROOT/tests/e2e/helpers/interrupt.py" "$@"
}

# A search that finds violations at once, and never ends.
endless() {
	echo "$LINCHPIN" run -o d --search=random --max-time=0 "$@" -- "$(build counter)" racy 2 3
}

@test "the first violation is printed while the search goes on, the rest with Ctrl-C" {
	# shellcheck disable=SC2046
	run interrupt --terminal --text 'the search goes on' -- $(endless)
	[ "$status" -eq 1 ]
	[[ ${output%%the search goes on*} == *'not linearizable'*'executed again with the same result'* ]]
	[[ $output == *'the search was interrupted: '*' classes'* ]]
	[[ $output == *'recorded: d'* ]]
}

@test "the line of progress counts violations as they are judged" {
	# shellcheck disable=SC2046
	run interrupt --terminal --text ' wrong, ' -- $(endless)
	[ "$status" -eq 1 ]
	[[ $output =~ [0-9]+' executions ('[0-9]+'/s), '[0-9]+' classes, '([0-9]+' judged, ')?[0-9]+' wrong, ' ]]
	! [[ $output == *' %'* ]] || return 1
}

@test "--stop-at ends the search when so many violations are confirmed" {
	# shellcheck disable=SC2046
	run interrupt --ends -- $(endless --stop-at=3 --json=json)
	[ "$status" -eq 1 ]
	[[ $output == *'bound:    the search was to stop here (--stop-at): '* ]]
	[ "$(json json complete)" = false ]
	[ "$(json json advice)" = '[]' ]
	[ "$(grep -c '"replayed": true' json)" -ge 3 ]
}

@test "--stop-at counts executions that end with an error, too" {
	run interrupt --ends -- "$LINCHPIN" run -o d --check=none --search=random --max-time=0 --stop-at=1 -- "$(build outcome)" deadlock
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'(--stop-at)'* ]]
}

@test "a search that finds nothing goes on" {
	run interrupt --terminal --text '0 wrong, 2.' -- "$LINCHPIN" run -o d --search=random --max-time=0 --stop-at=1 -- "$(build counter)" locked 2 2
	[ "$status" -eq 3 ]
	[[ $output == *'the search was interrupted'* ]]
}

@test "every signal that asks to stop ends a search with a report" {
	for signal in INT TERM HUP ALRM USR1 USR2 PIPE XCPU XFSZ VTALRM PROF IO PWR; do
		# shellcheck disable=SC2046
		run interrupt --ready d/trace --signal $signal -- $(endless)
		[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
		[[ $output == *'the search was interrupted'*'recorded: d'* ]]
		rm -r d
	done
}

@test "a search that the limit of processor time ends is reported" {
	run bash -c "ulimit -St 1; $LINCHPIN run -o d --check=none --max-time=0 -- $(build counter) racy 4 4"
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output == *'the search was interrupted'*'recorded: d'* ]]
}

@test "a bare run ends with a report, too" {
	export LD_PRELOAD= LINCHPIN_DIR=$PWD/d LINCHPIN_SEARCH=random LINCHPIN_MAX_TIME=0
	for signal in INT TERM; do
		run interrupt --terminal --ready d/trace --signal $signal -- env LD_PRELOAD="$RUNTIME" "$(build counter)" racy 2 3
		[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
		[[ $output == *'the search was interrupted'*"recorded: $PWD/d"* ]]
		rm -r d
	done
}

@test "an analysis that is interrupted reports what it knows, confirmed" {
	"$LINCHPIN" run -q --check=none -o d --max-executions=20000 --max-time=0 -- "$(build counter)" racy 4 4
	for signal in INT TERM; do
		run interrupt --caught --signal $signal -- "$LINCHPIN" report --check=lin --json=json d
		[ "$status" -eq 1 ]
		[[ $output == *'recorded: d'* ]]
		! [[ $output == *'did not happen again'* ]] || return 1
		# How many were judged depends on the machine; those that were not are counted.
		[[ $output != *'not judged'* ]] || [ "$(json json complete)" = false ]
	done
}

@test "sequential executions that are interrupted end in a report" {
	"$LINCHPIN" run -q --check=none -o d --max-executions=2 --max-time=0 -- "$(build log_order)"
	run interrupt --ready d/self/trace -- "$LINCHPIN" report --check=lin d
	echo "$output"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ $output == *'recorded: d'* ]]
}
