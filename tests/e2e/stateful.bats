#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches that end executions in states that were met before: the same histories and ends as dpor.

load helpers/common

# explore SEARCH CHECK PROGRAM [ARGUMENT...]
explore() {
	local search=$1 check=$2
	shift 2
	rm -rf run
	"$LINCHPIN" run -q --prove 0 --max-time 0 --search "$search" --check "$check" ${audit:+--audit} --json "$search.json" \
		-o run -- "$@" >"$search.out" 2>&1 || [ $? -eq 1 ] || { cat "$search.out"; return 1; }
}

# What was said of histories and ends.
found() {
	python3 - "$1.json" <<-'END'
	import json, sys
	report = json.load(open(sys.argv[1]))
	print(report["complete"], report["histories"], sorted(report["outcomes"]))
	for violation in sorted(json.dumps([v.get("history"), v["outcome"]]) for v in report["violations"]):
	    print(violation)
	END
}

# agree CHECK PROGRAM [ARGUMENT...]
agree() {
	local check=$1 search
	shift
	explore dpor "$check" "$@"
	for search in spor despor dlspor; do
		audit=$search explore "$search" "$check" "$@"
		diff <(found dpor) <(found "$search")
	done
	[ "$(json spor.json merged)" -gt 0 ]
	[ "$(json spor.json audited)" -gt 0 ]
	[ "$(json spor.json untold)" -eq 0 ]
}

@test "random programs of every kind of event, each state compared" {
	"$BUILD/tests/fuzz-search" -e -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -x 600 240 45
	"$BUILD/tests/fuzz-search" -e -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -w -x 600 1 15
}

@test "histories of lists, stacks and queues" {
	agree lin "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	agree outcome "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	agree outcome "$BUILD/structures/coarse_list-remove" '{a1 r2}|{a2 c1}|{r1}'
}

@test "what was left below the stack pointer, where later frames have holes, is no state" {
	agree outcome "$BUILD/structures/native/optimistic_list-correct" '{r1 a2}|{r1 c1}'
	agree outcome "$BUILD/structures/native/optimistic_list-correct" '{c1 r2}|{a2 a1 a1}'
}

@test "a value that a function in assembly keeps below its stack pointer stays" {
	gcc -g -O2 -pthread -o red_zone "$PROGRAMS/red_zone.c"
	./red_zone
	agree none ./red_zone
}
