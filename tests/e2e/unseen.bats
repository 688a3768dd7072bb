#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Unusual ways to access memory: each is a step like any other (docs/what-is-seen.md). The first line of a program says
# what is right.

load helpers/common

# compile SOURCE FLAG...: programs/unseen/SOURCE to p, `hooks` with compiler hooks.
compile() {
	local source=$PROGRAMS/unseen/$1 hooks= compiler=${COMPILER:-gcc} flags=()
	shift
	[ "${source##*.}" = cc ] && case $compiler in gcc) compiler=g++ ;; clang) compiler=clang++ ;; esac
	for f; do
		case $f in hooks) hooks=1 ;; *) flags+=("$f") ;; esac
	done
	# shellcheck disable=SC2046
	if [ -n "$hooks" ]; then
		$compiler -w -O2 $("$LINCHPIN" cflags --cc="$compiler") "${flags[@]}" -c -o p.o "$source" &&
			$compiler -pthread -o p p.o $("$LINCHPIN" libs) "${LIBRARIES[@]}"
	else
		$compiler -w -g -O2 -pthread "${flags[@]}" -I"$ROOT/include" -o p "$source" "${LIBRARIES[@]}"
	fi
}

# look PROGRAM...: explores it, and leaves run and json.
look() {
	rm -rf run
	run "$LINCHPIN" run --max-time=20 "${OPTIONS[@]}" --check=none -o run --json=json -- "$@"
	echo "$output"
}

# explore SOURCE FLAG...: both.
explore() {
	compile "$@" || return 1
	look ./p $ARGUMENT
}

# ends NAME...: exactly these outcomes, and the search is complete.
ends() {
	python3 - "$@" <<-'END'
	import json, sys
	found = json.load(open("json"))
	print(found["outcomes"], "complete" if found["complete"] else "not complete")
	sys.exit(set(found["outcomes"]) != set(sys.argv[1:]) or not found["complete"])
	END
}

@test "thread-local storage that another thread has a pointer to is shared memory, in every model" {
	for hooks in "" hooks; do
		explore tls_by_pointer.c $hooks; ends ok abort
		explore tls_read_side_wrong.c $hooks; ends ok abort
		for model in "" -fPIC -ftls-model=global-dynamic -ftls-model=initial-exec -mtls-dialect=gnu2; do
			explore tls_model.cc $hooks $model; ends ok abort
		done
	done
	explore tls_model.cc -O0; ends ok abort
}

@test "thread-local storage that nobody else touches gives no steps" {
	for hooks in "" hooks; do
		explore tls_private.c $hooks; ends ok
		[ "$(json json classes)" = 2 ]
	done
}

@test "what a thread counts in its own thread-local storage is a part of its state" {
	for hooks in "" hooks; do
		explore tls_gives_up.c $hooks
		ends ok
	done
}

@test "a thread-local variable of a library that is loaded in an execution" {
	for model in initial-exec global-dynamic; do
		gcc -shared -fPIC -O2 -g -ftls-model=$model -o libtls.so "$PROGRAMS/unseen/tls_library.c"
		explore tls_late.c -ldl; ends ok abort
	done
}

@test "stacks may hold code where the program asks for that" {
	for flag in -O0 -O2 hooks; do
		COMPILER=gcc explore nested.c $flag; ends ok abort
	done
}

@test "functions that are looked up with a version, or in libc by its handle, are those that calls get" {
	LIBRARIES=(-ldl)
	for hooks in "" hooks; do
		for ARGUMENT in 1 2 3; do
			explore looked_up.c $hooks; ends ok
			[ "$(json json classes)" = 2 ]
		done
	done
}

@test "bit-fields share their word" {
	for hooks in "" hooks; do
		explore bit_fields.c $hooks; ends ok assert
	done
}

@test "memcpy and the like are seen when code with hooks calls them" {
	ARGUMENT=8
	explore memcpy.c; ends ok abort
	cp json plain
	explore memcpy.c hooks; ends ok abort
	[ "$(json json classes)" = "$(json plain classes)" ]
}

@test "the guard of a static variable of C++: made by either, waited for, made again after an exception" {
	for hooks in "" hooks; do
		explore static_made_by_other.cc $hooks; ends ok abort
		explore static_waits.cc $hooks; ends ok
		explore static_throws.cc $hooks; ends ok abort
		explore static_recursive.cc $hooks; ends deadlock
	done
}

@test "that a library of the system makes a static variable of its own at its first use is named" {
	for hooks in "" hooks; do
		compile static_of_library.cc -std=c++17 $hooks
		look ./p 1
		unseen "a library of the system makes a variable of its own"
		[ "$(json json complete)" = false ]
		look ./p 20
		ends ok
		[ "$(json json complete)" = true ]
	done
}

@test "libatomic's functions for any size" {
	LIBRARIES=(-latomic)
	for hooks in "" hooks; do
		explore generic_cas.c $hooks -DWRONG=1; ends ok assert
		explore generic_cas.c $hooks -DWRONG=2; ends ok assert
		explore generic_exchange.c $hooks; ends ok assert
		explore generic_load_store.c $hooks; ends ok assert
		explore generic_sizes.c $hooks; ends ok
	done
}

# The same ends in every build; with gcc also the same number of classes with hooks and without. (clang with hooks calls
# memcpy and memset where it expands them otherwise, so there steps are larger; and gcc 14 at -O2 moves both halves of a
# complex number, way 26, at once where there are no hooks.)
@test "26 ways to access memory, with gcc and clang, plainly and with hooks, at -O0 and -O2" {
	for COMPILER in gcc clang; do
		command -v $COMPILER >/dev/null || continue
		for level in -O0 -O2; do
			compile ways.c $level
			mv p plain
			compile ways.c hooks $level
			for way in {1..26}; do
				look ./plain "$way" >/dev/null
				ends ok abort || { echo "way $way, $COMPILER $level"; false; }
				grep -A3 '"outcomes"' json >before
				look ./p "$way" >/dev/null
				ends ok abort || { echo "way $way, $COMPILER $level, hooks"; false; }
				[ $COMPILER = clang ] || [ "$way$level" = 26-O2 ] || cmp before <(grep -A3 '"outcomes"' json) ||
					{ echo "way $way, $COMPILER $level: other classes with hooks"; false; }
			done
		done
	done
}

@test "code without hooks in a program that has some is seen, too" {
	cat >mixed.c <<-'END'
		extern int shared;
		extern void put(int);
		#include <pthread.h>
		#include <stdlib.h>
		static void *other(void *arg) { if (shared == 1) abort(); return arg; }
		int main(void)
		{
			pthread_t a;

			pthread_create(&a, 0, other, 0);
			put(1);
			put(2);
			pthread_join(a, 0);
			return 0;
		}
	END
	echo 'int shared; void put(int v) { shared = v; }' >without.c
	# shellcheck disable=SC2046
	gcc -O2 $("$LINCHPIN" cflags) -c mixed.c
	gcc -O2 -g -c without.c
	# shellcheck disable=SC2046
	gcc -o p mixed.o without.o $("$LINCHPIN" libs)
	"$LINCHPIN" run --check=none -o run --json=json -- ./p || true
	ends ok abort
}

@test "what libstdc++ does to nodes of containers is seen, as if it were in the program" {
	for container in LIST SET WALK HASH STRING; do
		for hooks in "" hooks; do
			explore containers.cc $hooks -D$container
			mv json shared
			LIBRARIES=(-static-libstdc++)
			explore containers.cc $hooks -D$container
			LIBRARIES=()
			# The two libraries are compiled differently, so there may be more places to err at in one.
			for key in ok complete; do
				[ "$(json shared $key)" = "$(json json $key)" ]
			done
			[ "$(json shared use-after-free | grep -c '[1-9]')" = "$(json json use-after-free | grep -c '[1-9]')" ]
			[ "$(json json complete)" = true ]
			[ "$(json json classes)" -ge 2 ]
		done
	done
}

# unseen TEXT: the report says so, and the search is not complete.
unseen() {
	[[ $output == *"limit:"*"$1"* ]]
	[ "$(json json complete)" = false ]
}

@test "a race of a libc function that is not interposed is named; one under a lock, or on own memory, is none" {
	for hooks in "" hooks; do
		compile limits.c $hooks
		for way in snprintf qsort printf rand_r stat; do
			look ./p $way
			unseen "what $way reads and writes is not seen"
		done
		for way in locked own nothing both; do
			look ./p $way
			ends ok
		done
	done
}

@test "memory given to functions that are not seen, or what libc keeps, is named if others use it at the same time, only then" {
	names=$(sed -n 's/^\tCALL(\([a-z_0-9]*\),.*/\1/p' "$PROGRAMS/unseen/given.c")
	[ "$(wc -l <<<"$names")" -gt 50 ]
	LIBRARIES=(-lm)
	for hooks in "" hooks; do
		compile given.c $hooks
		for way in locked before; do
			look ./p all $way </dev/null
			ends ok
		done
		for name in $names; do
			[ -n "$hooks" ] && [[ $name != [a-p]* ]] && continue # the same stubs
			look ./p "$name" race </dev/null >/dev/null
			unseen "what $name " || { echo "$name $hooks"; false; }
			[[ $status -eq 0 && $output != *vacuous* ]]
			[[ $output == *"$PROGRAMS/unseen/given.c:"* ]]
		done
	done
}

@test "what streams of C++ do with shared memory, or shared streams, is named" {
	for flag in -O0 -O2 hooks; do
		compile streams.cc $flag
		for way in {1..10}; do
			look ./p "$way" </dev/null
			grep -q '"what std::.* at .*/streams.cc:[0-9]* it was given memory that another thread uses\|"what std::.* at .*/streams.cc:[0-9]* reads and writes in libc' json ||
				{ echo "way $way, $flag: not named"; false; }
			[ "$(json json complete)" = false ]
		done
		for way in {20..23}; do
			look ./p "$way" </dev/null
			ends ok || { echo "way $way, $flag"; false; }
		done
	done
}

@test "that a future becomes ready when its thread has ended is named" {
	for hooks in "" hooks; do
		compile ready_at_end.cc $hooks
		for way in {1..3}; do
			look ./p "$way"
			unseen "a future becomes ready when its thread has ended" || { echo "way $way $hooks: not named"; false; }
		done
		look ./p 20
		ends ok exit
	done
}

@test "what memory resources of libstdc++ do for two threads at the same time is named, and with a lock it is not" {
	for hooks in "" hooks; do
		compile resources.cc -std=c++17 $hooks
		for way in {1..5}; do
			look ./p "$way"
			unseen "what std::pmr::" || { echo "way $way $hooks: not named"; false; }
			look ./p $((way + 20))
			ends ok || { echo "way $way $hooks, with a lock"; false; }
		done
	done
}

@test "what is closed or deleted while another thread uses it is named, and what comes after it at the same place is not" {
	for hooks in "" hooks; do
		compile closings.c $hooks
		for way in {1..10}; do
			look ./p "$way" </dev/null
			[ "$(json json complete)" = false ]
			if [ "$way" -lt 7 ]; then
				grep -q 'a thread closes a descriptor while another uses' json
			else
				grep -q 'what [a-z_ ]* at .*/closings.c:[0-9]* reads and writes in libc is not seen' json
			fi || { echo "way $way $hooks: not named"; false; }
		done
		for way in {20..25}; do
			look ./p "$way" </dev/null
			ends ok || { echo "way $way $hooks"; false; }
		done
		[ "$(json json classes)" = 6 ] # each makes a key and deletes one
	done
}

@test "a call is at the same time as what others do if and only if a write in its place is a data race" {
	local seed unordered raced limits=0
	compile order.c
	for seed in {1..14}; do
		look ./p call $seed >/dev/null
		[[ $output == *"limit:    what snprintf reads and writes is not seen"* ]] && unordered=1 || unordered=0
		OPTIONS=(--races-all)
		look ./p write $seed >/dev/null
		OPTIONS=()
		[[ $output == *"error: data race"* ]] && raced=1 || raced=0
		[ $unordered = $raced ] || { echo "seed $seed: limit $unordered, race $raced"; false; }
		limits=$((limits + unordered))
	done
	echo "$limits"
	[ $limits -ge 3 ]
	[ $limits -le 11 ]
}

@test "commands that are executed in an execution are named" {
	for hooks in "" hooks; do
		compile limits.c $hooks
		look ./p command
		unseen "the program starts another process (system): what that does is neither explored nor taken back"
	done
}

@test "executable memory and skipped functions are named if they are used" {
	for hooks in "" hooks; do
		compile limits.c $hooks
		look ./p map
		unseen "memory that can be executed"
		OPTIONS=(--skip=hidden)
		look ./p skipped
		unseen "the function hidden is called, and its accesses are not seen (skipped on request)"
		look ./p nothing
		ends ok
		OPTIONS=()
	done
}

# What libc's functions would do: none of it is left for the next execution, or for others.
@test "system calls of the program's own are what libc's functions are: steps, served, taken back" {
	for how in "" -DINLINE "-DINLINE -O0" "-DINLINE hooks"; do
		compile system_calls.c $how
		for what in mkdir openat clock signals memory asks pipe yield; do
			look ./p $what
			ends ok || { echo "$what $how"; false; }
			[ "$(json json classes)" = 4 ]
			[ ! -e made ]
			[ ! -e file ]
		done
		look ./p deadlock; ends deadlock
		look ./p exit_group; ends exit
	done
}

@test "a system call that is no step and not taken back is named with its line; what cannot be is refused" {
	call=$(line_of unseen/system_calls call)
	for how in "" -DINLINE "-DINLINE hooks"; do
		compile system_calls.c $how
		for what in shmget madvise unknown; do
			look ./p $what
			case $what in unknown) name="number 1000" ;; *) name=$what ;; esac
			[ -n "$how" ] && line=$call || line=$(line_of unseen/system_calls "$what")
			[[ $output == *"limit:    system call $name at $PROGRAMS/unseen/system_calls.c:$line: what it does"* ]]
			unseen "what it does or waits for in the kernel is no step, and not taken back"
		done
		OPTIONS=(-j 2)
		look ./p unknown
		unseen "system call number 1000 at"
		OPTIONS=()
		look ./p exit
		[[ $output == *"the program ends a thread by a system call"* ]]
		look ./p clone
		[[ $output == *"the program makes a thread or a process by a system call"* ]]
		look ./p execve
		[[ $output == *"the program calls exec"* ]]
	done
}

@test "an object on the stack of main that is destroyed while a thread may use it" {
	for flags in -O0 -O2; do
		$CC -g $flags -o p "$PROGRAMS/unseen/main_stack.c" -pthread
		look ./p
		unseen 'an object on the stack of main, or a thread-local one, is initialized or destroyed while another thread uses it'
		$CC -g $flags -DORDERED -o p "$PROGRAMS/unseen/main_stack.c" -pthread
		look ./p
		[[ $output != *'misuse'* && $output != *'on its stack'* ]]
		$CC -g $flags -DLEAVES -o p "$PROGRAMS/unseen/main_stack.c" -pthread
		look ./p
		unseen 'a thread uses what main has on its stack, and main may have returned before that'
		$CC -g $flags -DLEAVES -DORDERED -o p "$PROGRAMS/unseen/main_stack.c" -pthread
		look ./p
		[[ $output != *'on its stack'* ]]
	done
}
