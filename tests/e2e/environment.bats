#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What threads find as natively (programs/environment.c), and programs of very many libraries.

load helpers/common

# as_native CASE [OPTION...]: the program says so itself, of all executions, compiled with hooks and without.
as_native() {
	local name=$1 program
	shift
	gcc -g -O1 -o plain "$PROGRAMS/environment.c" -pthread -lm
	# shellcheck disable=SC2046
	gcc -O1 $("$LINCHPIN" cflags) -c "$PROGRAMS/environment.c" && gcc -o hooked environment.o $("$LINCHPIN" libs) -lm
	./plain "$name"
	for program in ./plain ./hooked; do
		"$LINCHPIN" run --check none "$@" --json out.json -o run -- "$program" "$name" >out.txt 2>&1 || { cat out.txt; return 1; }
		[ "$(json out.json complete)" = true ]
		[ "$(json out.json executions)" -ge 4 ]
	done
}

@test "a thread inherits the floating-point environment, main what constructors have left" {
	as_native float
	as_native float --isolate=fork
}

@test "the bounds of a stack are those of the thread, and of main's what libc tells collectors" {
	as_native stack
	as_native stack --isolate=fork
}

@test "blocks of 4 GiB, also from before main, cost what is used of them" {
	as_native large --max-time=0
	as_native large --malloc=quarantine --max-time=0
	as_native large --isolate=fork --max-time=0
}

@test "more than 200 libraries, each of which is seen" {
	local i libraries=()
	{
		echo '#include <pthread.h>'
		echo '#include <stdio.h>'
		for ((i = 1; i <= 220; i++)); do
			printf '\t.globl add%s, value%s\n\t.type add%s, @function\nadd%s:\n\tincl value%s(%%rip)\n\tret\n' $i $i $i $i $i >one.s
			printf '\t.size add%s, .-add%s\n\t.data\n\t.hidden value%s\nvalue%s:\t.long %s\n' $i $i $i $i $i >>one.s
			printf '\t.section .note.GNU-stack,"",@progbits\n' >>one.s
			as -o one.o one.s && ld -shared -o "lib$i.so" one.o
			libraries+=("lib$i.so")
			echo "void add$i(void);" >&3
		done 3>declarations
		cat declarations
		echo 'static void *first(void *p) {'
		for ((i = 1; i <= 220; i++)); do echo "add$i();"; done
		echo 'return p; }'
		echo 'static void *second(void *p) { add220(); return p; }'
		echo 'int main(void) { pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0);'
		echo 'pthread_join(a, 0); pthread_join(b, 0); return 0; }'
	} >main.c
	# shellcheck disable=SC2016
	gcc -O1 -o many main.c "${libraries[@]}" -Wl,-rpath,'$ORIGIN' -pthread
	./many
	"$LINCHPIN" run --check none --json out.json -o run -- ./many >out.txt 2>/dev/null || { cat out.txt; return 1; }
	cat out.txt
	[ "$(json out.json complete)" = true ]
	[ "$(json out.json classes)" -eq 4 ]
	[ ! -e run/uninstrumented ]
	[ "$(wc -l <run/modules)" -gt 222 ]
	"$LINCHPIN" trace run 1 2>/dev/null >trace
	head -20 trace
	[ "$(grep -c 'write' trace)" -eq 221 ]
}

@test "a program with nearly all the static data that it may have" {
	cat >full.c <<-'EOF'
		#include <pthread.h>
		static char data[2000UL << 20];
		static int x;

		static void *add(void *arg)
		{
			__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
			data[sizeof data - 1] = 1;
			return arg;
		}

		int main(void)
		{
			pthread_t thread;

			if (data[sizeof data - 1])
				return 1;
			pthread_create(&thread, 0, add, 0);
			__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
			pthread_join(thread, 0);
			return x != 2;
		}
	EOF
	# shellcheck disable=SC2046
	gcc -g -O1 -fno-pie $("$LINCHPIN" cflags) -c full.c && gcc -no-pie -o full full.o $("$LINCHPIN" libs)
	"$LINCHPIN" run -q --check none --max-time=0 --json out.json -o run -- ./full
	[ "$(json out.json complete)" = true ]
	[ "$(json out.json classes)" -eq 2 ]
}
