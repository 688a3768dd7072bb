#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# linchpin run: what it finds, its exit codes, its files.

load helpers/common

@test "a lost update is found, named by its lines, exit 1" {
	program=$(build counter)
	run "$LINCHPIN" run -o d -- "$program"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"counter.c:$(line_of counter read)"* ]]
}

@test "a correct program: exit 0, and the bound is stated" {
	run "$LINCHPIN" run -o d -- "$(build counter)" locked
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *classes* ]]
}

@test "--json holds the numbers and the ranked repairs" {
	"$LINCHPIN" run -q -o d --json=j -- "$(build counter)" || [ $? -eq 1 ]
	[ "$(json j complete)" = true ]
	[ "$(json j nonlinearizable)" -ge 1 ]
	[ "$(json j histories)" -ge 2 ]
	[ "$(json j executions)" -ge "$(json j classes)" ]
	[ "$(json j first)" -eq "$(line_of counter read)" ]
	[ "$(json j last)" -eq "$(line_of counter write)" ]
	[[ $(json j file) == *counter.c* ]]
	[ "$(json j function)" = '"increment"' ]
	[ "$(json j atomic)" = null ]
	[ "$(json j lock_why)" = '"nothing was explored again"' ]
	for key in seconds executions_per_second eliminator_seconds average_events average_conflicts disabled; do
		[ -n "$(json j $key)" ]
	done
}

@test "--json=- writes nothing else to standard output" {
	"$LINCHPIN" run -q -o d --json=- -- "$(build counter)" >out || [ $? -eq 1 ]
	[ "$(head -c 1 out)" = '{' ]
	[ "$(tail -n 1 out)" = '}' ]
}

@test "-q says nothing about a correct program" {
	run "$LINCHPIN" run -q -o d -- "$(build counter)" locked
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a search that reached a limit says so, and --require-complete makes it exit 3" {
	program=$(build counter)
	run "$LINCHPIN" run -o d --max-executions=3 -- "$program" locked 3 2
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"the limit on executions was reached: 3 classes"* ]]
	run "$LINCHPIN" run -o e --max-executions=3 --require-complete -- "$program" locked 3 2
	[ "$status" -eq 3 ]
	"$LINCHPIN" run -q -o f --json=j --max-executions=3 -- "$program" locked 3 2
	[ "$(json j complete)" = false ]
	[ "$(json j executions)" -eq 3 ]
}

@test "a search that was not finished says what would help, with numbers" {
	run "$LINCHPIN" run --max-executions=10 -o d --json=json -- "$(build counter)" racy 2 2
	[[ $output == *'help:     --search=random'* ]]
	# 4! / (2! 2!) orders, and 2! with one operation each.
	[[ $output == *'2 threads with 2 and 2 operations follow each other in 6 orders, with one operation fewer each in 2'* ]]
	grep -q '"--search=random' json
	run "$LINCHPIN" run -o d -- "$(build counter)" racy 2 2
	! [[ $output == *help:* ]] || return 1
}

@test "--require-complete accepts a finished search and does not hide a violation" {
	program=$(build counter)
	run "$LINCHPIN" run -q -o d --require-complete -- "$program"
	[ "$status" -eq 1 ]
	run "$LINCHPIN" run -q -o e --require-complete -- "$program" locked
	[ "$status" -eq 0 ]
}

@test "a fresh run directory is chosen when none is given" {
	"$LINCHPIN" run -q -- "$(build counter)" locked
	"$LINCHPIN" run -q -- "$(build counter)" locked
	[ -f linchpin.1/status ]
	[ -f linchpin.2/status ]
}

@test "-o replaces an old run directory, but no other directory" {
	"$LINCHPIN" run -q -o d -- "$(build counter)" locked
	"$LINCHPIN" run -q -o d -- "$(build counter)" locked
	mkdir mine
	echo precious >mine/file
	run "$LINCHPIN" run -q -o mine -- "$(build counter)" locked
	[ "$status" -eq 2 ]
	[ "$(ls mine)" = file ]
}

@test "the program's output appears once, its standard error too" {
	cat >hello.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		static int shared;
		static void *worker(void *p) { shared++; return p; }
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, 0, worker, 0);
			shared++;
			pthread_join(t, 0);
			puts("hello from the test");
			fputs("and its error\n", stderr);
			return 0;
		}
	C
	# shellcheck disable=SC2046
	gcc $("$LINCHPIN" cflags) -c hello.c && gcc -o hello hello.o $("$LINCHPIN" libs)
	run "$LINCHPIN" run -o d --check=none -- ./hello
	[ "$status" -eq 0 ]
	[ "$(grep -c 'hello from the test' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'and its error' <<<"$output")" -eq 1 ]
}

@test "depth-first, DPOR and random search find the lost update" {
	program=$(build counter)
	for search in dfs dpor random; do
		run "$LINCHPIN" run -q -o "$search" --search=$search --max-executions=2000 -- "$program"
		echo "$search: $output"
		[ "$status" -eq 1 ]
	done
}

@test "DPOR and depth-first find the same histories on two-operation list clients" {
	program=$(build list)
	for client in 'add:0 add:0' 'add:2 remove:1' 'add:0 remove:1' 'remove:1 remove:1' 'add:0 contains:0'; do
		for search in dfs dpor; do
			# shellcheck disable=SC2086
			"$LINCHPIN" run -q -o $search --json=$search.json --search=$search -- "$program" $client ||
				[ $? -eq 1 ]
			[ "$(json $search.json complete)" = true ]
			"$LINCHPIN" report --histories $search >$search.histories || [ $? -eq 1 ]
		done
		[ -s dfs.histories ]
		diff dfs.histories dpor.histories
		[ "$(json dfs.json histories)" = "$(json dpor.json histories)" ]
		[ "$(json dfs.json executions)" -ge "$(json dpor.json executions)" ]
	done
}

@test "--check=outcome finds the lost update; --check=none does not" {
	program=$(build counter)
	run "$LINCHPIN" run -q -o d --check=outcome -- "$program"
	[ "$status" -eq 1 ]
	run "$LINCHPIN" run -q -o e --check=none -- "$program"
	[ "$status" -eq 0 ]
}

@test "a lost update in a program that runs in another directory" {
	program=$(build counter)
	mkdir elsewhere
	cp "$program" elsewhere/test
	cd elsewhere
	run "$LINCHPIN" run -o ../d -- ./test
	[ "$status" -eq 1 ]
	cd ..
	run "$LINCHPIN" report d
	[ "$status" -eq 1 ]
	[[ $output == *"counter.c:$(line_of counter read)"* ]]
}

@test "objects go by their own names, and many accesses of one line are cut in the middle" {
	cat >wide.c <<-'END'
	#include <pthread.h>
	#include <stddef.h>
	static struct { struct { long words[30]; } c; } big[2];
	__attribute__((noinline)) long big_get(volatile long *w)
	{
		long sum = 0;

		for (int i = 0; i < 30; i++) sum += w[i];
		return sum;
	}
	__attribute__((noinline)) void big_set(volatile long *w, int n)
	{
		for (int i = 0; i < 30; i++) w[i] = n;
	}
	static volatile long sink;
	static void *worker(void *x)
	{
		big_set(big[0].c.words, 1);
		big_set(big[1].c.words, x != NULL);
		sink = big_get(big[1].c.words);
		return x;
	}
	int main(void)
	{
		pthread_t a, b;

		pthread_create(&a, NULL, worker, NULL);
		pthread_create(&b, NULL, worker, &a);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return 0;
	}
	END
	gcc -g -O1 -pthread -o wide wide.c
	printf 'object self\nop get() -> ret : big_get(this)\nop set(n) : big_set(this, n)\n' >wide.lin
	run "$LINCHPIN" run --search=random --max-executions=30 --max-time=0 -o d -- ./wide
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'(big) set(1)'* && $output == *'(big[1]) get()'* ]]
	grep -qE 'write big\[1\]\.c\.words\[[0-9]+\] = [01], \([0-9]+ more\), write big\[1\]' <<<"$output"
}
