#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Operations described outside the source: specification files, their proposal, and programs that know nothing of linchpin.

load helpers/common

STRUCTURES=$ROOT/structures

unset LINCHPIN_SPEC LINCHPIN_OPS

# plain NAME [FLAG...]: programs/NAME.c as ./NAME, compiled as anybody would.
plain() {
	local name=$1
	shift
	"${CC:-gcc}" -g -O2 "$@" -pthread -o "$name" "$PROGRAMS/$name.c"
}

# refused TEXT PATTERN: this specification file is refused with this message.
refused() {
	printf '%b' "$1" >bad.lin
	run "$LINCHPIN" run -q --spec bad.lin -o refused -- ./odd_functions
	echo "$output"
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2053
	[[ $output == $2 ]]
	[ ! -e refused ]
}

@test "a plain program: the proposal is used, printed, and finds the violation" {
	plain plain_stack
	run "$LINCHPIN" run -o r --json r.json -- ./plain_stack
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'no specification was given and nothing is marked'* ]]
	[[ $output == *'op pop() -> out if ret else empty : stack_pop(this, out)'* ]]
	[[ $output == *"plain_stack.c:$(line_of plain_stack read)-$(line_of plain_stack clear) (stack_pop) must be atomic"* ]]
	[[ $output == *'executed again with the same result'* ]]
	"$LINCHPIN" report --histories r >histories || [ $? -eq 1 ]
	cat histories
	# Values have the signs of their types; the stacks are two objects; what ran before the threads belongs to it.
	grep -q 'bad 0: push(-7) push(9)@.* pop()=9@.* | 0.1: pop()=-7 | 0.2: pop()=-7' histories
	run "$LINCHPIN" replay r 2
	[[ $output == *'same trace as recorded'* ]]
}

@test "init prints a proposal, writes it, and does not replace an existing file" {
	plain plain_stack
	run "$LINCHPIN" init ./plain_stack
	[ "$status" -eq 0 ]
	[[ $output == *$'\n''object stack'$'\n'* ]]
	[[ $output == *'op push(value) : stack_push(this, value)'* ]]
	[ ! -e plain_stack.lin ]
	"$LINCHPIN" init -w ./plain_stack
	run "$LINCHPIN" init -w ./plain_stack
	[ "$status" -eq 2 ]
	[[ $output == *'plain_stack.lin exists'* ]]
	"$LINCHPIN" init --force -o plain_stack.lin ./plain_stack
	# It is found beside the program, and nothing is said about a proposal.
	run "$LINCHPIN" run -q -o r -- ./plain_stack
	[ "$status" -eq 1 ]
	[[ $output != *'no specification'* ]]
}

@test "init: nothing to propose, no debug information, no such program" {
	printf 'int main(void) { return 0; }\n' >empty.c
	"${CC:-gcc}" -g -o empty empty.c
	run "$LINCHPIN" init ./empty
	[ "$status" -eq 2 ]
	[[ $output == *'no functions of ./empty look like operations'* ]]
	"${CC:-gcc}" -o empty empty.c
	run "$LINCHPIN" init ./empty
	[ "$status" -eq 2 ]
	[[ $output == *'no debug information'* ]]
	run "$LINCHPIN" init ./nothing
	[ "$status" -eq 2 ]
}

@test "a bare run uses the file beside the program, LINCHPIN_SPEC, or the proposal" {
	plain plain_stack
	LD_PRELOAD=$RUNTIME run ./plain_stack
	echo "$output"
	[[ $output == *'no specification was given and nothing is marked'*'not linearizable'* ]]
	printf 'object self\nop pop() -> out if ret else empty : stack_pop(this, out)\nop push(v) : stack_push(this, v)\n' \
		>plain_stack.lin
	LD_PRELOAD=$RUNTIME LINCHPIN_DIR=r run ./plain_stack
	echo "$output"
	[[ $output == *'not linearizable'* ]]
	[ -s r/self/trace ]
	printf 'object stack\nop pop() -> out : stack_pop(this, owt)\n' >wrong.lin
	LD_PRELOAD=$RUNTIME LINCHPIN_SPEC=wrong.lin run ./plain_stack
	[ "$status" -eq 2 ]
	[[ $output == 'wrong.lin:2:13: error: `out` is neither `ret` nor a parameter of stack_pop in this line; did you mean `owt`?'* ]]
	rm -rf linchpin.*
	LD_PRELOAD=$RUNTIME LINCHPIN_SPEC=stak run ./plain_stack
	[ "$status" -eq 2 ]
	! compgen -G 'linchpin.*' || return 1 # nothing is left of it
	LD_PRELOAD=$RUNTIME LINCHPIN_SPEC=stak LINCHPIN_DIR=given run ./plain_stack
	[ ! -e given ]
}

@test "a program with marks or hooks gets no proposal" {
	program=$(build unmarked_object)
	run "$LINCHPIN" run -o r --spec self -- "$program"
	[ "$status" -eq 1 ]
	[[ $output != *'no specification'* ]]
	[ ! -e r/ops ]
	program=$(build unmarked)
	run "$LINCHPIN" run -o r -- "$program"
	[[ $output != *'no specification'* ]]
}

# same_histories NAME VARIANT MACRO CLIENT: compiled plainly, with operations from its .lin file, a structure has the
# histories that it has with hooks and marks; with `self` instead of the data type as well.
same_histories() {
	local flags compiler
	local sources=("$STRUCTURES/$1/$1.c" "$STRUCTURES/$1/client.c" "$STRUCTURES/client.c")

	"$LINCHPIN" run -q -o hooks -- "$BUILD/structures/$1-$2" "$4" >/dev/null || [ $? -eq 1 ]
	"$LINCHPIN" report --histories hooks >hooks.histories || [ $? -eq 1 ]
	grep -q '^bad' hooks.histories
	sed 's/^object .*/object self/' "$STRUCTURES/$1/$1.lin" >self.lin
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		for flags in -O0 -O2; do
			$compiler -g $flags -DUNMARKED "-D$3" -pthread -o program "${sources[@]}"
			for spec in "$STRUCTURES/$1/$1.lin" self.lin; do
				"$LINCHPIN" run -q -o plain --spec "$spec" -- ./program "$4" >/dev/null || [ $? -eq 1 ]
				"$LINCHPIN" report --histories plain >plain.histories || [ $? -eq 1 ]
				echo "$compiler $flags $spec"
				diff hooks.histories plain.histories
			done
		done
	done
}

@test "the array stack without marks has the same histories" {
	same_histories array_stack pop FAULTY_POP '{p1}|{o}|{o}'
}

@test "the coarse list without marks has the same histories" {
	same_histories coarse_list add FAULTY_ADD '{c1 r1 a1}|{a1}'
	same_histories coarse_list size FAULTY_SIZE '[a1 a2] {r1 a3}|{s}'
}

@test "the optimistic list without marks has the same histories" {
	same_histories optimistic_list add FAULTY_ADD '{a0 a0}|{a1}'
}

@test "mistakes are named with file, line and column, and a spelling is suggested" {
	plain odd_functions
	refused 'object sett\n' 'bad.lin:1:8: error: there is no specification `sett`; did you mean `set`?'
	refused '# none\n\nobject self\nop swap(v) -> int : box_swp(v)\n' \
		'bad.lin:4:21: error: */odd_functions has no function `box_swp`; did you mean `box_swap`?'
	refused 'object set\nop add(v) : box_add(v)\n' \
		'bad.lin:2:13: error: `box_add` was inlined into main (odd_functions.c:*), so it cannot be caught there; *noinline*'
	refused 'object self\nop scale(f) : box_scale(f)\n' 'bad.lin:2:25: error: parameter `f` (double) of box_scale is a floating*'
	refused 'object self\nop s(v) : box_seven(_, _, _, _, _, _, v)\n' 'bad.lin:2:39: error: * is passed in memory*'
	refused 'object self\nop copy(k) -> int : box_copy(k)\n' 'bad.lin:2:15: error: box_copy returns a struct big, which cannot*'
	refused 'object self\nop copy(k) : box_copy(k, _)\n' 'bad.lin:2:26: error: box_copy has 1 parameter'
	refused 'object self\nop seven() -> int : box_seven()\n' 'bad.lin:2:15: error: box_seven returns nothing'
	refused 'object self\nop swap(v) -> v : box_swap(w)\n' 'bad.lin:2:9: error: argument `v` is not a parameter of box_swap*'
	refused 'object self\nop a(k) : box_swap(k)\nop b(k) : box_swap(k)\n' \
		'bad.lin:3:11: error: `box_swap` is an operation already, in line 2'
	refused 'object set\nop ad(v) : box_add(v)\n' 'bad.lin:2:4: error: a set has no operation `ad`; did you mean `add`?'
	refused 'object set\nop add(v) : box_add(ths, v)\n' 'bad.lin:2:21: error: `ths` is neither * did you mean `this`?'
	refused 'op a(k) : box_swap(k)\n' 'bad.lin:1:1: error: `op` before `object`*'
	refused 'object set\n' 'bad.lin:1:1: error: there is no operation in this file'
	refused 'object self\nop a(k : box_swap(k)\n' 'bad.lin:2:8: error: expected `)`, not `:`'
	run "$LINCHPIN" run -q --spec nowhere.lin -- ./odd_functions
	[ "$status" -eq 2 ]
	[[ $output == *'nowhere.lin: No such file'* ]]
	run "$LINCHPIN" run -q --spec nothing -- ./odd_functions
	[ "$status" -eq 2 ]
}

@test "small types are read from their registers; a large result shifts the parameters" {
	plain odd_functions
	printf 'object self\nop swap(v, tag, yes) -> int : signed char box_swap(v, tag, yes)\nop copy(key) : box_copy(key)\n' \
		>odd_functions.lin
	"$LINCHPIN" run -q -o r -- ./odd_functions
	"$LINCHPIN" report --histories r >histories
	cat histories
	[ "$(cat histories)" = "ok 0: copy(1) | 0.1: swap(-2,65535,1)=-2 | 0.2: swap(-2,65535,1)=0
ok 0: copy(1) | 0.1: swap(-2,65535,1)=0 | 0.2: swap(-2,65535,1)=-2" ]
}

@test "static functions: copies made by gcc are found; what clang may have changed is refused" {
	sed 's/__attribute__((noinline))/static &/' "$PROGRAMS/plain_stack.c" >static.c
	gcc -g -O2 -pthread -o static_gcc static.c
	"$LINCHPIN" run -q -o r -- ./static_gcc >/dev/null 2>&1 || [ $? -eq 1 ]
	"$LINCHPIN" report --histories r >histories || [ $? -eq 1 ]
	cat histories
	grep -q 'bad 0: push(-7) push(9)@.* pop()=9@.* | 0.1: pop()=-7 | 0.2: pop()=-7' histories
	command -v clang >/dev/null || skip "there is no clang"
	clang -g -O0 -pthread -o static_clang static.c
	"$LINCHPIN" init ./static_clang >proposal
	grep -q '^op pop' proposal
	clang -g -O2 -pthread -o static_clang static.c
	"$LINCHPIN" init ./static_clang >proposal || [ $? -eq 2 ]
	cat proposal
	! grep -q '^op pop' proposal || return 1
	grep -q '^# op pop' proposal
}

@test "self: the order of what threads do between operations, and operations inside operations" {
	plain between
	for spec in set self; do
		printf 'object %s\nop add(k) -> bool : set_add(this, k)\nop contains(k) -> bool : set_contains(this, k)\n' $spec >s.lin
		"$LINCHPIN" run -q -o r-$spec --spec s.lin --json $spec.json -- ./between >/dev/null || [ $? -eq 1 ]
		"$LINCHPIN" report --histories r-$spec >$spec.histories || [ $? -eq 1 ]
	done
	diff set.histories self.histories
	[ "$(json set.json nonlinearizable)" = "$(json self.json nonlinearizable)" ]
	[ "$(json set.json complete)" = true ]
	grep -q '^bad' set.histories
	# Either thread may come first in both, and the one that comes first asks for 0. Nobody looks at what add returned, so
	# whoever was first there makes no difference after it, and the second such execution ends there.
	"$LINCHPIN" report --check none --histories r-self/self >sequential
	cat sequential
	grep -q '0.1: add(1)=1 contains(0)=0 |' sequential
	grep -q '0.1: add(1)=1 contains(1)=1 | 0.2: add(1)=0 contains(0)=0' sequential
	grep -q '0.1: add(1)=0 | 0.2: add(1)=1' sequential
}

@test "marks together with a specification file: one object, no operation twice" {
	printf 'object set\nop add(key) -> bool : set_add(this, key)\n' >mixed.lin
	printf 'bad 0.1: add(1)=1 contains(1)=1 | 0.2: add(1)=1 contains(1)=1
ok 0.1: add(1)=0 contains(1)=1 | 0.2: add(1)=1 contains(1)=1
ok 0.1: add(1)=1 contains(1)=1 | 0.2: add(1)=0 contains(1)=1\n' >wanted
	# An operation that is marked and named as well counts once, whichever of the two is inside the other.
	for flags in '' -DBOTH -DAROUND; do
		# shellcheck disable=SC2086
		plain mixed $flags "-I$ROOT/include"
		rm -rf r
		run "$LINCHPIN" run -o r --spec mixed.lin -- ./mixed
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *'add(1) -> true fits into no order'*'would return false'* ]]
		"$LINCHPIN" report --histories r >histories || [ $? -eq 1 ]
		diff wanted histories
		# `self` has the same ones.
		sed s/set/self/ mixed.lin | sed s/self_add/set_add/ >self.lin
		[ -n "$flags" ] && continue
		rm -rf r
		"$LINCHPIN" run -q -o r --spec self.lin -- ./mixed >/dev/null || [ $? -eq 1 ]
		"$LINCHPIN" report --histories r >histories || [ $? -eq 1 ]
		diff wanted histories
	done
}

@test "marks with NULL mean the object of a specification file without pointers" {
	sed 's/set_add(struct set \*s, int key)/set_add(int key)/; s/\bs->/set./g; s/set_contains(s, /set_contains(\&set, /
		s/set_add(&set, /set_add(/; s/linchpin_call(&set,/linchpin_call(NULL,/; s/(struct set \*s, /(struct set *unused, /' \
		"$PROGRAMS/mixed.c" >global.c
	gcc -g -O2 -pthread "-I$ROOT/include" -o global global.c
	printf 'object set\nop add(key) -> bool : set_add(key)\n' >global.lin
	"$LINCHPIN" run -q -o r -- ./global || [ $? -eq 1 ]
	"$LINCHPIN" report --histories r >histories || [ $? -eq 1 ]
	cat histories
	grep -qx 'bad 0.1: add(1)=1 contains(1)=1 | 0.2: add(1)=1 contains(1)=1' histories
}
