#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No specification was given. What is guessed accuses no correct program, and what is not checked is said.

load helpers/common

GUESS=$ROOT/tests/e2e/guess
ORDINARY=$ROOT/tests/e2e/ordinary

unset LINCHPIN_SPEC LINCHPIN_OPS LINCHPIN_CHECK

# plain FILE [FLAG...]: compiled as anybody would, here.
plain() {
	local source=$1
	shift
	"$CC" -w -g -pthread -I"$ROOT/include" "$@" -o "$(basename "$source" .c)" "$source"
}

# verdict SOURCE: what its comment says.
verdict() {
	sed -n 's/^ \* verdict: //p' "$1"
}

@test "guesses: operations under one lock are not wrong, those that are not are, and correct executions are not accused" {
	local source name status_run
	for source in "$GUESS"/*.c; do
		[ -n "$(verdict "$source")" ] || continue
		name=$(basename "$source" .c)
		plain "$source" -O2
		status_run=0
		"$LINCHPIN" run -o r --json r.json -- "./$name" >report 2>&1 || status_run=$?
		if [ $status_run -ne "$(verdict "$source")" ] || [ "$(json r.json complete)" != true ] ||
			[ $status_run -eq 1 -a "$(json r.json nonlinearizable)" -ge "$(json r.json classes)" ]; then
			echo "$name: status $status_run"
			cat report
			return 1
		fi
	done
}

# ordinary NAME FLAG...: the report of a bare run must fit to what the source says of its twin, or be silent.
ordinary() {
	local name=$1 wanted=none
	shift
	mkdir -p "$name$*" && cd "$name$*" || return 1
	case "$*" in *FAULTY*) wanted=$(sed -n 's/^ \* faulty: //p' "$ORDINARY/$name.c") ;; esac
	"$CC" -w -g -pthread "$@" -o "$name" "$ORDINARY/$name.c" || return 1
	status_run=0
	LD_PRELOAD=$RUNTIME LINCHPIN_MAX_TIME=0 "./$name" >report 2>&1 || status_run=$?
	case $wanted in
	found) [ $status_run -eq 1 ] && grep -q 'error: not linearizable' report ;;
	limit) [ $status_run -eq 0 ] && grep -q '^limit: ' report ;;
	none) [ $status_run -eq 0 ] && ! grep -q 'error:' report ;;
	esac || {
		echo "$name $*: status $status_run instead of $wanted"
		tail -n 30 report
		return 1
	}
}
export -f ordinary
export CC ORDINARY RUNTIME

# all FLAG...: two at a time.
all() {
	basename -a -s .c "$ORDINARY"/*.c | xargs -P 2 -I NAME bash -c 'ordinary NAME "$@"' - "$@"
}

@test "ordinary programs: nothing is wrong with them" {
	all -O0
	all -O2
}

@test "ordinary programs with a fault: it is found, or a limit says why not" {
	all -O0 -DFAULTY
}

@test "what threads do beside the operations that were proposed is named, once" {
	plain "$ORDINARY/high_score.c" -O0
	run "$LINCHPIN" run -o r -- ./high_score
	[ "$status" -eq 0 ]
	[[ $output == *'limit:    what operations access is also accessed outside of them, in score_best ('*'high_score.c:'* ]]
	# It is no proposal any more, and it was not wanted.
	"$LINCHPIN" init -w ./high_score >/dev/null
	run "$LINCHPIN" run -o r -- ./high_score
	[ "$status" -eq 0 ]
	[[ $output != *'outside of them'* ]]
	plain "$GUESS/stack_and_buffer.c" -O0
	run "$LINCHPIN" run -o r -- ./stack_and_buffer
	[ "$status" -eq 0 ]
	[[ $output == *'freed memory is given to any thread'* ]]
	[[ $output != *'outside of them'* ]]
	# Inlined, and said so.
	rm high_score.lin
	plain "$ORDINARY/promise.c" -O2
	run "$LINCHPIN" run -o r -- ./promise
	[ "$status" -eq 0 ]
	[[ $output == *'`promise_set` was inlined'* ]]
	[[ $output != *'outside of them'* ]]
}

@test "the report says what the verdict rests on" {
	plain "$ORDINARY/stack_link.c" -O0
	run "$LINCHPIN" run -o r --json r.json -- ./stack_link
	[ "$status" -eq 0 ]
	[[ $output == *$'\n''checked:  as a stack: proposed, agreed with '*' sequential runs (to say what it is: linchpin init -w ./stack_link)'* ]]
	grep -q '"proposed": "stack"' r.json
	plain "$GUESS/pool_not_empty.c"
	run "$LINCHPIN" run -o r -- ./pool_not_empty
	[[ $output == *$'\n''checked:  against its own sequential behaviour, '*' runs'* ]]
	# In a specification file it is said, and not guessed.
	"$LINCHPIN" init -w ./stack_link
	run "$LINCHPIN" run -o r -- ./stack_link
	[ "$status" -eq 0 ]
	[[ $output != *checked:* ]]
}

@test "heap objects are the same in a bare run and in its sequential executions" {
	plain "$ORDINARY/lru.c" -O0
	for n in 1 2 3 4 5 6 7; do
		export "FILLER_$n=$n"
		run env LD_PRELOAD="$RUNTIME" ./lru
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'against its own sequential behaviour'* ]]
	done
}

@test "what cannot be caught is a limit of the report: inlined, stripped, never called, without results, without partners" {
	plain "$GUESS/operation_inlined.c" -O2
	run "$LINCHPIN" run -o r --json r.json -- ./operation_inlined
	echo "$output"
	[[ $output == *'limit:    add is not checked: `set_add` was inlined into '* ]]
	grep -q 'was inlined into' r.json
	plain "$GUESS/operation_inlined_once.c" -O2
	run "$LINCHPIN" run -o r -- ./operation_inlined_once
	[[ $output == *'limit:    add is not checked: `set_add` was inlined into '* ]]
	plain "$GUESS/pool_not_empty.c"
	strip pool_not_empty
	run "$LINCHPIN" run -o r -- ./pool_not_empty
	[[ $output == *'limit:    no operation is checked: '*'no debug information'* ]]
	plain "$ORDINARY/bucket.c" -O0
	run "$LINCHPIN" run -o r -- ./bucket
	[[ $output == *'limit:    no operation that was called gives a result'* ]]
	plain "$ORDINARY/channel.c" -O0
	run "$LINCHPIN" run -o r -- ./channel
	[[ $output == *'limit:    send never returns while other operations wait'* ]]
	plain "$ORDINARY/lru.c" -O0
	printf 'object self\nop put(k, v) : lru_put(this, k, v)\nop get(k) -> int : lru_get(this, k)\nop find(k) -> int : slot(this, k)\n' >lru.lin
	run "$LINCHPIN" run -o r -- ./lru
	echo "$output"
	[[ $output == *'limit:    find (slot) is an operation, but was never called, or only by other operations: not checked'* ]]
}

@test "functions that are left out on request are no operations, and said" {
	plain "$ORDINARY/stack_link.c" -O0
	for option in --skip=stack_push --instrument=stack_pop; do
		run "$LINCHPIN" run -o r $option -- ./stack_link
		echo "$output"
		[[ $output == *'limit:    push (stack_push) is an operation, but was never called'* ]]
	done
}

@test "a run that was told what to check and checks nothing is an error, also if it is to be quiet" {
	plain "$GUESS/nothing_caught_quiet.c" -O2
	run "$LINCHPIN" run -q --spec=set -o r -- ./nothing_caught_quiet
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'nothing was checked'* ]]
	run "$LINCHPIN" run -q --check=lin -o r -- ./nothing_caught_quiet
	[ "$status" -eq 2 ]
	run "$LINCHPIN" run -q -o r -- ./nothing_caught_quiet
	[ "$status" -eq 0 ]
	run env LD_PRELOAD="$RUNTIME" LINCHPIN_SPEC=queue ./nothing_caught_quiet
	[ "$status" -eq 2 ]
}

@test "none is no specification, and nothing is proposed then; nor if nothing is checked" {
	plain "$GUESS/pool_not_empty.c"
	run "$LINCHPIN" run -o r --spec=none -- ./pool_not_empty
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output != *'taken for operations'* && $output != *checked:* ]]
	run "$LINCHPIN" run -o r --check=none -- ./pool_not_empty
	[[ $output != *'taken for operations'* && $output != *limit:* ]]
	run env LD_PRELOAD="$RUNTIME" LINCHPIN_SPEC=none ./pool_not_empty
	[[ $output != *'taken for operations'* ]]
}

@test "operations that are wrong one at a time: said, and no repair is offered" {
	for name in wrong_alone wrong_alone_locked; do
		plain "$GUESS/$name.c" -O2
		run "$LINCHPIN" run -o r --json r.json -- "./$name"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *'wrong even one at a time'* && $output != *'must be atomic'* ]]
		[ "$(json r.json wrong_alone)" != null ]
		[ "$(json r.json repairs)" = '[]' ]
	done
}

@test "a constructor may declare an object" {
	plain "$GUESS/constructor_object.c" -O2
	run "$LINCHPIN" run -o r -- ./constructor_object
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'executed again with the same result'* ]]
}

@test "sequential executions that deadlock, and one that never ends and touches nothing" {
	plain "$GUESS/self_deadlock.c"
	run "$LINCHPIN" run -o r --json r.json -- ./self_deadlock
	[ "$status" -eq 1 ]
	[ "$(json r.json nonlinearizable)" -eq 0 ]
	plain "$GUESS/nothing_recorded.c"
	run "$LINCHPIN" run -o r -- ./nothing_recorded
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output != *damaged* ]]
}

@test "what is given in a structure is not compared, and that is said" {
	cat >filled.c <<'END'
#include <pthread.h>
struct event { int type, arg; };
struct box { struct event e[4]; int n; };
static struct event all[4];
static int used;
static struct box box;
int event_post(int type, int arg) { all[used].type = type; all[used].arg = arg; return used++; }
int event_poll(struct event *e) { if (!used) return 1; *e = all[--used]; return 0; }
int box_push(struct box *b, int v) { b->e[b->n].arg = v; return b->n++; }
int box_pop(struct box *b, struct event *e) { if (!b->n) return 0; *e = b->e[--b->n]; return 1; }
static void *work(void *arg)
{
	struct event e;
	event_post(1, 2), box_push(&box, 1), event_poll(&e), box_pop(&box, &e);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	return 0;
}
END
	plain filled.c -O0
	run "$LINCHPIN" init ./filled
	[[ $output == *'op poll() -> int : event_poll(_)'* ]]
	run "$LINCHPIN" run -o r -- ./filled
	[[ $output == *'limit:    what poll stores in the structure that it is given is not compared'* ]]
	[[ $output == *'limit:    what pop stores in the structure that it is given is not compared'* ]]
}

@test "a function that gives a structure is named beside its partners" {
	cat >optional.cc <<'END'
#include <optional>
#include <thread>
template <typename T> class Stack {
	T a[4];
	int n = 0;
public:
	void push(T x) { a[n++] = x; }
	std::optional<T> pop() { return n ? std::optional<T>(a[--n]) : std::nullopt; }
	bool empty() const { return !n; }
};
int main()
{
	Stack<int> s;
	std::thread t([&] { s.push(1); s.pop(); });
	t.join();
	return !s.empty();
}
END
	g++ -std=c++17 -g -pthread -o optional optional.cc
	run "$LINCHPIN" run -o r -- ./optional
	[[ $output == *'limit:    pop is not checked: it returns a structure (optional<int>)'* ]]
}
