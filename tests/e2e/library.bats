#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What POSIX, C11, C++ and libc say of their functions: errors, misuse, the end of threads and of the process, time, signals.

load helpers/common

LIBRARY=$BATS_TEST_DIRNAME/library

# make SOURCE OUT [FLAG...]
make_program() {
	local source=$1 out=$2 compiler=gcc
	shift 2
	[[ $source == *.cc ]] && compiler=g++
	$compiler -w -g -O1 -pthread "$@" -o "$out" "$LIBRARY/$source" -lm
}

# holds CONDITION: of j and out, what the latest run has left.
holds() {
	local outcome
	case $1 in
	-) ;;
	as-dfs)
		"$LINCHPIN" run -q --search=dfs --max-time=20 -o dfs --json=dfs.json -- ./p >dfs.out 2>&1
		rm -rf dfs
		[ "$(json dfs.json complete) $(json dfs.json classes)" = "true $(json j classes)" ]
		;;
	complete) [ "$(json j complete)" = true ] ;;
	'classes='*) [ "$(json j classes)" -eq "${1#*=}" ] ;;
	'classes>'*) [ "$(json j classes)" -gt "${1#*>}" ] ;;
	says:*) grep -q "$(tr _ ' ' <<<"${1#says:}")" out ;;
	+*)
		for outcome in $(tr '|' ' ' <<<"${1#+}"); do
			[ "$(json j "$outcome")" -ge 1 ] 2>/dev/null && return
		done
		return 1
		;;
	-*) ! [ "$(json j "${1#-}")" -ge 1 ] 2>/dev/null ;;
	*) echo "unknown condition $1" && return 1 ;;
	esac
}

# verdicts TABLE [OPTION...]
verdicts() {
	local table=$1 bad=0 source flags status conditions condition got
	shift
	while read -r source flags status conditions; do
		[[ $source == *.c* ]] || continue
		[ "$flags" = - ] && flags=
		flags=${flags//_-D/ -D}
		# shellcheck disable=SC2086
		make_program "$source" p $flags
		rm -rf d j
		got=0
		"$LINCHPIN" run --max-time=60 --max-executions=1500 "$@" -o d --json=j -- ./p >out 2>&1 || got=$?
		for condition in $conditions "exit $status"; do
			if [[ $condition == exit* ]]; then
				[ "exit $got" = "$condition" ] && continue
			elif holds "$condition"; then
				continue
			fi
			bad=$((bad + 1))
			echo "$source: not $condition, exit $got"
			grep -E 'error|limit|linchpin|ends' out
		done
	done <"$table"
	[ "$bad" -eq 0 ]
}

@test "programs with a known right verdict" {
	verdicts "$LIBRARY/table"
}

@test "programs that every such tool is shown: locks, queues, philosophers" {
	verdicts "$LIBRARY/../classics/table" --check=none --prove=0
}

@test "calls return what they return without the runtime" {
	bad=0
	ulimit -Ss 8192 # a program under the runtime has no more than that where there is no limit
	for source in "$LIBRARY"/same_*.c; do
		make_program "$(basename "$source")" p
		./p >native
		"$LINCHPIN" run -q --check=none --max-executions=2 -o d -- ./p >explored 2>errors || cat errors
		[ "$(wc -l <native)" -gt 20 ]
		head -n "$(wc -l <native)" explored | diff native - || bad=$((bad + 1))
		rm -rf d
	done
	[ "$bad" -eq 0 ]
}

@test "what runs when the process ends, and in which order" {
	make_program ends.c ends
	for how in return exit exit-thread pthread_exit quick_exit _exit; do
		status=0
		./ends $how >native || status=$?
		rm -rf d
		"$LINCHPIN" run -q --check=none --max-executions=1 -o d --json=j -- ./ends $how >explored || true
		head -n "$(wc -l <native)" explored | diff native - || { echo "$how"; return 1; }
		if [ $status -ne 0 ] || [ $how = exit-thread ]; then
			grep -q "with status $status" explored
		else
			holds +ok
		fi
	done
}

@test "a wait that is not in a loop is found with --spurious" {
	make_program wait_once.c p
	run "$LINCHPIN" run --max-time=20 -o d --json=j -- ./p
	[ "$status" -eq 0 ]
	[ "$(json j complete)" = true ]
	run "$LINCHPIN" run --spurious --max-time=20 -o e --json=j -- ./p
	echo "$output"
	[ "$status" -eq 1 ]
	holds +abort
	holds +ok
	holds -deadlock
	"$LINCHPIN" replay e 1 >/dev/null
}

# place MARK: the line of misuse.c with it
place() {
	grep -n "@$1[ @]" "$LIBRARY/misuse.c" | head -n 1 | cut -d : -f 1
}

@test "misuse is found, with both places" {
	make_program misuse.c misuse
	bad=0
	for what in unlock destroy rwunlock rwunlockw rwdestroy spin spindestroy cond condwait condfree barrier barrierinit robust joinself jointwice joindetach \
		never sem dead-mutex dead-rwlock dead-cond dead-spin dead-barrier dead-sem dead-held dead-try; do
		rm -rf d
		got=0
		"$LINCHPIN" run --max-time=20 -o d --json=j -- ./misuse $what >out 2>&1 || got=$?
		at=$(place "at-$what") other=$(place "$what")
		if [ "$got" -ne 1 ] || ! holds +misuse || ! grep -q "misuse.c:$at:[0-9]*: error: misuse" out ||
			{ [ -n "$other" ] && ! grep -q "misuse.c:$other:[0-9]*: note: .* by T0" out; }; then
			echo "$what: exit $got, expected lines $at $other"
			cat out
			bad=$((bad + 1))
		fi
	done
	[ "$bad" -eq 0 ]
}

@test "a call that cannot be explored is named with its line and a way out" {
	make_program refused.c refused
	for what in clone raw exec dlmopen threads shared tasks child object{m,c,r,b,s,p,n,q}; do
		rm -rf d
		status=0
		"$LINCHPIN" run -q --check=none --max-time=20 -o d -- ./refused $what >out 2>&1 || status=$?
		line=$(grep -n "@${what/%object?/object} " "$LIBRARY/refused.c" | cut -d : -f 1)
		echo "$what: exit $status, expected line $line"
		cat out
		[ "$status" -eq 2 ] || return 1
		grep -q "refused.c:$line:.*the exploration ended with an error" out || return 1
		grep -qE "linchpin: (the program|a thread|a child) .*(se pthread_create|xplore that one|libc of their own|join them|Let threads)" out || return 1
	done
	"$LINCHPIN" run -q --check=none --max-time=20 -o own -- ./refused objecto
}

@test "a sleep that is taken for an order: the first execution is the likely one, and an error says so" {
	make_program sleep_order.c p
	"$LINCHPIN" run -q --check=none --search=dpor --max-executions=1 -o d --json=j -- ./p
	holds +ok
	run "$LINCHPIN" run --check=none --prove=0 -o e -- ./p
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"sleep_order.c:$(grep -n @sleeps "$LIBRARY/sleep_order.c" | cut -d : -f 1):"*"note: a thread sleeps here"* ]]
	[[ $output == *"assertion"* ]]
}

@test "a search ends in time where a thread sleeps while another process runs, or only makes processes" {
	for how in sleeps_long vforks_for_ever; do
		make_program children.c p -DHOW=$how
		status=0
		timeout 100 "$LINCHPIN" run --check=none --max-time=4 -o d -- ./p >out 2>&1 || status=$?
		cat out
		[ "$status" -ne 124 ]
		grep -q "the time limit was reached" out
		rm -rf d
	done
}

@test "a child of fork has its id, whatever number the process has" {
	last=/proc/sys/kernel/ns_last_pid
	(echo "$(cat $last)" >$last) 2>/dev/null || skip "the number of a process cannot be chosen"
	make_program children.c p -DHOW=child_exits
	# 0x7fff is the upper half of many addresses. linchpin makes some processes before the program.
	for n in $(seq 32740 32766); do
		(echo "$n" >$last) 2>/dev/null || skip "there are no such numbers"
		"$LINCHPIN" run -q --check=none --prove=0 -o d -- ./p >out 2>&1 || { cat out; return 1; }
		rm -rf d
	done
}

@test "what an execution leaves open is closed, however many there are" {
	make_program leaves_nothing.c p -DWHAT=everything
	ulimit -n 1024
	"$LINCHPIN" run -q --check=none --search=random --max-executions=1000 -o d --json=j -- ./p >out 2>&1 || { cat out; return 1; }
	holds +ok
	holds -assert
}

@test "a message queue that was there before is named, and stays" {
	make_program queue_before.c p
	./p make "/linchpin-$$"
	status=0
	"$LINCHPIN" run -q --check=none -o d -- ./p open "/linchpin-$$" >out 2>&1 || status=$?
	./p remove "/linchpin-$$"
	cat out
	[ "$status" -eq 2 ]
	grep -q "queue_before.c:$(grep -n @opened "$LIBRARY/queue_before.c" | cut -d : -f 1):.*the exploration ended with an error" out
	grep -q "message queue that was there before it" out
	rm -rf d
	run "$LINCHPIN" run -q --check=none -o d -- ./p make "/linchpin-$$"
	! ./p remove "/linchpin-$$" || return 1
}

@test "OpenMP of gcc" {
	gcc -fopenmp -w -g -O1 -o p "$LIBRARY/openmp.c"
	gcc -fopenmp -w -g -O1 -DWRONG -o wrong "$LIBRARY/openmp.c"
	"$LINCHPIN" run -q --check=none --prove=0 --max-executions=1000 -o d --json=j -- ./p >out 2>&1 || { cat out; return 1; }
	holds +ok
	run "$LINCHPIN" run -q --check=none --prove=0 --max-executions=3000 -o e --json=j -- ./wrong
	echo "$output"
	[ "$status" -eq 1 ]
	holds +assert
	holds +ok
}

# Its library may give up in other orders: at the end of the process it takes for granted that its threads have parked.
@test "OpenMP of clang" {
	clang -fopenmp -w -g -O1 -o p "$LIBRARY/openmp.c" || skip "no OpenMP for clang"
	"$LINCHPIN" run -q --check=none --prove=0 --search=random --max-executions=20 -o d --json=j -- ./p >out 2>&1 || { cat out; return 1; }
	holds +ok
}
