#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The structures: the notation of their clients, and what an exploration finds in them.

load helpers/common

STRUCTURES=$BUILD/structures
NATIVE=$BUILD/structures/native

@test "a client prints its results in the order of the text" {
	run "$NATIVE/coarse_list-correct" '[a1 a2 a1 r7] {c1 c3 a3}|{r2 r-2} [s c3]'
	[ "$status" -eq 0 ]
	[ "$output" = T,T,F,F,T,F,T,T,F,2,T ]
	run "$NATIVE/optimistic_list-correct" ' [ a1 ]{a1 r1}[c1] '
	[ "$status" -eq 0 ]
	[ "$output" = T,F,T,F ]
	run "$NATIVE/array_stack-correct" '[o p5 p7]{o}[o o]'
	[ "$status" -eq 0 ]
	[ "$output" = E,-,-,7,5,E ]
}

@test "a client with hooks runs without the runtime" {
	run "$STRUCTURES/optimistic_list-both" '{a1 r1 c1}|{c2}'
	[ "$status" -eq 0 ]
	[ "$output" = T,T,F,F ]
}

@test "--unless aborts on exactly these results" {
	run "$NATIVE/coarse_list-correct" --unless T,F '{a1 a1}'
	[ "$status" -eq 134 ]
	run "$NATIVE/coarse_list-correct" --unless T,T '{a1 a1}'
	[ "$status" -eq 0 ]
	[ "$output" = T,F ]
}

@test "a mistake in a client is pointed at" {
	run "$NATIVE/coarse_list-correct" '{a1}|{x1}'
	[ "$status" -eq 2 ]
	[[ $output == *'unknown operation'*$'\n''  {a1}|{x1}'$'\n''        ^' ]]
	for text in '' '[a1]' '{a1' '{a}' '{a1}|' '{a1}{a2}' '{a99999999999}' '{a2147483647}' '{a1}]' '{a-}' \
		"{$(printf 'a1 %.0s' {1..65})}" "{a1}$(printf '|{a1}%.0s' {1..8})"; do
		run "$NATIVE/coarse_list-correct" "$text"
		[ "$status" -eq 2 ]
		[[ $output == client:* ]]
	done
	run "$NATIVE/coarse_list-correct"
	[ "$status" -eq 2 ]
	[[ $output == usage:* ]]
}

@test "array stack: outcomes, repairs, and no violation in the correct variant" {
	run "$ROOT/scripts/tables" -B "$BUILD" cav array_stack
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "coarse list: outcomes, repairs, and no violation in the correct variant" {
	run "$ROOT/scripts/tables" -B "$BUILD" cav coarse_list
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'9 clients, 0 failures' ]]
}

@test "all structures: each fault is found, and the correct variant is explored to the end without one" {
	run "$ROOT/scripts/tables" -B "$BUILD" linchpin
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "each structure has three clients, each faulty variant a case, and each case says what its first repair is" {
	local file structure variant
	for file in "$ROOT"/structures/*/*.expect; do
		awk -v RS= -v file="${file##*/}" '
			!/(^|\n)case / { next }
			!/\n(repair |note repair: )/ { print file ": no repair: " $0; bad = 1 }
			{ split($0, line, "\n"); for (i in line) if (sub(/^client /, "", line[i])) clients[line[i]] }
			END { for (c in clients) n++; if (n < 3) print file ": " n " clients"; exit bad || n < 3 }' "$file"
	done
	make -s -C "$ROOT" list-structures | sed 's/:.*//' | while read -r variant; do
		structure=${variant%-*}
		[ "${variant##*-}" = correct ] || grep -q "^variant ${variant##*-}$" "$ROOT/structures/$structure/$structure.expect" || echo "$variant"
	done >missing
	cat missing
	[ ! -s missing ]
}

@test "optimistic list: outcomes, repairs, and no violation in the correct variant" {
	run "$ROOT/scripts/tables" -B "$BUILD" cav optimistic_list
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'9 clients, 0 failures' ]]
}

@test "AVL map: outcomes and repairs" {
	run "$ROOT/scripts/tables" -n -B "$BUILD" cav avl_map
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'9 clients, 0 failures' ]]
}

@test "a report names the repairs of an execution that are not those of the run" {
	run "$LINCHPIN" run -o both -- "$STRUCTURES/coarse_list-both" '{a0 r0}|{r0 a1}'
	[ "$status" -eq 1 ]
	[[ $output == *'(coarse_list_add) and '*'(coarse_list_remove) must each be atomic'* ]]
	[[ $output == *'this execution alone would also be excluded by: '*'(coarse_list_'*')'$'\n'* ]]
	run "$LINCHPIN" run -o add -- "$STRUCTURES/coarse_list-add" '{a0 a0}|{a1}'
	[ "$status" -eq 1 ]
	[[ $output != *'this execution alone'* ]]
}

# same_histories CHECK VARIANT CLIENT: both searches end, and find the same classes and the same histories. With the check
# lin, depth-first search also tries every order of calls and returns, which is too much for two updates of a long kind.
same_histories() {
	local search

	for search in dpor dfs; do
		"$LINCHPIN" run -q --instrument none --max-time 0 --check "$1" --search "$search" --json "$search.json" \
			-o "$search" -- "$STRUCTURES/$2" "$3" >/dev/null || [ $? -eq 1 ]
		[ "$(json "$search.json" complete)" = true ]
		"$LINCHPIN" report --histories "$search" >"$search.histories"
		[ -s "$search.histories" ]
	done
	[ "$(json dpor.json classes)" = "$(json dfs.json classes)" ]
	cmp dpor.histories dfs.histories
}

@test "coarse list: two operations have the same histories depth-first" {
	same_histories lin coarse_list-add '{a0}|{a1}'
	same_histories lin coarse_list-both '[a0] {r0}|{a0}'
	same_histories lin coarse_list-correct '{a0}|{a0}'
	same_histories lin coarse_list-size '[a0] {s}|{r0}'
}

@test "optimistic list: two operations have the same histories depth-first" {
	same_histories lin optimistic_list-correct '{c0}|{a0}'
	same_histories lin optimistic_list-add '{c0}|{a0}'
	same_histories lin optimistic_list-remove '[a0] {c0}|{r0}'
	same_histories outcome optimistic_list-correct '{a0}|{a1}'
	same_histories outcome optimistic_list-correct '[a0 a1] {r0}|{r1}'
}

@test "a client that fails is made smaller as long as it fails in the same way" {
	local smaller
	run "$LINCHPIN" run --smaller --prove=0 -o run --json=j -- "$STRUCTURES/array_stack-pop" '{p1 p3}|{p2 o}|{o p4}'
	[ "$status" -eq 1 ]
	smaller=$(json j smaller | tr -d '"')
	[[ $output == *"smaller:  '$smaller' fails in the same way"* ]]
	[ "$(tr -cd po <<<"$smaller" | wc -c)" -lt 6 ]
	# it does, and nothing can be left out of it
	run "$LINCHPIN" run --smaller --prove=0 -o run -- "$STRUCTURES/array_stack-pop" "$smaller"
	[ "$status" -eq 1 ]
	[[ $output == *'smaller:  no smaller client that fails in the same way was found'* ]]
	# not an argument of that kind, and nothing wrong
	run "$LINCHPIN" run --smaller -o run -- "$STRUCTURES/array_stack-correct" '{p1}|{o}'
	[ "$status" -eq 0 ]
	[[ $output != *'smaller:'* ]]
}
