#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Loops that wait: programs of every kind (programs/waiting/expect), exact numbers of classes (tests/waiting/counts), and
# random programs against a checker of every state (tests/waiting).

load helpers/common

# compile FILE FLAGS OUT
compile() {
	local cc=gcc flags=$2 common="-w -g -O2 -pthread"

	[ "${1##*.}" = c ] || cc=g++
	[ "$flags" != - ] || flags=
	if [ "$flags" = hooks ]; then
		# shellcheck disable=SC2046,SC2086
		$cc $common $("$LINCHPIN" cflags) -c -o "$3.o" "$1" && $cc -o "$3" "$3.o" $("$LINCHPIN" libs)
	else
		# shellcheck disable=SC2086
		$cc $common $flags -o "$3" "$1"
	fi
}

# found A|B: is one of these outcomes in the results?
found() {
	local outcome
	for outcome in ${1//|/ }; do
		[ -z "$(json json "$outcome")" ] || return 0
	done
	return 1
}

# shortfalls STATUS FINDS NEVER MORE: what is not as expected of the run that is in json, log and $status.
shortfalls() {
	local x

	[ "$status" -eq "$1" ] || echo "exit $status instead of $1"
	for x in ${2//,/ }; do
		[ "$x" = - ] || found "$x" || echo "no $x"
	done
	for x in ${3//,/ }; do
		[ "$x" = - ] || ! found "$x" || echo "$x"
	done
	for x in ${4//,/ }; do
		case $x in
		complete) [ "$(json json complete)" = true ] || echo "not complete" ;;
		incomplete) [ "$(json json complete)" = false ] || echo "complete" ;;
		names=*) grep -E ': (error: livelock|note: .*(spins|waits|goes round))' log | grep -qw "${x#names=}" || echo "does not name ${x#names=}" ;;
		says=*) grep -q "${x#says=}" log || echo "does not say ${x#says=}" ;;
		esac
	done
}

# judge GROUP: explores its programs, and prints those that do not end as expected. Only a search that time alone ends is
# given any, or a busy machine made a difference.
judge() {
	local group program build code finds never more wrong time bad=0

	while read -r group program build code finds never more; do
		compile "$PROGRAMS/waiting/$program" "$build" program
		rm -f json
		status=0 time=0
		[ "$more" != endless ] || time=10
		timeout 300 "$LINCHPIN" run --max-time=$time --json json -o run -- ./program >log 2>&1 || status=$?
		wrong=$([ -f json ] || echo '{}' >json; shortfalls "$code" "$finds" "$never" "$more" | paste -sd ';')
		if [ -n "$wrong" ]; then
			echo "$program: $wrong"
			bad=$((bad + 1))
		fi
	done < <(grep "^$1	" "$PROGRAMS/waiting/expect")
	[ "$bad" -eq 0 ]
}

@test "loops that others end are no fault" {
	[ "$(grep -c "^right	" "$PROGRAMS/waiting/expect")" -ge 32 ]
	judge right
}

@test "faults behind loops are found" {
	judge wrong
}

@test "loops without a way out are found, and what they wait for" {
	judge stuck
}

# report PROGRAM: explores it; the report is in log, the results in json.
report() {
	compile "$PROGRAMS/waiting/$1" - program
	status=0
	"$LINCHPIN" run --max-time=0 --json json -o run -- ./program >log 2>&1 || status=$?
}

# line PROGRAM TEXT: the number of the line that has the text.
line() {
	grep -nF -m 1 "$2" "$PROGRAMS/waiting/$1" | cut -d : -f 1
}

@test "livelocks in which a thread that has ended gave back different results are different" {
	compile "$PROGRAMS/waiting/result_of_ended.c" - program
	for search in dpor source dfs; do
		rm -rf run
		run "$LINCHPIN" run --max-time=0 --check=none --prove=0 --search=$search --json=json -o run -- ./program
		[ "$(json json complete)" = true ]
		[ "$(json json livelock)" = 2 ] || { echo "$search"; false; }
	done
}

@test "of a livelock is said which loop waits, for which value, since when, and who wrote it" {
	local p=never_unlocked.c loop write
	report $p
	[ "$status" -eq 1 ]
	loop=$(line $p 'while (!try_lock')
	write=$(line $p 'atomic_exchange')
	grep -qE "$p:$loop:.* note: T0\.[12] spins on lines $loop-$((loop + 1)) of work since event [0-9]+, waiting for a change of taken$" log
	grep -qE "^  taken = 1: last changed by T0\.[12] at .*$p:$write \(event [0-9]+: update taken 0 -> 1\)$" log
	python3 - "$loop" "$write" json <<-'END'
		import json, sys
		loop, write, results = int(sys.argv[1]), int(sys.argv[2]), json.load(open(sys.argv[3]))
		for v in results["violations"]:
		    assert v["kind"] == "livelock"
		    (s,) = v["spins"]
		    assert (s["function"], s["first"], s["last"]) == ("work", loop, loop + 1), s
		    (x,) = s["variables"]
		    assert (x["name"], x["value"], x["changed"]["line"]) == ("taken", "1", write), x
		    assert x["changed"]["thread"] != s["thread"] and x["changed"]["event"] < s["since"]
	END
	report flag_never_set.c
	grep -qx "  ready = 0: nobody changes it in this execution" log
	grep -q '"changed": null' json
}

@test "of threads that change memory for ever is not said that they wait" {
	local p=rounds_for_ever.c flags what loop
	loop=$(line $p '/* @loop */')
	while read -r flags what; do
		compile "$PROGRAMS/waiting/$p" "$flags" program
		run "$LINCHPIN" run --check=none --prove=0 --max-executions=100 --max-time=0 --json=json -o run -- ./program
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *'error: livelock: the threads that are left go round for ever'* ]]
		grep -qE "$p:$((loop + 1)):.* note: T0\.1 goes round on lines $loop-$((loop + 1)) of work since event [0-9]+, changing $what" <<<"$output"
		if [ "$flags" = -DWATCHED ]; then
			grep -qE "$p:$(line $p @watches):.* note: T0\.2 spins on .*, waiting for a change of mark$" <<<"$output"
		else
			[[ $output != *spins* && $output == *'T0.2 goes round'* ]]
		fi
		python3 -c 'import json; print(*(s["waits"] for s in json.load(open("json"))["violations"][0]["spins"]))' >waits
		grep -qx "False $([ "$flags" = -DWATCHED ] && echo True || echo False)" waits
	done <<-'END'
		- flag[[]0]$
		-DLOCK (turn and flag[[]0]|flag[[]0] and turn)$
		-DHAND_OVER turn$
		-DWATCHED mark$
	END
}

@test "the rounds of a loop are told once" {
	report looks_in_vain.c
	[ "$status" -eq 1 ]
	grep -qE '^ +\.\.\. these 2 rows 49 more times$' log
	[ "$(grep -c 'read ready = 0' log)" -le 4 ]
}

@test "limits name the lines at which the search stopped" {
	report until_stop_lock.c
	grep -qE "^limit: +loop at .*until_stop_lock.c:$(line until_stop_lock.c 'while (!stop)') \(reads \`stop\`\): at most 4 rounds in a row without news" log
	grep -qE '^bound: +[0-9]+ classes of this client within the limits below; there may be more$' log
	report long_but_finite.c
	grep -qE '^limit: +thread stopped after 20,000 steps \(--max-steps\) at .*long_but_finite.c:[0-9]+$' log
	grep -qE '^bound: +nothing is known; every execution was cut after 20,000 steps$' log
	report reads_a_pipe.c
	grep -qE "^limit: +blocked in a system call at .*reads_a_pipe.c:$(line reads_a_pipe.c 'read(')" log
	report timedlock.c
	grep -qE '^bound: +all 2 classes of this client under sequential consistency \(vain rounds left out\)$' log
}

# classes: compares the programs of the table, with hooks and without. The model has source sets; the default may repeat less.
classes() {
	local program parameters known redundant bad=0 name build search

	while read -r program parameters known redundant; do
		name=$program-$(tr -d = <<<"${parameters//,/-}")
		for build in "" native/; do
			rm -rf run
			[ "$build" ] && search=auto || search=source
			"$LINCHPIN" run -q --search "$search" --check none --max-time=0 --json json -o run -- "$BUILD/oracles/$build$name" >/dev/null || true
			if [ "$(json json complete)" != true ] || [ "$(json json classes)" != "$known" ] ||
				[ "$(json json redundant)" -gt "$redundant" ] ||
				{ [ "$search" = source ] && [ "$(json json redundant)" -ne "$redundant" ]; }; then
				echo "$build$name: $(json json classes) classes (complete: $(json json complete)), $known are known"
				bad=$((bad + 1))
			fi
		done
	done < <(grep -v '^#' "$ROOT/tests/waiting/counts")
	[ "$bad" -eq 0 ]
}

@test "exactly the known classes of locks and retries" {
	[ "$(grep -vc '^#' "$ROOT/tests/waiting/counts")" -ge 14 ]
	classes
}

@test "random programs that wait can do what a checker of every state finds" {
	"$BUILD/tests/fuzz-waiting" -l "$LINCHPIN" -d fuzz -T 2 1 100
}
