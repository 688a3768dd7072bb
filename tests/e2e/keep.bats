#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which classes are recorded: --keep. What is reported does not depend on it.

load helpers/common

# explore KEEP STRUCTURE CLIENT
explore() {
	"$LINCHPIN" run -q --keep="$1" --max-time=0 --prove=0 --json="$1.json" -o "$1" -- "$BUILD/structures/$2" "$3" >/dev/null ||
		[ $? -eq 1 ]
}

facts() {
	python3 - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
print(d["complete"], d["histories"], d["classes"] + d["unrecorded"], all(v["replayed"] for v in d["violations"]))
for v in sorted(json.dumps([v.get("kind"), v.get("history")]) for v in d["violations"]):
    print(v)
END
}

@test "one class of each kind tells the same as all classes" {
	while read -r structure client; do
		explore all "$structure" "$client"
		explore findings "$structure" "$client"
		facts all.json >all.facts
		facts findings.json >findings.facts
		diff all.facts findings.facts
		[ "$(json findings.json classes)" -lt "$(json all.json classes)" ]
		[ "$(json all.json unrecorded)" -eq 0 ]
		rm -rf all findings
	done <<-END
		array_stack-pop {p1}|{p2 o}|{o}
		coarse_list-add {c1 r1 a1}|{a1}
		coarse_list-both {a1 r1}|{a1 c1}|{r1}
		optimistic_list-both {a1 r1}|{a1 c1}|{r1}
	END
}

@test "the first N classes are recorded as they are without --keep" {
	needs_same_addresses
	explore all array_stack-pop '{p1}|{p2 o}|{o}'
	explore 20 array_stack-pop '{p1}|{p2 o}|{o}'
	[ "$(json 20.json classes)" -gt 20 ]
	[ "$(json 20.json classes)" -lt "$(json all.json classes)" ]
	for i in 1 7 20; do
		cmp <("$LINCHPIN" trace --raw all $i) <("$LINCHPIN" trace --raw 20 $i)
	done
}

@test "a random search of many classes needs little room, and every kind of end is recorded" {
	run "$LINCHPIN" run --search=walk --keep=findings --check=none --prove=0 --max-executions=20000 --max-time=0 --json=j \
		-o d -- "$BUILD/oracles/treiber-N3"
	[ "$status" -eq 1 ]
	[[ $output == *' of them are like others, and are not recorded'* ]]
	[ "$(json j classes)" -eq 2 ]
	[ "$(json j ok)" -eq 1 ]
	[ "$(json j exit)" -eq 1 ]
	[ "$(json j unrecorded)" -ge 5000 ]
	[ "$(stat -c %s d/trace)" -le 10000 ]
	[[ $output == *'limit: '*'repairs were looked for and compared only in classes that are recorded (--keep)'* ]]
	LINCHPIN_KEEP=findings LINCHPIN_CHECK=none LINCHPIN_REPORT=0 LINCHPIN_DIR=bare LD_PRELOAD=$RUNTIME "$BUILD/oracles/mutex-N3-K2"
	"$LINCHPIN" report --races bare >report || [ $? -eq 1 ]
	grep -q 'races were looked for only in classes that are recorded' report
	grep -q '^bound: *all 90 classes of this client under sequential consistency; 89 of them are like others' report
}

@test "a random search has room for its records, and says what it leaves out" {
	explore findings coarse_list-correct '{a1 r1 a2}|{a1 c1}|{r1}'
	for room in 4000 20000; do
		LINCHPIN_TEST_ROOM=$room run "$LINCHPIN" run --search=random --keep=findings --prove=0 --max-executions=20000 --max-time=0 \
			--json=j -o d -- "$BUILD/structures/coarse_list-correct" '{a1 r1 a2}|{a1 c1}|{r1}'
		[ "$status" -eq 0 ]
		[ "$(stat -c %s d/trace)" -le $((room + 3000)) ]
		[[ $output == *'neither recorded nor judged: a random search with --keep'* ]]
		[[ $output == *' of them are not recorded'* ]]
	done
	[ "$(json j histories)" -ge 8 ]
	[ "$(json j histories)" -le "$(json findings.json histories)" ]
}

@test "where real-time order does not count, it makes no kinds" {
	for check in lin outcome; do
		for keep in all findings; do
			"$LINCHPIN" run -q --check=$check --keep=$keep --max-time=0 --prove=0 --json=$keep.json -o $keep -- \
				"$BUILD/structures/optimistic_list-both" '{a1 r1}|{a1 c1}|{r1}' >/dev/null || [ $? -eq 1 ]
			facts $keep.json >$keep.facts
		done
		diff all.facts findings.facts
		cp findings.json $check.json
	done
	[ "$(json outcome.json classes)" -lt "$(json lin.json classes)" ]
}

@test "what --keep cannot be" {
	run "$LINCHPIN" run --keep=some -- "$BUILD/oracles/mutex-N3-K2"
	[ "$status" -eq 2 ]
	[[ $output == *'--keep must be all, findings or a whole number, not `some`'* ]]
	run "$LINCHPIN" run --keep=findings --races -- "$BUILD/oracles/mutex-N3-K2"
	[ "$status" -eq 2 ]
	[[ $output == *'--races looks at every class: it needs --keep=all'* ]]
	LINCHPIN_KEEP=some LINCHPIN_REPORT=0 LD_PRELOAD=$RUNTIME run "$BUILD/oracles/mutex-N3-K2"
	[ "$status" -eq 2 ]
}
