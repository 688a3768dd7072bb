#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Errors in the use of memory: use after free, double and invalid free, accesses behind a block, crashes in libraries. Each
# kind is found without an option and in every build, with the lines of the error, of the allocation and of the free.

load helpers/common

MEMORY=$PROGRAMS/memory

# compile FILE plain|hooks FLAG...: prints the path of the program.
compile() {
	local file=$1 kind=$2 cc=gcc out
	shift 2
	[[ $file == *.cc ]] && cc=g++
	out=$BATS_FILE_TMPDIR/${file%.*}-$kind$(printf '%s' "$*" | tr -c 'A-Za-z0-9' _)
	if [ ! -x "$out" ] && [ "$kind" = plain ]; then
		"$cc" -g -w -pthread "$@" "$MEMORY/$file" -o "$out" || return 1
	elif [ ! -x "$out" ]; then
		# shellcheck disable=SC2046
		"$cc" -g -w -pthread "$@" $("$LINCHPIN" cflags) -c "$MEMORY/$file" -o "$out.o" &&
			"$cc" "$out.o" -o "$out" -pthread $("$LINCHPIN" libs) || return 1
	fi
	echo "$out"
}

# So that a line of machine code belongs to one line of the program.
DISTINCT=(-std=c++17 -fno-crossjumping -fno-tree-tail-merge)

# at FILE MARK: FILE:LINE of the mark.
at() {
	echo "$1:$(grep -n "@$2 " "$MEMORY/$1" | cut -d : -f 1):"
}

# found OUTCOME MARK PROGRAM ARG...: some execution ends so, first at the mark (- for anywhere).
found() {
	local outcome=$1 mark=$2
	shift 2
	run "$LINCHPIN" run -o d --json=j --check=none "${OPTIONS[@]}" -- "$@"
	echo "$* ${OPTIONS[*]}: $output"
	[ "$status" -eq 1 ]
	[ "$(json j complete)" = "${COMPLETE:-true}" ]
	[ "$(json j "$outcome")" -ge 1 ]
	[ "$mark" = - ] || [[ $output == *"$(at errors.cc "$mark")"*' error: '* ]]
}

# says MARK TEXT: the note of the last run.
says() {
	[[ $output == *"$(at errors.cc "$1")"*"note: $2"* ]]
}

# freed_at HOW: the mark of the line that frees such a block.
freed_at() {
	case $1 in
	new) echo delete ;;
	aligned_new) echo aligned_delete ;;
	*) echo free ;;
	esac
}

# all_errors PROGRAM HOW
all_errors() {
	local error
	for error in read write copy; do
		found use-after-free "$error" "$1" "$2" "$error"
		[ "$(json j ok)" -ge 1 ]
		says "$(freed_at "$2")" 'freed before by T0.1'
		says "$2" 'allocated by T0'
	done
	for error in read_past write_past copy_past; do
		found out-of-bounds "$error" "$1" "$2" "$error"
		says "$2" 'allocated by T0'
	done
	found bad-free "$(freed_at "$2")" "$1" "$2" double
	[[ $output == *'double free'* ]]
	says "$(freed_at "$2")" 'freed before by'
	says "$2" 'allocated by T0'
	found bad-free inside "$1" "$2" inside
	[[ $output == *'inside a block'* ]]
	says "$2" 'allocated by T0'
	OPTIONS+=(--skip=unseen) COMPLETE=false
	found out-of-bounds "$(freed_at "$2")" "$1" "$2" unseen
	unset 'OPTIONS[-1]' COMPLETE
	says "$2" 'allocated by T0'
}

@test "every error of a block of malloc, with and without hooks, optimised or not, with every policy" {
	local kind level policy
	for kind in plain hooks; do
		for level in -O0 -O2; do
			program=$(compile errors.cc $kind $level "${DISTINCT[@]}")
			for policy in reuse thread quarantine; do
				OPTIONS=(--malloc=$policy)
				all_errors "$program" malloc
			done
		done
	done
}

@test "every error of blocks from the other functions that allocate" {
	local how
	program=$(compile errors.cc plain -O2 "${DISTINCT[@]}")
	for how in calloc realloc shrunk reallocarray posix_memalign memalign aligned_alloc new aligned_new; do
		all_errors "$program" $how
	done
}

@test "a block that is never freed is looked at when the execution ends" {
	program=$(compile errors.cc plain -O2 "${DISTINCT[@]}")
	OPTIONS=(--skip=unseen) COMPLETE=false
	found out-of-bounds malloc "$program" malloc unseen_end
	[[ $output == *'found at the end of the execution'* ]]
}

@test "correct use of the heap is silent" {
	local kind level what
	for kind in plain hooks; do
		for level in -O0 -O2; do
			program=$(compile correct.cc $kind $level "${DISTINCT[@]}")
			for what in sizes library alignments containers counted; do
				for policy in reuse quarantine; do
					run "$LINCHPIN" run -o d --check=none --max-time=10 --malloc=$policy -- "$program" $what
					echo "$kind $level $what $policy: $output"
					[ "$status" -eq 0 ]
				done
			done
		done
	done
}

# reported FILE OUTCOME LINE [FLAG...]: without an option, at this line.
reported() {
	local file=$1 outcome=$2 line=$3
	shift 3
	run "$LINCHPIN" run -o d --json=j -- "$(compile "$file" plain "${@:--O2}")"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(json j "$outcome")" -ge 1 ]
	[ -z "$line" ] || [[ $output == *"$file:$line:"*' error: '* ]]
}

@test "the line is that of the call of free, also if it is the last act of a function or one of two places" {
	reported double_free.c bad-free 9
	reported double_free_tail.c bad-free 9
	[[ $output == *'called from '*'double_free_tail.c:14 (work)'* ]]
	reported double_free_two_places.c bad-free ''
	[[ $output == *'double_free_two_places.c:'@(11|17)':'*' error: '* ]]
	reported free_of_inside.c bad-free 10
	reported use_then_free_tail.c use-after-free 17
	[[ $output == *'use_then_free_tail.c:9:'*'note: freed before by T0.1'* ]]
}

@test "a function that ends by jumping to one of the C library returns as it does natively" {
	run "$LINCHPIN" run -o d --json=j --check=none -- "$(compile tail_compare.c plain -O2)"
	echo "$output"
	[ "$(json j complete)" = "${COMPLETE:-true}" ]
	[ "$(json j abort)" = '' ]
}

@test "use after free and accesses behind a block need no option" {
	reported write_after_free.c use-after-free 14
	[ "$(json j ok)" -ge 1 ]
	reported read_after_free.c use-after-free 14
	[ "$(json j ok)" -ge 1 ]
	reported realloc_after_read.c use-after-free 11
	[ "$(json j ok)" -ge 1 ]
	reported write_past_block.c out-of-bounds 10
	run "$LINCHPIN" run -o d --check=none -- "$(compile block_used_fully.c plain -O2)"
	[ "$status" -eq 0 ]
}

@test "what one thread has freed another may get, and the bound says so" {
	reported address_reused.c assert 30
	[ "$(json j ok)" -ge 1 ]
	[[ $output == *'; freed memory is given to any thread'* ]]
	reported address_reused_same_thread.c assert ''
	run "$LINCHPIN" run -o d --check=none --malloc=thread -- "$(compile address_reused.c plain -O2)"
	[ "$status" -ne 1 ]
	[[ $output == *'; threads get again only memory that they have freed themselves'* ]]
	run "$LINCHPIN" run -o d --check=none --malloc=quarantine -- "$(compile address_reused_same_thread.c plain -O2)"
	[ "$status" -ne 1 ]
	[[ $output == *'; freed memory is not given out again'* ]]
	reported aba.c assert ''
}

@test "a crash in a library is at the line that called it, whatever is left on the stack" {
	reported crash_in_library.c crash 20 -O0
	[[ $output == *'calls '*'(libc.so.6)'* ]]
	reported call_of_rubbish.c crash 10
}

@test "the calls that led to an error are in the results" {
	reported use_then_free_tail.c use-after-free 17
	python3 - <<-'END'
		import json
		v = json.load(open("j"))["violations"][0]
		lines = lambda key: [(f["function"], f["line"]) for f in v[key]]
		assert lines("frames") == [("uses", 17)], v
		assert lines("allocated") == [("main", 23)], v
		assert lines("freed") == [("drop", 9), ("frees", 14)], v
	END
}

@test "use after free in main, when all threads are joined" {
	local build program way
	for build in plain hooks; do
		program=$(compile after_joins.c $build -O1)
		for way in r w x m; do
			run "$LINCHPIN" run -q -o d --check=none -- "$program" $way
			echo "$build $way: $output"
			[ "$status" -eq 1 ]
			[[ $output == *"$(at after_joins.c $way)"*' error: use after free'*'note: allocated'*'note: freed before'* ]]
		done
		run "$LINCHPIN" run -q -o d --check=none -- "$program"
		[ "$status" -eq 0 ]
	done
}

@test "what nothing points to at the end is a note, first what leaks in some classes" {
	local what flags
	for flags in -O0 -O2; do
		gcc -g -w $flags -o leaks "$PROGRAMS/memory/leaks.c" -pthread
		for what in raced overwritten chain pushed specific result main tagged inside own before libc exit freed pending vector; do
			run "$LINCHPIN" run --check=none --json=j -o d -- ./leaks $what
			[ "$status" -eq 0 ] || { echo "$flags $what: $output"; return 1; }
			{ grep -n "@lost $what " "$PROGRAMS/memory/leaks.c" || true; } | cut -d : -f 1 >expected
			{ grep -o '^.*leaks\.c:[0-9]*:[0-9]*: note: nothing points to' <<<"$output" || true; } |
				sed 's/.*leaks\.c:\([0-9]*\):.*/\1/' | sort -n >found
			diff expected found || { echo "$flags $what: $output"; return 1; }
			"$LINCHPIN" run --check=none --isolate=fork -o f -- ./leaks $what >fork
			diff <(grep note: <<<"$output") <(grep note: fork)
			[ "$(grep -c '"looked_at"' j)" -eq "$(wc -l <expected)" ]
			[ $what != raced ] || [[ $output == *'at the end of 2 of 4 classes (class 2)'* ]]
			[ $what != before ] || [[ $output == *'1 block of 16 bytes allocated here (main) at the end of every class (class 1)'* ]]
		done
	done
}

@test "with --leaks they are errors that happened again, first what leaks in some classes" {
	local what
	gcc -g -w -O1 -o leaks "$PROGRAMS/memory/leaks.c" -pthread
	for what in raced overwritten chain before main tagged own libc exit freed pending vector; do
		run "$LINCHPIN" run --leaks --check=none --json=j -o d -- ./leaks $what
		echo "$what $status: $output"
		{ grep -n "@lost $what " "$PROGRAMS/memory/leaks.c" || true; } | cut -d : -f 1 >expected
		{ grep -o '^.*leaks\.c:[0-9]*:[0-9]*: error: leak: nothing points to' <<<"$output" || true; } |
			sed 's/.*leaks\.c:\([0-9]*\):.*/\1/' | sort -n >found
		diff expected found
		[ "$status" -eq "$([ -s expected ] && echo 1 || echo 0)" ]
		[ "$(grep -c 'executed again with the same result' <<<"$output")" -eq "$(wc -l <expected)" ]
		[[ $output == *"leaks:    at $(wc -l <expected) place"* ]]
		[[ $output != *'only '*' could be looked at'* ]]
		[ "$(grep -c '"kind": "leak"' j)" -eq "$(wc -l <expected)" ]
		[ $what != raced ] || [[ $output == *'in 2 other classes it is freed, or something points to it'* ]]
	done
	# one at each place, those of some classes first; of a recorded run, too
	run "$LINCHPIN" run --leaks --check=none -o d -- ./leaks both
	[ "$status" -eq 1 ]
	[[ $output == *"leaks.c:$(grep -n '@lost both some ' "$PROGRAMS/memory/leaks.c" | cut -d : -f 1):"*error*"leaks.c:$(grep -n '@lost both all ' "$PROGRAMS/memory/leaks.c" | cut -d : -f 1):"*error* ]]
	run "$LINCHPIN" run --check=none -o d -- ./leaks raced
	[ "$status" -eq 0 ]
	run "$LINCHPIN" report --leaks --check=none d
	[ "$status" -eq 1 ]
	[[ $output == *'error: leak: '*'executed again with the same result'* ]]
	# memory that is mapped is not looked into: that is said
	run "$LINCHPIN" run --leaks --check=none -o d -- ./leaks maps
	[ "$status" -eq 0 ]
	[[ $output == *'leaks:    at 0 places; only 0 of 2 ends could be looked at'* ]]
}

@test "a lost block is lost in the replay, too; what main still holds is not, in memory or in registers" {
	local flags
	for flags in "-O0" "-O2" "-O1 $("$LINCHPIN" cflags --cc=gcc)"; do
		# shellcheck disable=SC2046,SC2086
		gcc -g $flags -c -o lost.o "$PROGRAMS/memory/lost_node.c" && gcc -o lost lost.o $("$LINCHPIN" libs)
		run "$LINCHPIN" run --leaks --prove=0 -o d -- ./lost
		[ "$status" -eq 1 ]
		[[ $output == *'error: leak: nothing points to 1 block any more in add'*'executed again with the same result'* ]]
		[[ $output == *'leaks:    at 1 place'* && $output != *'did not happen again'* ]]
		# shellcheck disable=SC2046,SC2086
		gcc -g $flags -DHELD -c -o held.o "$PROGRAMS/memory/lost_node.c" && gcc -o held held.o $("$LINCHPIN" libs)
		run "$LINCHPIN" run --leaks --prove=0 -o d -- ./held
		[ "$status" -eq 0 ] || { echo "$flags: $output"; return 1; }
	done
}

@test "no leak is told of C++ and of what its library keeps" {
	cat >keeps.cc <<-'END'
		#include <map>
		#include <memory>
		#include <string>
		#include <thread>
		#include <vector>
		static std::map<int, std::string> words;
		static int shared;
		int main()
		{
			auto local = new std::vector<std::string>(10, std::string(100, 'x'));
			auto counted = std::make_shared<int>(7);
			words[1] = "a word that is longer than what fits in place";
			try { throw std::string("an exception"); } catch (const std::string &) {}
			std::thread a([=] { shared = *counted; }), b([] { shared = 2; });
			a.join();
			b.join();
			return local->size() == 10 ? 0 : 1;
		}
	END
	g++ -g -O1 -o keeps keeps.cc -pthread
	run "$LINCHPIN" run --check=none -o d -- ./keeps
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output != *'nothing points to'* ]]
}

@test "in C++ what the libraries and headers of the system do is told at the program's lines" {
	local use remove
	g++ -g -O1 -o registry "$PROGRAMS/registry.cc" -pthread
	use=$(grep -n '@use' "$PROGRAMS/registry.cc" | cut -d : -f 1)
	remove=$(grep -n '@remove' "$PROGRAMS/registry.cc" | cut -d : -f 1)
	run "$LINCHPIN" run --check=none --prove=1 -v -o d -- ./registry
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"registry.cc:$use:"*': error: bad free: double free in visit '* ]]
	[[ $output == *'  calls std::'*'basic_string::_M_'*' (libstdc++.so.6)'* ]]
	# what a lock has to hold, and the interleaving
	[[ $output == *'as a lock it '*' hold '*"registry.cc:"*' (remove)'*': proven for this client'* ]]
	[[ $output == *"registry.cc:$((remove - 1))"*'std::lock_guard<std::mutex> hold(mutex_);'* ]]
	! grep -E 'hold .*unique_ptr\.h|gthr-default\.h' <<<"$output" || return 1
	[[ $output == *' 1. '*"registry.cc:"*' (visit)'*' must '*'be atomic'* ]]
	! grep -E '^ +[0-9]+\. .*/usr/include' <<<"$output" || return 1
	[[ $output != *'it also ends so'* ]]
}

# ended KIND OUTCOME MARK SEARCH...: of the last program, by each search; the classes are the same.
ended() {
	local kind=$1 outcome=$2 mark=$3 search classes=
	shift 3
	for search in "$@"; do
		run "$LINCHPIN" run -o d --json=j --check=none --max-time=0 --search="$search" -- "$program" "$kind"
		echo "$program $kind $search: $output"
		[ "$(json j complete)" = true ]
		[ "$(json j "$outcome")" -ge 1 ]
		[ "$status" -eq "$([ "$outcome" = ok ] && echo 0 || echo 1)" ]
		[ -z "$mark" ] || [[ $output == *"$(at ended.c "$mark")"*'error: use after free: '*'of a thread that has ended'* ]]
		classes=${classes:-$(json j classes)}
		[ "$(json j classes)" -eq "$classes" ]
	done
}

@test "the stack of a thread that has ended" {
	local built level right
	for built in plain hooks; do
		for level in -O0 -O2; do
			program=$(compile ended.c $built $level)
			ended stack use-after-free use dpor source dfs
			[[ $output == *'free stack T0.1'*'@ends'*'read published'* ]]
			[ "$(json j ok)" -eq 2 ]
			ended condition use-after-free signal dpor source dfs
			[ "$(json j ok)" -eq 2 ]
			ended returned use-after-free returned dpor dfs
			for right in waits given main local; do
				ended $right ok '' dpor source
			done
		done
	done
}
