#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# linchpin replay --gdb: gdb on a recorded schedule, in batch mode.
bats_require_minimum_version 1.5.0
load helpers/common

export DEBUGINFOD_URLS=

setup() {
	command -v gdb >/dev/null || skip "gdb is not installed"
	cd "$BATS_TEST_TMPDIR" || exit 1
	# gdb warns where there is none, and reads settings there.
	export HOME=$BATS_TEST_TMPDIR
	unset XDG_CACHE_HOME XDG_CONFIG_HOME
}

# explored NAME KIND: explores programs/NAME.c* as it is compiled; prints the run directory.
#	KIND: plain, -O2 without hooks; plain0, the same at -O0; hooks, with compiler hooks
explored() {
	local out=$BATS_FILE_TMPDIR/$1-$2 source
	source=$(echo "$ROOT/tests/e2e/debugger/$1".c*)
	local cc=$CC
	[ "${source%.cc}" = "$source" ] || cc=g++
	if [ ! -d "$out.run" ]; then
		case $2 in
		# shellcheck disable=SC2046
		hooks) "$cc" -O1 $("$LINCHPIN" cflags --cc="$CC") -c "$source" -o "$out.o" &&
			"$cc" -o "$out" "$out.o" $("$LINCHPIN" libs) ;;
		plain0) "$cc" -g -O0 -I"$ROOT/include" "$source" -o "$out" -pthread ;;
		*) "$cc" -g -O2 -I"$ROOT/include" "$source" -o "$out" -pthread ;;
		esac || return 1
		"$LINCHPIN" run -o "$out.run" -- "$out" >"$out.txt" 2>&1
	fi
	echo "$out.run"
}

# The first class whose trace has this text.
class_with() {
	local n
	for ((n = 1; n < 200; n++)); do
		"$LINCHPIN" trace "$1" $n >trace.txt || return 1
		! grep -q "$2" trace.txt || { echo $n && return; }
	done
	return 1
}

# session DIR N COMMAND...: a session of gdb, its output in $output.
session() {
	local dir=$1 n=$2 args=()
	shift 2
	for c; do
		args+=(-ex "$c")
	done
	run timeout 60 "$LINCHPIN" replay --gdb "$dir" "$n" -- -batch "${args[@]}"
	[ "$status" -eq 0 ]
	[[ "$output" != *Python* && "$output" != *Traceback* ]]
}

# What happens at the events of class N, a line each.
words_of_trace() {
	"$LINCHPIN" trace "$1" "$2" | sed -nE 's/^ *[0-9]+  [^ ]+ +([a-z_]+ {2,})?//p'
}

@test "gdb stands at the first event of the finding, with the lines and values of the trace" {
	local kind dir
	for kind in plain plain0 hooks; do
		dir=$(explored stack $kind)
		session "$dir" 2 'lp goto 7' bt 'lp next' 'print s' 'lp where'
		[[ "$output" == *"=>    7  T0.1     read s.top = 0"*"stack.c:16 push"* ]]
		[[ "$output" == *"push ("*"value=1"*"pusher (arg=0x1)"* ]]
		[[ "$output" == *"=>    8  T0.1     write s.items[0] = 1"* ]]
		[[ "$output" == *'$1 = {top = 0, items = {2, 0, 0, 0, 0, 0, 0, 0}}'* ]]
	done
}

@test "the words of every event are those of linchpin trace, and the memory agrees" {
	local dir i commands=() n
	dir=$(explored stack plain)
	n=$("$LINCHPIN" trace "$dir" 2 --raw >/dev/null && "$LINCHPIN" trace "$dir" 2 | awk '$1 ~ /^[0-9]+$/ { n = $1 } END { print n }')
	for ((i = 1; i <= n; i++)); do
		commands+=("lp goto $i" 'printf "top %d\n", s.top')
	done
	session "$dir" 2 "${commands[@]}"
	words_of_trace "$dir" 2 >recorded
	grep '^=>' <<<"$output" | tail -n +2 | sed -E 's/^=> +[0-9]+  T[^ ]+ +//; s/ {2,}.*//' >shown
	diff recorded shown
	# A read of top sees what gdb sees just before it.
	echo "$output" | awk '/read s.top = / { sub(/.*read s.top = /, ""); want = $1; next }
		/^top/ { if (want != "" && want != $2) exit 1; want = "" }'
}

@test "lp prev goes back event by event, twenty times and more" {
	local dir n kind i events commands
	for kind in plain hooks; do
		dir=$(explored list $kind)
		n=$(class_with "$dir" abort)
		events=$(words_of_trace "$dir" "$n" | wc -l)
		commands=("lp goto $events")
		for ((i = 0; i < 24; i++)); do
			commands+=('lp prev')
		done
		session "$dir" "$n" "${commands[@]}"
		for ((i = events; i > 0; i--)); do
			printf '%s\n' "$i"
		done | diff - <(grep '^=>' <<<"$output" | tail -n +2 | awk '{ print $2 }')
		[[ "$output" == *"there is no event before"* ]]
	done
}

@test "back and forth: the same event looks the same every time" {
	local dir commands=() i
	dir=$(explored stack plain)
	for ((i = 0; i < 10; i++)); do
		commands+=('lp prev' 'lp prev' 'lp next' 'lp next')
	done
	session "$dir" 2 'lp goto 9' "${commands[@]}" 'print s' 'lp threads'
	[ "$(grep -c '^=>    9' <<<"$output")" -eq 11 ]
	[ "$(grep -c '^=>    7' <<<"$output")" -eq 10 ]
	[[ "$output" == *'$1 = {top = 0, items = {1, 0'* ]]
	[[ "$output" == *"* T0.1      at event 9, write s.top = 1"* ]]
	[[ "$output" == *"  T0.2      next: event 13, write s.top = 1, stack.c:19"* ]]
}

@test "a deadlock: threads, what they wait for, and their calls" {
	local dir n
	dir=$(explored deadlock plain)
	n=$(class_with "$dir" "every thread waits")
	session "$dir" "$n" 'lp goto 4' continue 'lp where' 'lp threads' 'lp thread 0.2' 'lp thread T0 bt'
	[[ "$output" == *"deadlock: every thread waits"*"T0.1 waits for lock b"* ]]
	[[ "$output" == *"  T0        waits: T0.1 to end"* ]]
	[[ "$output" == *"in both ("*"ba ("* ]]
	[[ "$output" == *"main () at"*"deadlock.c:3"* ]]
}

@test "a crash: gdb stops at it, in the program's frame, and goes back from it" {
	local dir n kind
	for kind in plain hooks; do
		dir=$(explored crash $kind)
		n=$(class_with "$dir" 'crash: segmentation')
		session "$dir" "$n" continue 'print otherwise' 'lp prev' 'lp prev' bt 'print p' continue 'lp where'
		[[ "$output" == *"SIGSEGV"*"look (otherwise=7)"*'$1 = 7'* ]]
		[[ "$output" == *"read p = 0"*"look (otherwise=7)"*"main ()"*'$2 = (int * volatile) 0x0'*"SIGSEGV"* ]]
		[[ "$output" == *"crash: segmentation fault at address 0x0 in look (T0)"* ]]
	done
}

@test "step and next go along the lines in copies, into what they call and back, in one thread" {
	local dir
	dir=$(explored stack plain0)
	session "$dir" 2 'lp goto 1' 'tbreak stack.c:38' continue next step next next n next 'info locals'
	# The other thread runs meanwhile, as recorded; its lines are not shown.
	[[ "$output" == *"pusher (arg="*"stack.c:38"*"pusher (arg="*"stack.c:39"*"push (st="*"stack.c:16"*"stack.c:18"*"stack.c:19"*"stack.c:20"*"pusher ("*"stack.c:"* ]]
	grep -E '^#.* push \(' <<<"$output" | grep -oE 'value=[12]' | sort -u >values
	[ "$(wc -l <values)" -eq 1 ]
	# over the call; from an event; optimized code, inlined functions
	session "$dir" 2 'lp goto 1' 'tbreak stack.c:39' continue next
	[[ "$output" == *"stack.c:39"*"pusher (arg="*"stack.c:"4* ]]
	dir=$(explored stack plain)
	session "$dir" 2 'lp goto 7' next next next 'print s' 'lp where 1'
	[[ "$output" == *"=>    7  T0.1     read s.top = 0"*"stack.c:18"*"stack.c:19"*'$1 = {top = '*"after event"* ]]
	session "$dir" 2 'lp goto 1' next
	[[ "$output" == *"main ()"*"stack.c:"* ]]
}

@test "breakpoints by function and line, conditions, up, finish, watchpoints: with and without hooks" {
	local dir kind
	for kind in plain plain0 hooks; do
		dir=$(explored stack $kind)
		session "$dir" 2 'lp goto 1' 'break push' continue 'print value' bt up 'info args' 'delete' \
			'break stack.c:19 if value == 2' continue 'print value' 'delete' 'tbreak pop' continue \
			'watch s.top' continue 'print s' bt
		[[ "$output" == *"Breakpoint 1"*"push ("*"value=2"*'$1 = 2'*"push ("*"pusher (arg=0x2)"*"arg = 0x2"* ]]
		[[ "$output" == *"Breakpoint 2"*"push ("*"stack.c:19"*'$2 = 2'* ]]
		[[ "$output" == *"reakpoint 3"*"pop ("* ]]
		[[ "$output" == *"watchpoint 4: s.top"*"Old value = 1"*"New value = 0"*'$3 = {top = 0, items = {1, 0'* ]]
		[[ "$output" == *"main () at"* && "$output" != *SIGTRAP* ]]
	done
}

@test "finish goes to the caller, which is the original" {
	local dir
	dir=$(explored stack plain0)
	session "$dir" 2 'lp goto 16' 'break pop' continue finish bt 'lp next'
	[[ "$output" == *"main () at"*"Value returned is "*" = 1"*"main () at"* ]]
	[[ "$output" == *"=>   18  T0       return pop() = 1"* ]]
}

@test "C++: templates, methods, this" {
	local dir n
	dir=$(explored list plain0)
	n=$(class_with "$dir" abort)
	session "$dir" "$n" 'lp goto 1' 'break List<long>::insert' continue 'print value' 'print *this' bt 'delete' \
		'break list.cc:22' continue 'print *node' continue continue bt 'lp prev' 'lp prev'
	[[ "$output" == *"Breakpoint 1, List<long>::insert (this="*"value="[12]*'$1 = '[12]*'$2 = {head = 0x0}'* ]]
	[[ "$output" == *"inserter"*"arg=0x"[12]*"Breakpoint 2, List<long>::insert"*'$3 = {value = '* ]]
	[[ "$output" == *"outcome: abort in main"*"main () at"*"list.cc:51"*"=>   24 "*"=>   23 "* ]]
}

@test "the watchdog lets one think" {
	local dir
	dir=$(explored stack plain)
	session "$dir" 2 'lp goto 7' 'shell sleep 4' 'lp next' 'lp goto 18'
	[[ "$output" == *"=>   18  T0       return pop() = 1"* ]]
}

@test "the execution under gdb is the recorded one, byte for byte, traps and all" {
	needs_same_addresses
	local dir name n
	for name in tight stack crash list deadlock; do
		dir=$(explored $name plain)
		for n in 1 2 3; do
			"$LINCHPIN" trace "$dir" $n --raw >recorded || continue
			session "$dir" $n 'lp next' 'lp prev' 'handle SIGSEGV nostop noprint pass' continue \
				'python session.alive() and gdb.execute("continue")' 'shell cp -r "$LINCHPIN_DIR" .'
			[[ "$output" == *"exited normally"* ]]
			"$LINCHPIN" trace linchpin-replay-* 1 --raw >executed
			cmp recorded executed
			rm -r linchpin-replay-*
		done
	done
}

@test "executions in processes of their own" {
	local dir
	dir=$(explored stack plain)
	"$LINCHPIN" run --isolate=fork -o run1 -- "${dir%.run}" >/dev/null
	session "$PWD/run1" 2 'lp goto 7' 'break stack.c:19' continue bt 'lp prev' 'lp goto 13' 'print s'
	[[ "$output" == *"=>    7 "*"Breakpoint 1"*"push ("*"=>   13  T0.2"*'$1 = {top = 1, items = {1, 0'* ]]
}

@test "run begins again, with breakpoints from before" {
	local dir
	dir=$(explored stack plain)
	session "$dir" 2 'break push' run continue 'delete' 'lp goto 18' continue run 'lp goto 8' 'print s'
	[[ "$output" == *"push (value=2"*"=>   18 "*"exited normally"*"=>    8  T0.1"*'$1 = {top = 0, items = {2, 0'* ]]
}

# block FILE LANGUAGE: the first block of code in that language.
block() {
	awk -v begin="\`\`\`$2" '$0 == begin { p = 1; next } p && /^```/ { exit } p' "$1"
}

@test "the session of docs/debugging.md is what happens" {
	local line args=()
	[ "$(gcc -dumpversion)" = 12 ] || skip "the session was made with gcc 12"
	[[ "$(gdb --version | head -n 1)" == *" 13."* ]] || skip "the session was made with gdb 13"
	block "$ROOT/docs/debugging.md" c >lost.c
	block "$ROOT/docs/debugging.md" gdb >expected
	gcc -g -O2 -pthread -o lost lost.c
	"$LINCHPIN" run --check=outcome -o run1 -- ./lost >out 2>&1 || true
	while read -r line; do
		args+=(-ex "echo (gdb) $line\\n" -ex "$line")
	done < <(sed -n 's/^(gdb) //p' expected)
	"$LINCHPIN" replay --gdb run1 2 -- -batch "${args[@]}" >session 2>&1
	# How many frames the runtime has is a matter of what its compiler inlines.
	diff <(sed 's/0x[0-9a-f]*/0x/g; s/= [0-9]\{12,\}/= N/; s/^#[0-9]* */#/' expected) <(sed 's/0x[0-9a-f]*/0x/g; s/= [0-9]\{12,\}/= N/; s/^#[0-9]* */#/' session)
}

@test "front ends: launch.json, steps, breakpoints, stops and frames by the machine interface" {
	local kind level
	block "$ROOT/docs/debugging.md" c >lost.c
	block "$ROOT/docs/debugging.md" json >launch.json
	printf '#!/bin/sh\nexec "%s" replay --gdb run1 2 -- "$@"\n' "$LINCHPIN" >linchpin-gdb
	chmod +x linchpin-gdb
	for kind in plain hooks; do
		if [ $kind = hooks ]; then
			# shellcheck disable=SC2046
			$CC -O0 $("$LINCHPIN" cflags --cc="$CC") -c lost.c && $CC -o lost lost.o $("$LINCHPIN" libs)
		else
			$CC -g -O0 -pthread -o lost lost.c
		fi
		rm -rf run1
		"$LINCHPIN" run --check=outcome -o run1 -- ./lost >out 2>&1 || true
		timeout 60 python3 "$ROOT/tests/e2e/debugger/front_end.py" launch.json "$PWD" 'break-insert lost.c:14' exec-continue \
			'stack-list-frames' 'data-evaluate-expression value' 'interpreter-exec console "lp next"' 'stack-list-frames' \
			exec-next exec-next 'exec-step' 'interpreter-exec console "lp goto 9"' 'break-insert pusher' 'break-delete 1' 'break-delete 2' \
			exec-continue exec-continue gdb-exit >said
		cat said
		[ "$(head -n 1 said | cut -d ' ' -f 1-4)" = 'stop: end-stepping-range at pusher' ]
		grep -q '^stop: breakpoint-hit 1 at push lost.c:14$' said
		grep -q '^frames: [0-9]*:push [0-9]*:pusher' said
		[[ $(grep ^frames said) != *linchpin_* && $(grep ^frames said) != *'?'* ]]
		[[ $(grep ^done,bkpt said) != *'number="-'* ]]
		grep -q "^stop: signal-received outcome: assertion .s.top == 2' failed in main (T0), at lost.c:32:2 at main .*lost.c:32$" said
		grep -q '^stop: exited' said
		[ $kind = hooks ] || grep -q '^stop: end-stepping-range at push lost.c:15$' said
		! grep '^error' said || return 1
	done
}

@test "arguments for gdb need --gdb" {
	run "$LINCHPIN" replay x 1 -- -batch
	[ "$status" -eq 2 ]
	[[ "$output" == *"too many arguments"* ]]
}

@test "a debugger that only looks on does not stop the clock" {
	cat >many.c <<-'END'
		#include <pthread.h>
		static _Atomic int x;
		static void *work(void *arg) { for (int i = 0; i < 40; i++) x++; return arg; }
		int main(void)
		{
			pthread_t t[3];
			for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
			for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
		}
	END
	$CC -g -O1 -pthread many.c -o many
	run timeout 60 env LINCHPIN_MAX_TIME=2 LINCHPIN_CHECK=none gdb -q -batch -ex 'set startup-with-shell off' \
		-ex "set environment LD_PRELOAD $BUILD/libsched.so" -ex run ./many
	[ "$status" -eq 0 ]
	[[ "$output" == *"time limit"* ]]
}
