#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tool itself: addresses, signals, time, and what a run directory may make it do.

load helpers/common

# plain NAME: compiles programs/robust/NAME.c without hooks.
plain() {
	gcc -g -w -O2 -pthread -I"$ROOT/include" "$PROGRAMS/robust/$1.c" -o "$1"
}

@test "violations with heap pointers as arguments and results happen again" {
	for name in lost_heap_node heap_argument_guessed; do
		plain "$name"
		run "$LINCHPIN" run --max-time=0 --json=j -o d -- "./$name"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output != *'not deterministic'* ]]
		grep -q '"replayed": true' j
		! grep -q '"replayed": false' j || return 1
	done
}

@test "what constructors have mapped is as it was in every execution" {
	plain mapped_by_constructor
	run "$LINCHPIN" run --max-time=0 --json=j -o d -- ./mapped_by_constructor
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(json j complete)" = true ]
	[ "$(json j ok)" -ge 1 ]
}

@test "memory that a constructor reserves and main uses is empty in every execution, what main unmaps is a limit" {
	plain early_mappings
	run "$LINCHPIN" run --max-time=0 --json=j -o d -- ./early_mappings
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(json j ok)" -ge 2 ]
	[[ $output != *'limit:    '*'constructor has mapped'* ]]
	run "$LINCHPIN" run --max-time=0 -o d -- ./early_mappings unmap
	echo "$output"
	[[ $output == *'limit:    '*'constructor has mapped'*'unmapped or protected'* ]]
}

# as_before: what left_behind.c expects to find in the directory `place`, and standard input.
as_before() {
	rm -rf place
	mkdir -p place/directory
	printf 'first\nsecond\nthird\n' >input
	echo file >place/directory/file
	(cd place && printf 'first\n' >old && chmod 640 old && ln -s old link &&
		ln -s target nowhere && mkfifo -m 644 pipe)
}

# state_of DIRECTORY: what is in there; of directories also when they were changed is another matter.
state_of() {
	find "$1" -type f -printf '%P %m %s %T@\n' -o -printf '%P %y %m\n' | sort
}

@test "an execution finds files, descriptors and attributes of the process as the first one did" {
	plain left_behind
	export SHARED=/left_behind-$$-$BATS_TEST_NUMBER
	./left_behind >names
	[ "$(wc -l <names)" -ge 29 ]
	while read -r name; do
		as_before
		(cd place && ../left_behind "$name" <../input 40<>old 42<old) || { echo "$name is wrong"; return 1; }
		rm -f "/dev/shm$SHARED"
		for mode in rollback fork; do
			as_before
			state_of place >before
			(cd place && "$LINCHPIN" run --check=none --isolate=$mode --require-complete -o ../d -- ../left_behind "$name" <../input 40<>old 42<old) >report 2>&1 ||
				{ echo "$name $mode:"; cat report; return 1; }
			grep -q 'ends: *2 ok' report || { echo "$name $mode:"; cat report; return 1; }
			! grep 'limit:' report || return 1
			# And nothing is left.
			state_of place | diff before - || { echo "$name $mode leaves this"; return 1; }
			[ ! -e "/dev/shm$SHARED" ]
		done
	done <names
}

@test "what is left of few descriptors is enough for copies of those that the program was given" {
	plain addresses
	# 0, 1 and 2, those of bats, and 20 more.
	for limit in 256 1000; do
		(
			ulimit -n $limit
			for ((i = 0; i < 20; i++)); do exec {fd}<addresses; done
			"$LINCHPIN" run -q --check=none -o few -- ./addresses >report 2>&1 || [ $? -eq 1 ]
		)
		grep -q 'assertion' report
		rm -rf few
	done
}

@test "what reads its input is executed again with the same input; a pipe can be read only once" {
	cat >reads.c <<-'END'
		#include <assert.h>
		#include <pthread.h>
		#include <stdio.h>
		static int shared;
		static void *worker(void *unused) { shared++; return unused; }
		int main(void)
		{
			pthread_t a, b;
			int n;
			assert(scanf("%d", &n) == 1);
			pthread_create(&a, NULL, worker, NULL);
			pthread_create(&b, NULL, worker, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			assert(shared == n);
			return 0;
		}
	END
	gcc -g -o reads reads.c -pthread
	echo 2 >number
	LD_PRELOAD="$RUNTIME" LINCHPIN_DIR=d run ./reads <number
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"assertion \`shared == n' failed"*'executed again with the same result'* ]]
	[[ $output != *'== 1'* ]]
	run "$LINCHPIN" replay d 2 </dev/null
	[[ $output == *"assertion \`shared == n' failed"*'same trace as recorded'* ]]
	run bash -c "echo 2 | '$LINCHPIN' run -o pipe -- ./reads"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'a pipe or a terminal: only one execution could'* ]]
}

@test "a livelock names what is waited for" {
	plain livelock_name
	run "$LINCHPIN" run --max-time=0 -o d -- ./livelock_name
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'livelock'*'ready'* ]]
	[[ $output != *'waits for'*'done'* ]]
}

@test "addresses depend neither on the environment nor on the name of the run directory" {
	plain addresses
	"$LINCHPIN" run -q -o a -- ./addresses 2>&1 | grep 0x >first
	LONGER=$(printf 'x%.0s' {1..3000}) "$LINCHPIN" run -q -o a_much_longer_name_of_the_directory -- ./addresses 2>&1 |
		grep 0x >second
	[ -s first ]
	cmp first second
}

# Natively the kernel puts libraries at 0x1555... then, or from 0x2aaa... on.
@test "the runtime has its places where the limit of the stack or the layout of the process leaves others to libraries" {
	needs_same_addresses
	local how way
	plain addresses
	plain early_mappings
	"$LINCHPIN" run -q --check=none -o as_usual -- ./addresses | grep 0x >places
	for how in 'exec setarch -L' 'ulimit -s 20000000000; exec' 'ulimit -s unlimited; exec'; do
		[[ $how != ulimit* || $(ulimit -Hs) = unlimited ]] || skip "the limit of the stack cannot be raised"
		bash -c "$how '$LINCHPIN' run --max-time=0 --require-complete --json=j -o d -- ./early_mappings" >report 2>&1 || { cat report; false; }
		[ "$(json j ok)" -ge 2 ]
		for way in "'$LINCHPIN' run -q --check=none -o low --" "env LD_PRELOAD='$RUNTIME' LINCHPIN_DIR=low LINCHPIN_REPORT=0"; do
			bash -c "$how $way ./addresses" | grep 0x | diff places -
			rm -rf low
		done
	done
}

# explored: a run directory d of ./p, with a violation.
explored() {
	plain addresses
	mv addresses p
	run "$LINCHPIN" run -q -o d -- ./p
	[ "$status" -eq 1 ]
}

@test "report executes only the program that was explored" {
	explored
	printf '#include <fcntl.h>\nint main(void) { return open("executed", O_CREAT | O_WRONLY, 0600) < 0; }\n' >e.c
	gcc e.c -o e
	cp -r d named
	sed -i "s|^program .*|program $PWD/e|; s|^arg .*|arg ./e|" named/run
	run "$LINCHPIN" report named
	echo "$output"
	[ ! -e executed ]
	[[ $output == *'not executed again: '*'/e is not the program that was explored'* ]]
	cp e p
	run "$LINCHPIN" report d
	echo "$output"
	[ ! -e executed ]
	printf '#!/bin/sh\ntouch executed\n' >p
	run "$LINCHPIN" report d
	[ ! -e executed ]
	run "$LINCHPIN" replay d 1
	[ "$status" -eq 2 ]
	[ ! -e executed ]
}

@test "a signal during the search, and more of them afterwards, do not lose the report" {
	plain counter
	"$LINCHPIN" run --max-time=0 -o d -- ./counter >out 2>&1 3>&- &
	pid=$!
	wait_for_classes d 200
	kill -TERM $pid
	for _ in 1 2 3; do
		sleep 0.1
		kill -TERM $pid || true
	done
	wait $pid || status=$?
	cat out
	[ "$status" -eq 1 ]
	grep -q 'error: not lin' out
	grep -q '^result:' out
}

@test "a search that a signal ended is not clean" {
	plain counter
	for signal in ALRM HUP; do
		"$LINCHPIN" run --max-time=0 --check=none -o "d$signal" -- ./counter >out 2>&1 3>&- &
		pid=$!
		wait_for_classes "d$signal" 200
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		cat out
		[ "$status" -eq 3 ]
		grep -q '^bound: *the search was interrupted' out
	done
}

@test "what cannot be judged in time is said, and a report without a bound judges all" {
	plain counter
	"$LINCHPIN" run -q --max-executions=3000 --max-time=0 --check=none -o d -- ./counter
	run "$LINCHPIN" report --check=lin --max-time=0.001 --json=j d
	echo "$output"
	[[ $output == *'limit:    '*' not judged: the time was over'* ]]
	[ "$(json j complete)" = false ]
	run "$LINCHPIN" report --check=lin --json=j d
	[[ $output != *'not judged'* ]]
}

@test "the bound on time ends an execution that computes, and the sequential runs of self" {
	plain computes
	run "$LINCHPIN" run --max-time=1 -o d -- ./computes
	echo "$output"
	[ "$status" -ne 1 ]
	[[ $output == *'bound:    the time limit was reached'* ]]
}

@test "where the trace cannot grow any more, the search ends with a report" {
	run bash -c "ulimit -f 1500; '$LINCHPIN' run --search=walk --check=none --prove=0 --max-time=0 --json=j -o d -- \
		'$BUILD/oracles/treiber-N3'"
	[ "$status" -eq 1 ]
	[[ $output == *'bound:    there was no room for more of the trace'* ]]
	[ "$(json j complete)" = false ]
	[ "$(json j classes)" -ge 1000 ]
	"$LINCHPIN" trace d "$(json j classes)" >last
	grep -q '^outcome:' last
	run "$LINCHPIN" trace d "$(($(json j classes) + 1))"
	[ "$status" -eq 2 ]
}

# The messages of the loader about what it does not find have paths in them.
@test "the heap of a program does not depend on the place of linchpin and of the program" {
	cat >first.c <<-'END'
		#include <assert.h>
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		static int shared;
		static void *worker(void *unused) { shared++; return unused; }
		int main(void)
		{
			pthread_t a;
			assert(!dlerror());
			for (int size = 16; size < 4096; size += 16) {
				char *p = malloc(size);
				for (int i = 0; i < size; i++)
					assert(!p[i]);
			}
			printf("%p\n", malloc(1));
			pthread_create(&a, NULL, worker, NULL);
			shared++;
			assert(!dlsym(RTLD_DEFAULT, "no_such_function") && dlerror());
			pthread_join(a, NULL);
			return 0;
		}
	END
	gcc -g -pthread -o first first.c
	[[ $PWD != *[\ :]* ]] || skip "the loader preloads nothing from here: $PWD"
	for length in 1 20 100 190 900; do
		place=$(printf "%${length}s" | tr ' ' p | sed 's|.\{199\}|&/|g')
		mkdir -p "$place"
		cp "$LINCHPIN" "$RUNTIME" first "$place"
		"$place/linchpin" run --check=none -o d -- "./$place/first" >report 2>&1 || { cat report; false; }
		LD_PRELOAD=$PWD/$place/libsched.so LINCHPIN_REPORT=0 LINCHPIN_DIR=$PWD/d "./$place/first" >>report
		grep '^0x' report
	done >addresses
	[ "$(wc -l <addresses)" -eq 10 ]
	[ "$(sort -u addresses | wc -l)" -eq 1 ]
}
