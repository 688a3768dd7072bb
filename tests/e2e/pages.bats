#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is written for browsers and other tools: pages, SARIF, JUnit, remarks. All say the same as the report.

load helpers/common

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cp "$ROOT/tests/e2e/fix/"{lost_update,guarded_free}.c .
	gcc -g -O1 -pthread -o lost_update lost_update.c
	# Deadlock: two locks, two orders.
	cat >'two locks.c' <<-'EOF'
		#include <pthread.h>

		static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

		static void *other(void *arg)
		{
			pthread_mutex_lock(&b);
			pthread_mutex_lock(&a);
			pthread_mutex_unlock(&a);
			pthread_mutex_unlock(&b);
			return arg; /* </script><b>&"' */
		}

		int main(void)
		{
			pthread_t t;

			pthread_create(&t, 0, other, 0);
			pthread_mutex_lock(&a);
			pthread_mutex_lock(&b);
			pthread_mutex_unlock(&b);
			pthread_mutex_unlock(&a);
			pthread_join(t, 0);
			return 0;
		}
	EOF
	gcc -g -O1 -pthread -o two_locks 'two locks.c'
	cp "$BUILD/structures/array_stack-pop" .
	for name in lost_update two_locks array_stack-pop; do
		client=()
		[ $name != array_stack-pop ] || client=('{p1}|{o}|{o}')
		"$LINCHPIN" run -q -o "run.$name" --json "$name.json" --html "$name.html" --sarif "$name.sarif" \
			--junit "$name.xml" -- "./$name" "${client[@]}" >"$name.out" 2>/dev/null || [ $? -eq 1 ]
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR" || exit 1
}

@test "a page holds all that it needs, and no text ends its script" {
	for name in lost_update two_locks array_stack-pop; do
		python3 "$ROOT/tests/e2e/pages/page.py" "$name.html" "$name.json"
	done
	! grep -q '</script><b>' two_locks.html || return 1
}

@test "a page is drawn in a browser: only what is seen, at every width" {
	command -v chromium >/dev/null || skip 'no chromium'
	for width in 400 1280; do
		for name in two_locks array_stack-pop; do
			timeout 60 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$PWD/chromium" \
				--window-size=$width,900 --virtual-time-budget=2000 --dump-dom "file://$PWD/$name.html" \
				>dom 2>/dev/null
			rows=$(grep -o 'class="row[ "]' dom | wc -l)
			echo "$name $width: $rows rows"
			[ "$rows" -gt 3 ]
			[ "$rows" -lt 80 ]
			grep -q 'class="card panel' dom
		done
	done
}

@test "SARIF: places, flows of threads, related lines, a fix that applies" {
	for name in lost_update two_locks array_stack-pop; do
		python3 "$ROOT/tests/e2e/pages/sarif.py" "$name.sarif" "$name.json"
	done
	# the fix of the lost update compiles
	python3 "$ROOT/tests/e2e/pages/sarif.py" --apply lost_update.sarif >fixed.c
	grep -q __atomic_fetch_add fixed.c
	gcc -Wall -Werror -pthread -o fixed fixed.c
}

@test "JUnit: a test case with its failures" {
	python3 - <<-'EOF'
		import json, xml.etree.ElementTree as xml
		for name in "lost_update", "two_locks", "array_stack-pop":
		    root, found = xml.parse(name + ".xml").getroot(), json.load(open(name + ".json"))["violations"]
		    case = root.find("testsuite/testcase")
		    assert root.tag == "testsuites" and root.get("failures") == "1"
		    assert case.get("classname") == name
		    assert len(case.findall("failure")) == len(found)
		    for failure, violation in zip(case.findall("failure"), found):
		        assert failure.get("message") == violation["message"]
		        assert violation["history"] in failure.text
	EOF
}

@test "the JSON names place, sentence and specification" {
	[ "$(json lost_update.json message)" = "\"assertion \`c.n == 2' failed in main (T0)\"" ] || {
		json lost_update.json message
		false
	}
	[ "$(json array_stack-pop.json specification)" = '"stack"' ]
	python3 -c '
import json
for name in "lost_update", "two_locks", "array_stack-pop":
    for v in json.load(open(name + ".json"))["violations"]:
        line = open(v["file"]).read().split("\n")[v["line"] - 1]
        assert line.strip(), line
'
}

@test "remarks for GitHub: one a finding, nothing that ends the line" {
	run env GITHUB_ACTIONS=true "$LINCHPIN" report -q run.two_locks
	grep -q '^::error file=.*two locks.c,line=[0-9]*,col=[0-9]*,title=linchpin::deadlock: every thread waits%0A' <<<"$output"
	run "$LINCHPIN" report -q run.two_locks
	[[ $output != *::error* ]]
}

@test "a file that cannot be written is an error" {
	for option in html sarif junit; do
		run "$LINCHPIN" report -q --$option=/nonexistent/file run.two_locks
		[ "$status" -eq 2 ]
		[[ $output == *'/nonexistent/file: No such file or directory'* ]]
	done
}
