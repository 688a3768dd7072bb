#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Libraries that the program opens in an execution: instrumented as they come, gone when it ends.

load helpers/common

SOURCES=$ROOT/tests/instrument/opened

setup_file() {
	cd "$BATS_FILE_TMPDIR" || exit 1
	gcc -g -O1 -shared -fPIC -o stack.so "$SOURCES/stack.c"
	gcc -g -O1 -o client "$SOURCES/client.c" -pthread
	gcc -g -O1 -DLINKED -o linked "$SOURCES/client.c" "$BATS_FILE_TMPDIR/stack.so" -pthread
	gcc -g -O0 -shared -fPIC -o a.so "$SOURCES/adder.c"
	gcc -g -O0 -shared -fPIC -DOTHER -o b.so "$SOURCES/adder.c"
	gcc -g -O1 -o each "$SOURCES/each.c" -pthread
	cat >linked.lin <<-'END'
	object stack
	op push(value)                    : void stack_push(value)
	op pop() -> out if ret else empty : bool stack_pop(out)
	END
	{ echo 'library stack.so # which main opens' && cat linked.lin; } >client.lin
}

P() {
	cd "$BATS_FILE_TMPDIR" || exit 1
}

# summary RUNDIR: what an exploration has found, without times
summary() {
	"$LINCHPIN" report --no-replay "$1" 2>/dev/null | grep -E '^(bound|ends|result):'
	"$LINCHPIN" report --histories "$1" 2>/dev/null || true
}

@test "a library that is opened has the classes and histories of one that is linked" {
	P
	run "$LINCHPIN" run -o opened -- ./client ./stack.so
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'stack.c:'*'not linearizable'*'was taken out twice'* ]]
	[[ $output == *'(stack_pop) must be atomic'* ]]
	[[ $output == *'executed again with the same result'* ]]
	run "$LINCHPIN" run -o linked.run -- ./linked
	[ "$status" -eq 1 ]
	summary opened >opened.txt
	summary linked.run >linked.txt
	grep -q 'not allowed' opened.txt
	diff opened.txt linked.txt
}

@test "opened libraries: every search and isolation, and nothing is left behind" {
	P
	for mode in rollback fork; do
		COUNT=1 LINCHPIN_ISOLATE=$mode run "$LINCHPIN" run --search=random --max-executions=300 -o "r-$mode" \
			-- ./client ./stack.so
		echo "$output"
		[[ $output == *'ends: '*' ok'* ]]
		[[ $output != *abort* ]]
		[ "$(grep -c stack.so "r-$mode/modules")" -eq 1 ]
	done
}

@test "opened libraries: the address depends on the schedule, the name does not" {
	P
	for mode in rollback fork; do
		for search in dpor dfs; do
			LINCHPIN_ISOLATE=$mode run "$LINCHPIN" run --check=none --search=$search -o "e-$mode-$search" \
				-- ./each ./a.so ./b.so
			echo "$output"
			[[ $output == *'24 ok, 16 exit'* ]] || [ $search = dfs ]
			[[ $output != *crash* ]]
			"$LINCHPIN" report --no-replay "e-$mode-$search" >"$mode-$search.txt" || true
			grep -q 'adder.c:1[89]' "$mode-$search.txt"
			[ "$(grep -c '/[ab].so$' "e-$mode-$search/modules")" -eq 2 ]
		done
	done
	diff <(grep -v recorded rollback-dpor.txt | sed 's/ in .* s.*, /, /; s/e-[a-z-]*//') \
		<(grep -v recorded fork-dpor.txt | sed 's/ in .* s.*, /, /; s/e-[a-z-]*//')
}

@test "opened libraries: one that is closed and opened again in an execution" {
	P
	gcc -g -O1 -DAGAIN -o again "$SOURCES/each.c" -pthread
	for mode in rollback fork; do
		LINCHPIN_ISOLATE=$mode run "$LINCHPIN" run --check=none --search=random --max-executions=200 \
			-o "again-$mode" -- ./again ./a.so ./b.so
		echo "$output"
		[[ $output == *' ok, '*' exit'* ]]
		[[ $output != *crash* ]]
		"$LINCHPIN" report --no-replay "again-$mode" | grep -q 'adder.c:1[89]'
		[ "$(grep -c '/[ab].so$' "again-$mode/modules")" -eq 2 ]
	done
}

@test "opened libraries: the same trace each time" {
	P
	for n in 1 2; do
		LINCHPIN_REPORT=0 LINCHPIN_QUIET=1 LINCHPIN_DIR=same$n LD_PRELOAD="$RUNTIME" ./client ./stack.so
	done
	cmp same1/trace same2/trace
	"$LINCHPIN" replay same1 1 >1.txt
	"$LINCHPIN" replay same1 1 >2.txt
	diff 1.txt 2.txt
	grep -q 'stack.c' 1.txt
}

@test "opened libraries: what is not instrumented is reported" {
	P
	LINCHPIN_SKIP=stack_push run "$LINCHPIN" run -v --spec=stack --check=none -o skipped -- ./client ./stack.so
	echo "$output"
	[[ $output == *'not instrumented: stack.so '*'stack_push: skipped on request'* ]]
}

@test "opened libraries: with compiler hooks on either side" {
	P
	# A program with hooks that opens a plain library, and the other way round.
	# shellcheck disable=SC2046
	gcc -O1 $("$LINCHPIN" cflags) -c -o hooked.o "$SOURCES/each.c"
	# shellcheck disable=SC2046
	gcc -o hooked hooked.o $("$LINCHPIN" libs)
	gcc -O0 -g -fsanitize=thread -shared -fPIC -o c.so "$SOURCES/adder.c" -nodefaultlibs
	run "$LINCHPIN" run --check=none -o h1 -- ./hooked ./a.so ./b.so
	echo "$output"
	[[ $output == *'24 ok, 16 exit'* ]]
	run "$LINCHPIN" run --check=none -o h2 -- ./each ./a.so ./c.so
	echo "$output"
	[[ $output == *'24 ok, 16 exit'* ]]
}

@test "opened libraries: each way to keep thread-local storage" {
	P
	for tls in auto prctl; do
		LINCHPIN_TLS=$tls run "$LINCHPIN" run --check=none -o "t-$tls" -- ./each ./a.so ./b.so
		[[ $output == *'24 ok, 16 exit'* ]]
	done
	gcc -g -O1 -shared -fPIC -o no_tls.so -xc - <<<'void adder(int *counter) { ++*counter; }'
	LINCHPIN_TLS=shared run "$LINCHPIN" run --check=none -o t-s -- ./each ./no_tls.so ./no_tls.so
	[[ $output == *' ok, '*' exit'* ]]
	LINCHPIN_TLS=shared run "$LINCHPIN" run --check=none -o t-e -- ./each ./a.so ./b.so
	[ "$status" -eq 2 ]
	[[ $output == *'thread-local variables of its own is loaded, use auto'* ]]
}

@test "a specification names opened libraries, and mistakes are reported" {
	P
	sed 's/stack.so/stick.so/' client.lin >wrong.lin
	run "$LINCHPIN" run --spec=wrong.lin -o m -- ./client ./stack.so
	[ "$status" -eq 2 ]
	[[ $output == *'wrong.lin:1:9: error: '*stick.so* ]]
	run "$LINCHPIN" run --spec=linked.lin -o m -- ./client ./stack.so
	[ "$status" -eq 2 ]
	[[ $output == *'linked.lin:2:'*'has no function `stack_push`'*'library PATH'* ]]
	sed 's/stack_pop/stack_pip/' client.lin >wrong.lin
	run "$LINCHPIN" run --spec=wrong.lin -o m -- ./client ./stack.so
	[ "$status" -eq 2 ]
	[[ $output == *'wrong.lin:4:'*'did you mean `stack_pop`?'* ]]
	cp client.lin unused.lin
	run "$LINCHPIN" run --spec=unused.lin -o m -- ./each ./a.so ./b.so
	echo "$output"
	[[ $output == *'stack.so, whose functions the specification names, was never loaded'* ]]
	for mode in rollback fork; do
		LINCHPIN_ISOLATE=$mode run "$LINCHPIN" run --spec=client.lin --search=random --max-executions=20 \
			-o "used-$mode" -- ./client ./stack.so
		[[ $output == *'20 executions'* && $output != *'was never loaded'* ]]
	done
}

@test "opened libraries: C++, and what libc opens for itself" {
	P
	g++ -g -O1 -shared -fPIC -o thrower.so "$SOURCES/thrower.cc"
	g++ -g -O1 -o catcher "$SOURCES/catcher.cc" -pthread
	for mode in rollback fork; do
		LINCHPIN_ISOLATE=$mode run "$LINCHPIN" run --check=none --search=random --max-executions=200 -o "c-$mode" \
			-- ./catcher ./thrower.so
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'ends: '*' ok'* ]]
		[ "$(grep -c thrower.so "c-$mode/modules")" -eq 1 ]
	done
}

@test "init proposes from libraries that are opened, when they are named" {
	P
	run "$LINCHPIN" init ./client
	[ "$status" -eq 2 ]
	[[ $output == *'in a library that it opens, name that, too'* ]]
	mkdir -p elsewhere
	"$LINCHPIN" init -o elsewhere/proposed.lin ./client ./stack.so
	cat elsewhere/proposed.lin
	grep -qx "library $PWD/stack.so" elsewhere/proposed.lin
	grep -qx 'object stack' elsewhere/proposed.lin
	run "$LINCHPIN" run --spec=elsewhere/proposed.lin -o proposed -- ./client ./stack.so
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'was taken out twice'* ]]
	run "$LINCHPIN" init ./client ./nowhere.so
	[ "$status" -eq 2 ]
	[[ $output == *nowhere.so* ]]
}

@test "a library that is opened and has relocations in its text is a limit" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	cat >text.s <<-'END'
		.globl bump
		.type bump, @function
		bump:
			movabsq $value, %rax
			incl (%rax)
			ret
		.size bump, .-bump
		.data
		.globl value
		value: .long 0
		.section .note.GNU-stack,"",@progbits
	END
	as -o text.o text.s && ld -shared -z notext -o text.so text.o
	cat >open.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stddef.h>
		static void (*bump)(void);
		static int shared;
		static void *worker(void *unused) { shared++; bump(); return unused; }
		int main(void)
		{
			pthread_t a, b;
			bump = (void (*)(void))dlsym(dlopen("./text.so", RTLD_NOW), "bump");
			pthread_create(&a, NULL, worker, NULL);
			pthread_create(&b, NULL, worker, NULL);
			pthread_join(a, NULL);
			return pthread_join(b, NULL);
		}
	END
	gcc -g -O1 -o open open.c -pthread
	run "$LINCHPIN" run --check=none --json=j -o d -- ./open
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'limit:    a library with relocations in its text is not instrumented: its accesses are not seen'* ]]
	[ "$(json j complete)" = false ]
}

@test "more libraries than there is room for are a limit" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf '\t.globl bump\n\t.type bump, @function\nbump:\n\tincl value(%%rip)\n\tret\n\t.size bump, .-bump\n\t.data\n' >one.s
	printf '\t.hidden value\nvalue:\t.long 0\n\t.section .note.GNU-stack,"",@progbits\n' >>one.s
	as -o one.o one.s && ld -shared -z noseparate-code -o one.so one.o
	cat >open.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdio.h>
		static int shared;
		static void *worker(void *unused) { shared++; return unused; }
		int main(void)
		{
			pthread_t a, b;
			char name[20];
			for (int i = 0; i < 1030; i++) {
				snprintf(name, sizeof name, "./%d.so", i);
				if (!dlopen(name, RTLD_NOW))
					return 1;
			}
			pthread_create(&a, NULL, worker, NULL);
			pthread_create(&b, NULL, worker, NULL);
			pthread_join(a, NULL);
			return pthread_join(b, NULL);
		}
	END
	gcc -g -O1 -o open open.c -pthread
	for ((i = 0; i < 1030; i++)); do cp one.so $i.so; done
	run "$LINCHPIN" run --check=none --max-executions=2 --max-time=0 --json=j -o d -- ./open
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'limit:    more libraries are loaded than can be kept track of: accesses in some are not seen'* ]]
	[ "$(json j complete)" = false ]
}

@test "a library that was left by a jump and is closed at once leaves nothing behind" {
	P
	gcc -g -O2 -shared -fPIC -DLIBRARY -o leaving.so "$SOURCES/leaving.c"
	gcc -g -O1 -o leaving "$SOURCES/leaving.c" -pthread
	[ "$(./leaving ./leaving.so)" = 2 ]
	run "$LINCHPIN" run --check=none --search=random --max-executions=50 -o closed -- ./leaving ./leaving.so
	echo "$output"
	[ "$status" -eq 0 ]
	grep -qE 'ends: *[0-9]+ ok$' <<<"$output"
}
