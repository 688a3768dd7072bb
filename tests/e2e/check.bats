#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# linchpin check: verdicts, messages, exit codes, pictures, the logger.

load helpers/common

check() {
	"$LINCHPIN" check "$@"
}

# A stack in which 3 lies above 4 for ever, and yet 4 is popped.
bad_stack() {
	printf '%s\n' 'specification stack' '0 5 6 push(4)' '0 7 8 push(3)' '1 10 15 pop -> 5' '2 11 16 pop -> 4' \
		'0 13 14 push(5)'
}

@test "a violation: compiler style, the witness with its lines, exit 1" {
	bad_stack >h.txt
	run check h.txt
	echo "$output"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "h.txt:"*": error: not linearizable"* ]]
	[[ $output == *"h.txt:2: note: thread 0 [5, 6] push(4)"* ]]
	[[ $output == *"h.txt:3: note: thread 0 [7, 8] push(3)"* ]]
	[[ $output == *"h.txt:5: note: thread 2 [11, 16] pop() -> 4"* ]]
	[[ $output != *$'\033'* ]]
}

@test "a linearizable history: exit 0, and no output with -q" {
	printf '%s\n' 'specification queue' '0 1 2 enq 1' '1 1 9 deq -> 1' >h.txt
	run check h.txt
	[ "$status" -eq 0 ]
	[ "$output" = "h.txt: linearizable (2 operations)" ]
	run check -q h.txt
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "--order prints a linearization" {
	printf '%s\n' 'specification queue' '1 1 9 deq -> 1' '0 1 2 enq 1' '0 3 - enq 2' >h.txt
	run check --order h.txt
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "h.txt:3: 1. thread 0 [1, 2] enq(1)" ]
	[ "${lines[2]}" = "h.txt:2: 2. thread 1 [1, 9] deq() -> 1" ]
}

@test "standard input, --adt goes before the file, --general agrees" {
	run bash -c "printf '0 1 2 add 1\n0 3 4 remove -> 1\n' | '$LINCHPIN' check --adt queue -"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == "<stdin>: linearizable"* ]]
	bad_stack >h.txt
	run check --general h.txt
	[ "$status" -eq 1 ]
	printf '%s\n' 'specification queue' '0 1 2 push 1' '0 3 4 push 2' '0 5 6 pop -> 2' >h.txt
	run check h.txt
	[ "$status" -eq 1 ]
	run check --adt stack h.txt
	[ "$status" -eq 0 ]
}

@test "malformed input: file, line, column, what was expected, exit 2" {
	printf '0 1 2 push(1)\n0 5 4 pop\n' >h.txt
	run check --adt stack h.txt
	[ "$status" -eq 2 ]
	[ "$output" = 'h.txt:2:5: error: expected a return time not before the call at 5, not `4`' ]
	echo 'no history at all' >h.txt
	run check --adt stack h.txt
	[ "$status" -eq 2 ]
	[[ $output == "h.txt:1:1: error: expected a history in a known format"* ]]
}

@test "misuse: exit 2 and one message" {
	for arguments in "" "--format xml h.txt" "missing.txt" "--nonsense h.txt" "--html a.html h.txt h.txt" \
		"--timeout soon h.txt" "--jobs 5000 h.txt" "--html missing/a.html h.txt" "."; do
		printf '%s\n' 'specification queue' '0 1 2 enq 1' >h.txt
		# shellcheck disable=SC2086
		run check $arguments
		echo "$arguments: $status: $output"
		[ "$status" -eq 2 ]
		[ -n "$output" ]
	done
	echo '0 1 2 enq 1' >h.txt
	run check h.txt
	[ "$status" -eq 2 ]
	[[ $output == *specification* ]]
	run check --adt stack h.txt
	[ "$status" -eq 2 ]
	[[ $output == "h.txt:1: error: "*enq* ]]
}

@test "several files: a verdict each, the worst exit code" {
	printf '%s\n' 'specification queue' '0 1 2 enq 1' >good.txt
	bad_stack >bad.txt
	echo x >broken.txt
	run check good.txt bad.txt good.txt
	[ "$status" -eq 1 ]
	[ "$(grep -c ': linearizable' <<<"$output")" -eq 2 ]
	run check broken.txt bad.txt
	[ "$status" -eq 2 ]
	[[ $output == *"bad.txt"*"not linearizable"* ]]
}

@test "out of time or memory: unknown, exit 3, and no verdict" {
	# Equal values, all added at once: nothing but the general search applies, and it has no chance.
	awk 'BEGIN {
		for (i = 0; i < 40; i++)
			printf "%d 0 100 enq %d\n", i, i % 2
		for (i = 0; i < 40; i++)
			printf "99 %d %d deq -> %d\n", 200 + 2 * i, 201 + 2 * i, i * i % 7 % 2
	}' >h.txt
	run check --adt queue --timeout 0.3 h.txt
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output == "h.txt: warning: unknown after"*"of 80 operations" ]]
	run check --adt queue --memory 1 h.txt
	[ "$status" -eq 3 ]
	run check --adt queue --timeout 0.3 --json h.txt
	[ "$status" -eq 3 ]
	[[ $output == *'"verdict":"unknown"'*'"order":['* ]]
}

@test "an empty history gives a warning" {
	: >h.txt
	run check h.txt
	[ "$status" -eq 0 ]
	[[ $output == *"warning: there are no operations in it"* ]]
}

@test "--json: one object a file" {
	bad_stack >bad.txt
	printf '%s\n' 'specification queue' '0 1 2 enq "a\"b"' >good.txt
	check --json --order bad.txt good.txt broken.txt >j 2>err || [ $? -eq 2 ]
	python3 - <<-'END'
		import json
		bad, good, broken = [json.loads(line) for line in open("j")]
		assert bad["verdict"] == "not linearizable" and bad["operations"] == 5, bad
		assert sorted(w["line"] for w in bad["witness"]) == [2, 3, 5], bad
		assert bad["why"]
		assert good["verdict"] == "linearizable" and good["order"][0]["arguments"] == ['a"b'], good
		assert broken["verdict"] == "error" and broken["message"], broken
	END
}

@test "--convert writes linchpin's own text format" {
	printf '# @object atomic-queue\n[1] call put\n[2] call get\n[1] return 5\n[2] return 5\n[3] call get\n' >h.log
	run check --convert h.log
	[ "$status" -eq 0 ]
	[ "$output" = "specification queue
1 0 2 enqueue(5)
2 1 3 dequeue() -> 5
3 4 - dequeue()" ]
	check --convert h.log | "$LINCHPIN" check -
}

@test "independent keys of a Jepsen history are checked one by one" {
	printf '%s\n' '{:process 0 :type :invoke :f :write :value [1 7]}' '{:process 0 :type :ok :f :write :value [1 7]}' \
		'{:process 0 :type :invoke :f :read :value [2 nil]}' '{:process 0 :type :ok :f :read :value [2 7]}' >h.edn
	run check --adt 'register(nil)' h.edn
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"h.edn"*"object 2"* ]]
}

@test "pictures: well-formed, escaped, self-contained" {
	printf '%s\n' 'specification queue' '0 1 2 enq "</script><b>&"' '0 3 4 deq -> "]]>"' >h.txt
	run check --html h.html --svg h.svg h.txt
	[ "$status" -eq 1 ]
	python3 - <<'END'
import re, xml.dom.minidom
from html.parser import HTMLParser
xml.dom.minidom.parse("h.svg")
page = open("h.html", encoding="utf-8").read()
assert page.count("<script>") == page.count("</script>") == 1
assert "<b>" not in page and "&lt;/script&gt;&lt;b&gt;&amp;" in page
assert not re.search(r"(src|href)\s*=|url\(|@import|https?:", page)
class Nesting(HTMLParser):
    stack = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
Nesting().feed(page)
assert not Nesting.stack, Nesting.stack
END
}

@test "the page's script runs in a browser" {
	command -v chromium >/dev/null || skip "there is no chromium"
	bad_stack >h.txt
	check --html h.html h.txt || [ $? -eq 1 ]
	# The script shows the buttons, takes titles for its tooltips, and makes the picture as wide as the window.
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
		--dump-dom "file://$PWD/h.html" >dom 2>/dev/null
	grep -q '<nav>' dom
	grep -q 'id="plane"[^>]*--z:' dom
	! grep -q 'class="op[^>]*title=' dom || return 1
}

@test "the logger: a correct stack passes, a broken one does not" {
	$CC -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -I"$ROOT/include" "$ROOT/examples/log_stack.c" -o log_stack
	./log_stack h.txt
	run check h.txt
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "h.txt: linearizable (8000 operations)" ]
	# The other clock, more records than were asked for in one go, one thread.
	LINCHPIN_LOG_CLOCK=monotonic ./log_stack h.txt 2 500
	run check h.txt
	[ "$status" -eq 0 ]
	# The broken one goes wrong nearly always, but chance decides.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		./log_stack --broken h.txt 4 300
		run check h.txt
		[ "$status" -eq 1 ] && break
	done
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == *"error: not linearizable"* ]]
}

@test "the logger: growing, pending and a history written while threads run; in C and C++" {
	cat >p.c <<-'END'
		#include "linchpin_log.h"
		int main(void)
		{
			struct linchpin_log *log = linchpin_log_open(2, 2);
			struct linchpin_logger *me = linchpin_log_thread(log, 1);
			int i, failed;

			for (i = 0; i < 7; i++) {
				linchpin_log_call(me, "s.push", i);
				linchpin_log_return_void(me);
			}
			linchpin_log_call(me, "s.pop");
			linchpin_log_return(me, 6);
			linchpin_log_call(me, "s.cas", 1, -2, 3);
			failed = linchpin_log_write(log, stdout, "object s stack");
			linchpin_log_return_empty(me);
			linchpin_log_close(log);
			return failed;
		}
	END
	for compile in "$CC -std=gnu99 -x c" "${CXX:-g++} -std=c++11 -x c++"; do
		$compile -Wall -Wextra -Wshadow -Wpedantic -Werror -I"$ROOT/include" p.c -o p
		./p >h.txt
		cat h.txt
		[ "$(wc -l <h.txt)" -eq 10 ]
		[ "$(sed -n 1p h.txt)" = "object s stack" ]
		grep -Eq '^1 0 [0-9]+ s\.push\(0\)$' h.txt
		grep -Eq '^1 [0-9]+ [0-9]+ s\.pop\(\) -> 6$' h.txt
		grep -Eq '^1 [0-9]+ - s\.cas\(1, -2, 3\)$' h.txt
	done
}

@test "the logger: a history written in the middle of the run is linearizable" {
	cat >p.c <<-'END'
		#include "linchpin_log.h"
		#include <pthread.h>

		static struct linchpin_log *history;
		static long long counter;
		static int stop;

		static void *work(void *number)
		{
			struct linchpin_logger *me = linchpin_log_thread(history, (unsigned)(uintptr_t)number);

			for (long i = 0; i < 300000 && !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
				linchpin_log_call(me, "fetch_inc");
				linchpin_log_return(me, __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
			}
			return NULL;
		}

		int main(void)
		{
			pthread_t threads[3];
			char name[] = "h0.txt";
			int failed = 0;

			/* Few records at first, so that the logs grow while they are read. */
			history = linchpin_log_open(3, 100);
			for (uintptr_t i = 0; i < 3; i++)
				pthread_create(&threads[i], NULL, work, (void *)i);
			for (; name[1] < '8'; name[1]++) {
				while (__atomic_load_n(&counter, __ATOMIC_RELAXED) < (name[1] - '0') * 2000)
					;
				failed |= linchpin_log_save(history, name, "specification counter");
			}
			__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
			for (int i = 0; i < 3; i++)
				pthread_join(threads[i], NULL);
			linchpin_log_close(history);
			return failed;
		}
	END
	$CC -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -I"$ROOT/include" p.c -o p
	./p
	[ "$(grep -c fetch_inc h7.txt)" -ge 10000 ]
	run check --timeout 60 h?.txt
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c ': linearizable' <<<"$output")" -eq 8 ]
}
