#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Blocks in force: --block, --enforce.

load helpers/common

# The programs without hooks, at two levels of optimisation, and with hooks.
builds() {
	for how in O0 O2; do
		gcc -g -$how -o "in_force-$how" "$PROGRAMS/in_force.c" -pthread
	done
	cp "$(build in_force -g)" in_force-hooks
}

# block FUNCTION MARK [MARK]: the block from one mark to the other.
block() {
	echo "--block=in_force.c:$1:$(line_of in_force "$2")-$(line_of in_force "${3-$2}")"
}

# explored BUILD TEST OPTION...: explores it, by two searches, which must agree; what came of it is in result.
explored() {
	local build=$1 test=$2 search
	shift 2
	for search in dpor dfs; do
		status=0
		"$LINCHPIN" run -o d --json=j --check=none --search=$search "$@" -- ./in_force-$build $test >log 2>&1 || status=$?
		result="$(json j complete) $(json j ok) $(json j assert) $(json j deadlock)"
		echo "$build $test $search $*: $result"
		[ "$search" = dpor ] || [ "$result" = "$before" ] || cat log
		[ "$search" = dpor ] || [ "$result" = "$before" ]
		before=$result
	done
}

# each TEST OPTION... RESULT: by all builds.
each() {
	local wanted=${*: -1}
	builds
	for how in O0 O2 hooks; do
		explored $how "${@:1:$#-1}"
		[ "$result" = "$wanted" ]
	done
}

@test "a lost update is excluded by its block, and by a lock around it" {
	each update 'true 2 2 '
	each update "$(block update update.read update.write)" 'true 2  '
	each update --enforce=lock "$(block update update.read update.write)" 'true 2  '
	[[ $(cat log) == *'with a lock around these blocks: in_force.c:update:'* ]]
}

@test "a block of one line is none where the other line is outside" {
	each update "$(block update update.write)" 'true 2 2 '
}

@test "a block is what it calls" {
	each calls "$(block by_calls calls.get calls.set)" 'true 2  '
	each calls "$(block get get.read)" 'true 2 2 '
}

@test "a loop around a block makes an instance of each round; a loop inside is part of it" {
	each twice "$(block twice twice.read twice.write)" 'true 6  '
	each twice "$(block twice twice.for twice.end)" 'true 2  '
}

@test "stores of one assignment, and an allocation, do not end a block; rounds of a loop that was unrolled do" {
	each makes "$(block makes makes.read makes.write)" 'true 2  '
	gcc -g -O3 -o in_force-O3 "$PROGRAMS/in_force.c" -pthread
	explored O3 makes "$(block makes makes.read makes.write)"
	[ "$result" = 'true 2  ' ]
	# Each store is a block, and other threads come between them.
	for how in O0 O2 O3 hooks; do
		explored $how fills
		before_blocks=$result
		explored $how fills "$(block fills fills.write)"
		[ "$result" = "$before_blocks" ]
	done
}

@test "a function that is inlined, twice into one" {
	each inlined "$(block add add.read add.write)" 'true 4  '
	# One lock for all blocks: the updates of x and of y exclude each other, too.
	each inlined --enforce=lock "$(block add add.read add.write)" 'true 6  '
}

@test "two calls of one function are two instances" {
	# Between the two reads of x another thread may write, unless the call is part of the block.
	for how in O0 hooks; do
		builds
		explored $how recursive "$(block deep deep.read)"
		[ "$result" = 'true 2 1 ' ]
		explored $how recursive "$(block deep deep.read deep.call)"
		[ "$result" = 'true 2  ' ]
	done
}

@test "locks in two orders: with both nestings in blocks there is no deadlock" {
	each locks 'true 2  1'
	each locks "$(block ab ab.first ab.last)" "$(block ba ba.first ba.last)" 'true 2  '
	each locks --enforce=lock "$(block ab ab.first ab.last)" "$(block ba ba.first ba.last)" 'true 2  '
	# One block is enough if nobody else can stand between the two locks of the other.
	each locks "$(block ab ab.first ab.second)" 'true 2  '
	each locks --enforce=lock "$(block ab ab.first ab.second)" 'true 2  1'
}

@test "a block that waits inside cannot be had" {
	each waits "$(block waits waits.first waits.last)" 'true 1  '
	[[ $(cat log) == *'with these blocks in force: in_force.c:waits:'* ]]
	builds
	# Nobody posts before it has begun.
	explored O0 waits "$(block waits waits.first waits.wait)" "$(block posts posts.first posts.post)"
	[ "$result" = 'true 1  ' ]
	explored O0 joins "$(block joins joins.first joins.last)"
	[[ $result == 'true   '* ]]
	[[ $(cat log) == *'with these blocks nobody can go on: the block in_force.c:joins:'*' waits inside'* ]]
}

@test "a loop that waits inside a block" {
	each spins "$(block spins spins.first spins.last)" 'true 1  '
}

# Lines from one that has the text, so many above and below.
lines_around() {
	local at
	at=$(grep -nF "$2" "$PROGRAMS/waiting/$1.c" | head -n 1 | cut -d : -f 1)
	echo "$((at - $3))-$((at + $4))"
}

@test "loops that wait, with blocks and locks around parts of them" {
	while read -r name up down text; do
		gcc -g -O1 -o loops "$PROGRAMS/waiting/$name.c" -pthread
		for enforce in atomic lock; do
			"$LINCHPIN" run -o d --json=j --check=none --enforce=$enforce \
				--block="$name.c:$(sed -n 's/.*void \*\(work[er]*\)(.*/\1/p' "$PROGRAMS/waiting/$name.c"):$(
					lines_around $name "$text" $up $down)" -- ./loops >log 2>&1 || { cat log; false; }
			[ "$(json j complete)" = true ]
			[ "$(json j ok)" -ge 2 ]
		done
	done <<-END
		queue_on_stacks 3 1 while (atomic_load(&me.waits))
		queue_on_stacks 3 0 while (atomic_load(&me.waits))
		queue_on_stacks 2 3 while (!atomic_load(&me.next))
		second_by_trying 1 9 pthread_mutex_lock(&a)
		second_by_trying 0 2 n++
		exchange 0 3 while (atomic_exchange
		exchange 0 0 while (atomic_exchange
	END
}

@test "an exception ends the block" {
	for flags in -O0 -O2; do
		g++ -g $flags -o unwinds "$PROGRAMS/unwinds.cc" -pthread
		first=$(grep -n '@thrower.first' "$PROGRAMS/unwinds.cc" | cut -d : -f 1)
		run "$LINCHPIN" run -o d --json=j --check=none --block=unwinds.cc:thrower:$first-$((first + 1)) -- ./unwinds
		echo "$output"
		[ "$(json j complete)" = true ]
		[ "$(json j crash)" -ge 1 ]
	done
}

# Each of the two variables is read and written by both threads, in 4 ways, or 2 if that is a block.
@test "what a thread joins at once is not before its earlier steps" {
	local block wanted function search
	gcc -g -O1 -pthread -o ended "$PROGRAMS/in_force_ended.c"
	for block in take:take.read-take.write=8 take:take.give-take.give=8 wish:wish-wish=16; do
		wanted=${block#*=} block=${block%=*}
		function=${block%:*} block=${block#*:}
		for search in dpor dfs; do
			"$LINCHPIN" run -q -o d --json=j --check=none --search=$search \
				"--block=in_force_ended.c:$function:$(line_of in_force_ended "${block%-*}")-$(line_of in_force_ended "${block#*-}")" -- ./ended
			echo "$block $search: $(json j classes)"
			[ "$(json j complete) $(json j classes)" = "true $wanted" ]
		done
	done
}

# What it reads is written with both locks held: the block is before the other thread takes the inner one, or after it has
# released the outer one.
@test "what a block reads leads it to other locks" {
	local last search
	gcc -g -O0 -pthread -o locks "$PROGRAMS/in_force_locks.c"
	for last in lock write unlock; do
		for search in dpor dfs; do
			"$LINCHPIN" run -q -o d --json=j --check=none --search=$search \
				"--block=in_force_locks.c:follow:$(line_of in_force_locks follow.read)-$(line_of in_force_locks follow.$last)" -- ./locks
			echo "$last $search: $(json j classes)"
			[ "$(json j complete) $(json j classes)" = "true 2" ]
		done
	done
}

@test "random search, replay and --isolate=fork have the blocks, too" {
	builds
	explored O0 update --isolate=fork "$(block update update.read update.write)"
	[ "$result" = 'true 2  ' ]
	"$LINCHPIN" run -o r --json=j --check=none --search=random --max-executions=100 \
		"$(block update update.read update.write)" -- ./in_force-O0 update
	[ "$(json j classes)" -eq 2 ]
	"$LINCHPIN" replay r 2 | grep 'same trace as recorded'
	run "$LINCHPIN" run -o r --json=j --check=none --search=random --max-executions=100 \
		"$(block joins joins.first joins.last)" -- ./in_force-O0 joins
	echo "$output"
	[ "$(json j deadlock)" -ge 1 ]
	[[ $output == *'executed again with the same result'* ]]
}

@test "verify has a block of one's own in force, whatever the build" {
	local how test use
	builds
	for how in O0 O2 hooks; do
		for test in update inlined; do
			"$LINCHPIN" run -q -o r --check=none --prove=0 -- ./in_force-$how $test >log 2>&1 || [ $? -eq 1 ]
			run "$LINCHPIN" verify "$([ $test = update ] && block update update.read update.write ||
				block add add.read add.write)" r
			echo "$how $test: $output"
			[ "$status" -eq 0 ]
			[[ ${lines[0]} == 'atomic: proven for this client: all '* ]]
			[[ ${lines[1]} == 'lock: proven for this client: all '* ]]
		done
	done
	use=$(grep -n '@use' "$PROGRAMS/registry.cc" | cut -d : -f 1)
	for how in -O1 -O2; do
		g++ -g $how -o registry "$PROGRAMS/registry.cc" -pthread
		"$LINCHPIN" run -q -o r --check=none --prove=0 -- ./registry >log 2>&1 || [ $? -eq 1 ]
		run "$LINCHPIN" verify --enforce=atomic --block registry.cc:visit:$((use - 2))-$use r
		[[ ${lines[0]} == 'atomic: proven for this client: all '* ]]
		# a method, with its class
		run "$LINCHPIN" verify --enforce=atomic --block registry.cc:registry::find:$((use - 22))-$((use - 20)) r
		echo "$output"
		[[ ${lines[0]} == 'atomic: fails: use after free'* ]]
	done
}

@test "a jump to another function that is not taken does not make it part of the block" {
	local how
	command -v clang >/dev/null || skip 'no clang'
	cat >handlers.c <<-'END'
		#include <pthread.h>
		int n, other;
		void second(int x) { other += x; }
		void first(int x)
		{
			n += x;
			if (x > 5)
				second(x);
		}
		static void *work(void *arg)
		{
			void (*volatile handlers[])(int) = { first, second };

			for (int i = 0; i < 2; i++)
				handlers[i](1);
			return arg;
		}
		int main(void)
		{
			pthread_t a, b;

			pthread_create(&a, NULL, work, NULL);
			pthread_create(&b, NULL, work, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			return 0;
		}
	END
	for how in -O0 -Oz -Os -O2; do
		clang -g $how -fno-inline -o handlers handlers.c -pthread
		"$LINCHPIN" run -q -o r --check=none --json=j --block=handlers.c:first:5-8 -- ./handlers
		[ "$(json j classes)" -eq 8 ]
	done
}

@test "a block that is not there is an error that says what is" {
	builds
	run "$LINCHPIN" run -o d --block=in_force.c:nowhere:1-2 -- ./in_force-O0 update
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'the program has no code of this function'* ]]
	run "$LINCHPIN" run -o d --block=in_force.c:update:1-2 -- ./in_force-O0 update
	[ "$status" -eq 2 ]
	[[ $output == *'these lines of the function have no code; it has code from line '* ]]
	run "$LINCHPIN" run -o d --block=update -- ./in_force-O0 update
	[ "$status" -eq 2 ]
	[[ $output == *'a block is FILE:FUNCTION:FIRST-LAST, not `update`'* ]]
}

@test "random programs with random blocks, against every order of their steps" {
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 traps 0 8
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 pair 1 10
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 loop 1 10
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 sems 1 10
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 again 1 5
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O0 unwind 1 5
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O2 tail 1 10
	"$ROOT/tests/blocks/fuzz.py" "$LINCHPIN" fuzz O2 tailthrow 1 5
}

@test "a function that a block ends with by a jump is part of it" {
	local how
	cat >cells.c <<-'END'
		int cell;
		void store(int v) { cell = v; }
		void (*by_pointer)(int) = store;
		void direct(void)
		{
			int v = cell;
			store(v + 1);
		}
		void through(void)
		{
			int v = cell;
			by_pointer(v + 1);
		}
	END
	cat >jumps.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <string.h>
		extern int cell;
		void direct(void), through(void);
		static char *words[] = { "b", "d", "a", "c" };
		static int by_text(const void *a, const void *b)
		{
			return strcmp(*(char *const *)a, *(char *const *)b);
		}
		static int calls(const void *a, const void *b)
		{
			cell |= 0;
			return by_text(a, b);
		}
		static void *work(void *pointer)
		{
			if (pointer)
				through();
			else
				direct();
			return NULL;
		}
		int main(int argc, char **argv)
		{
			pthread_t a, b;

			qsort(words, 4, sizeof *words, argc > 2 ? by_text : calls);
			pthread_create(&a, NULL, work, argc > 1 ? argv : NULL);
			pthread_create(&b, NULL, work, argc > 1 ? argv : NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
			return cell != 2;
		}
	END
	for how in '-O2' '-O2 -z now' '-O2 -fno-plt' '-O2 -Wl,-Bsymbolic-functions' -O0; do
		# shellcheck disable=SC2086
		gcc -g $how -fPIC -shared -o libcells.so cells.c
		# shellcheck disable=SC2086
		gcc -g $how -o jumps jumps.c ./libcells.so -pthread
		"$LINCHPIN" run -q -o r --check=none --prove=0 -- ./jumps >log 2>&1 || [ $? -eq 1 ]
		"$LINCHPIN" verify --block cells.c:direct:6-7 r >log
		[ "$(grep -c 'proven for this client' log)" -eq 2 ]
		"$LINCHPIN" run -q -o r --check=none --prove=0 -- ./jumps pointer >log 2>&1 || [ $? -eq 1 ]
		"$LINCHPIN" verify --block cells.c:through:11-12 r >log
		[ "$(grep -c 'proven for this client' log)" -eq 2 ]
		"$LINCHPIN" replay r 1
	done
}

@test "blocks in force, memory that is freed while others use it, and locks that prefer writers" {
	"$ROOT/tests/blocks/memory.py" "$LINCHPIN" memory 1 40
}
