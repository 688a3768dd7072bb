#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `linchpin fix`: which patch is made for a block, that it compiles, and that nothing is wrong with what it makes.

load helpers/common

FIX=$ROOT/tests/e2e/fix

setup_file() {
	"$LINCHPIN" fix --block x.c:f:1 /nonexistent 2>&1 | grep -q 'without libclang' && skip "built without libclang"
	true
}

# mark FILE MARK: the line.
mark() {
	grep -n "@$2 " "$1" | head -n 1 | cut -d : -f 1
}

# explore NAME: copies and builds a program of fix/, and explores it into the directory `run`.
explore() {
	cp "$FIX/$1.c" .
	gcc -g -O1 -pthread -o "$1" "$1.c"
	run "$LINCHPIN" run -q -o run -- "./$1"
}

# block NAME [MARKS]: the block between the marks @from and @to, as an option.
block() {
	local first=from last=to from to
	[ $# -eq 1 ] || { first=$2.from && last=$2.to; }
	from=$(mark "$FIX/$1.c" "$first")
	to=$(mark "$FIX/$1.c" "$last")
	echo "--block=$1.c::$from-${to:-$from}"
}

# fix_builds NAME: the patch is built and explored; both streams are in $output.
fix_builds() {
	explore "$1"
	[ "$status" -eq 1 ]
	run "$LINCHPIN" fix "$(block "$1")" --build "gcc -Wall -Werror -g -O1 -pthread -o $1 $1.c" run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'patched, built, explored: all '*' classes, no violation'* ]]
	cmp "$1.c" "$FIX/$1.c"
}

@test "a lost update becomes one atomic operation" {
	fix_builds lost_update
	[[ $output == *'+	__atomic_fetch_add(&c.n, 1, __ATOMIC_SEQ_CST); /* @from */'* ]]
}

@test "a value that is made of the one read becomes a loop of compare-exchange" {
	fix_builds compare_exchange
	[[ $output == *__atomic_compare_exchange_n* ]]
}

@test "a guard becomes an exchange" {
	fix_builds guarded_free
	[[ $output == *'+	if (!__atomic_exchange_n(&i->freed, true, __ATOMIC_SEQ_CST)) {'* ]]
}

@test "two critical sections become one" {
	fix_builds two_sections
	[ "$(grep -c '^-	pthread_mutex_' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^+	' <<<"$output")" -eq 0 ]
}

@test "a lock that protects the same elsewhere is taken around, and released on every way out" {
	fix_builds check_then_act
	[ "$(grep -c '^+.*pthread_mutex_lock(&lock);' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^+.*pthread_mutex_unlock(&lock);' <<<"$output")" -eq 3 ]
	# what is returned is read before the lock is released
	[[ $output == *'+		int result = sold + 1;'* ]]
}

# report NAME.SUFFIX FLAGS...: the program is patched from its report.
report() {
	local source=$1 name=${1%.*} compiler=gcc
	shift
	[ "$source" != "$name.cc" ] || compiler=g++
	cp "$FIX/$name".* .
	$compiler -g -O1 -pthread "$@" -o "$name" "$source"
	run "$LINCHPIN" run -q -o "run.$*" -- "./$name"
	[ "$status" -eq 1 ]
	run "$LINCHPIN" fix --build "$compiler -Wall -g -O1 -pthread $* -o $name $source" "run.$*" -- "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'patched, built, explored: all '*' classes, no violation'* ]]
}

@test "a new lock is a member of the object that the blocks reach, and is initialized wherever one is made" {
	report member.c -DMADE=1
	[[ $output == *'+	pthread_mutex_lock(&i->lock);'*'+	pthread_mutex_t lock;'* ]]
	[[ $output == *'+	.lock = PTHREAD_MUTEX_INITIALIZER,
+}, two = { 1, 2, .lock = PTHREAD_MUTEX_INITIALIZER };'* ]]
	[[ $output == *'+static struct item three = { .lock = PTHREAD_MUTEX_INITIALIZER };'* ]]
	report member.c -DMADE=2 -DFLEXIBLE
	[[ $output == *'+	pthread_mutex_t lock;
 	int rest[];'* ]]
	[[ $output == *'		return NULL;
+	pthread_mutex_init(&i->lock, NULL);'* ]]
	report member.c -DMADE=3
	[[ $output == *'	i->m = 0;
+	pthread_mutex_init(&i->lock, NULL);'* ]]
}

@test "in C++ a guard holds the lock, whatever way leads out" {
	report guard.cc
	[[ $output == *'+	mutable std::mutex lock;'* ]]
	[[ $output == *'+		std::lock_guard<std::mutex> hold(lock);'* ]]
	report unique.cc
	report guard_widened.cc
	[ "$(grep -c '^-.*std::lock_guard' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^+.*std::lock_guard<std::mutex> hold(mutex_);' <<<"$output")" -eq 1 ]
}

@test "locks that threads wait for in a circle are taken in one order" {
	report order.c -DHOW=1
	[[ $output == *'(there): the locks are taken in the other order'* ]]
	[ "$(grep -c '^[-+].*pthread_mutex_lock(&y.lock);' <<<"$output")" -eq 2 ]
	report order.c -DHOW=2
	[[ $output == *'+	if ((uintptr_t)&from->lock < (uintptr_t)&to->lock) {'* ]]
	# which lock is the second one is known too late
	report order.c -DHOW=3
	[[ $output == *'a new mutex `transfer_lock` around it'* ]]
	"$LINCHPIN" fix "run.-DHOW=3" -- -DHOW=3 2>&1 | grep -q 'a new mutex'
}

@test "a lock that is named by what the first one protects is not taken before it" {
	local how
	for how in 4 5; do
		report order.c -DHOW=$how
		[[ $output == *'a new mutex `transfer_lock` around it'* ]]
		[[ $output == *'no order of the locks: order.c:'*': which lock is the second is known only when the first is taken'* ]]
	done
	report order.c -DHOW=6
	[[ $output == *'(transfer): the locks are taken in the order of their addresses'* ]]
}

@test "a lock is a member only of an object that all blocks have in common" {
	local how lock
	for how in 1:one_lock 2:work_lock 3:one_lock 4:step_lock 5:'struct list.lock'; do
		report reached.c -DHOW=${how%%:*}
		[[ $output == *"a new mutex \`${how#*:}\` around it"* ]]
	done
	for how in 1:add_lock 3:pair.lock; do
		report reached_methods.cc -DHOW=${how%%:*}
		[[ $output == *"a new mutex \`${how#*:}\` around it"* ]]
	done
}

@test "an assignment beside the block that others would ask for is held, too" {
	report beside.c -DWHERE=1
	[[ $output == *'a new mutex `struct set.lock` around it'* ]]
	[[ $output == *' 	COUNT++;
+	pthread_mutex_unlock(&s->lock);'* ]]
	report beside.c -DWHERE=2
	[[ $output == *'a new mutex `struct set.lock` around it'* ]]
	[[ $output == *'+	pthread_mutex_unlock(&s->lock);
 	COUNT++;'* ]]
}

@test "what is built is explored with the input and all arguments of the run" {
	cp "$FIX/given.c" .
	cp given.c faulty.c
	gcc -g -O1 -pthread -o given given.c
	echo x >input
	# shellcheck disable=SC2046
	run "$LINCHPIN" run -q -o run -- ./given $(seq 80) <input
	[ "$status" -eq 1 ]
	run "$LINCHPIN" fix --build 'gcc -g -O1 -pthread -o given faulty.c' run </dev/null
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'patched, built, explored: 1 violation remains'* ]]
	run "$LINCHPIN" fix --build 'gcc -g -O1 -pthread -o given given.c' run </dev/null
	[ "$status" -eq 0 ]
	[[ $output == *'patched, built, explored: all '*' classes, no violation'* ]]
	rm input
	run "$LINCHPIN" fix --build true run </dev/null
	[ "$status" -eq 2 ]
	[[ $output == *'/input, the standard input of the run: No such file'* ]]
}

@test "in C++ both locks are taken together" {
	cp "$FIX/order_guards.cc" .
	g++ -std=c++17 -g -O1 -pthread -o order_guards order_guards.cc
	run "$LINCHPIN" run -q -o run -- ./order_guards
	[ "$status" -eq 1 ]
	run "$LINCHPIN" fix --build 'g++ -std=c++17 -Wall -g -O1 -pthread -o order_guards order_guards.cc' run -- -std=c++17
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'patched, built, explored: '*' classes, no violation'* ]]
	[[ $output == *'+	std::scoped_lock first(from.mutex, to.mutex);'* ]]
}

@test "without --build it says what came of a lock around the lines of the repair" {
	explore lost_update
	"$LINCHPIN" fix --prove=1 run 2>messages
	grep 'a lock around the lines of this repair: proven for this client: all ' messages
	grep 'the patch is not proven' messages
	"$LINCHPIN" fix --prove=0 run 2>messages
	! grep 'a lock around the lines' messages || return 1
}

@test "--apply changes the file, and the diff is what patch reads" {
	explore check_then_act
	"$LINCHPIN" fix "$(block check_then_act)" run >patch.diff
	cp check_then_act.c before.c
	"$LINCHPIN" fix --apply "$(block check_then_act)" run >/dev/null
	patch -s -o patched.c before.c patch.diff
	cmp patched.c check_then_act.c
	gcc -Wall -Werror -g -O1 -pthread -o check_then_act check_then_act.c
	run "$LINCHPIN" run -q -- ./check_then_act
	[[ $output != *error:* ]]
}

@test "every faulty variant of the structures is repaired from its report" {
	cp -r "$ROOT/structures" "$ROOT/include" .
	while read -r name structure client flags; do
		cmd="gcc -Iinclude -g -O1 $flags -o $name structures/$structure/$structure.c structures/$structure/client.c \
structures/client.c -pthread && cp structures/$structure/$structure.lin $name.lin"
		sh -c "$cmd"
		run "$LINCHPIN" run -q -o "run.$name" -- "./$name" "${client//_/ }"
		[ "$status" -eq 1 ]
		# shellcheck disable=SC2086
		run "$LINCHPIN" fix --build "$cmd" "run.$name" -- $flags
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'patched, built, explored: all '*' classes, no violation'* ]]
		# the other configurations of the file stay as they were
		"$LINCHPIN" fix --apply "run.$name" -- $flags >patch
		gcc -Wall -Werror -Iinclude -g -O1 -o "$name-correct" "structures/$structure/$structure.c" \
			"structures/$structure/client.c" structures/client.c -pthread
		timeout 120 "./$name-correct" "${client//_/ }"
		cp "$ROOT/structures/$structure/$structure.c" "structures/$structure/"
	done <<-'EOF'
		pop array_stack {p1}|{p2_o}|{o} -DFAULTY_POP
		both coarse_list {a0_r0}|{r0_a1} -DFAULTY_ADD -DFAULTY_REMOVE
		size coarse_list [a1_a2]_{r1_a3}|{s} -DFAULTY_SIZE
		two optimistic_list {r1_r1_a0}|{a1_r0_r1} -DFAULTY_ADD -DFAULTY_REMOVE
	EOF
}

@test "flags come from compile_commands.json" {
	cp -r "$ROOT/structures/array_stack" .
	cp "$ROOT/include/linchpin.h" "$ROOT/structures/client.c" "$ROOT/structures/client.h" .
	gcc -g -O1 -I. -DFAULTY_POP -o pop array_stack/array_stack.c array_stack/client.c client.c -pthread
	cp array_stack/array_stack.lin pop.lin
	run "$LINCHPIN" run -q -o run -- ./pop '{p1}|{o}|{o}'
	[ "$status" -eq 1 ]
	run "$LINCHPIN" fix run
	[ "$status" -eq 2 ]
	[[ $output == *'flags of the compiler can be given after --'* ]]
	cat >compile_commands.json <<-EOF
		[{ "directory": "$PWD", "file": "array_stack/array_stack.c",
		   "command": "gcc -g -I. '-DFAULTY_POP' -c -o x.o array_stack/array_stack.c; touch executed" }]
	EOF
	run "$LINCHPIN" fix run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'+		x = atomic_exchange(&stack->items[i], 0);'* ]]
	[ ! -e executed ]
}

@test "where no patch is sensible it says why" {
	explore refused
	while read -r name sentence; do
		run "$LINCHPIN" fix "$(block refused "$name")" run
		echo "$output"
		[ "$status" -eq 2 ]
		[[ $output == *"$sentence"* ]]
	done <<-'EOF'
		long calls longjmp, which leaves the block unseen
		wait the block waits inside (sem_wait)
		goto jumps into the block
	EOF
	run "$LINCHPIN" fix run
	[ "$status" -eq 2 ]
	[[ $output == *'nothing is wrong in this run'* ]]
	run "$LINCHPIN" fix --block refused.c:5 run
	[ "$status" -eq 2 ]
	[[ $output == *'FILE:FUNCTION:FIRST-LAST is expected'* ]]
}
