#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Load-time instrumentation: programs without compiler hooks.

load helpers/common

FORMS=$ROOT/tests/instrument

# first_output PROGRAM [ARGUMENT...]: what it prints in its first execution
first_output() {
	rm -rf once
	env LINCHPIN_DIR=once LINCHPIN_MAX_EXECUTIONS=1 LINCHPIN_REPORT=0 LINCHPIN_QUIET=1 LINCHPIN_CHECK=none \
		LINCHPIN_MAX_STEPS=5000000 LD_PRELOAD="$RUNTIME" "$@"
}

# ends RUNDIR PROGRAM...: explores and prints how executions end
ends() {
	local dir=$1
	shift
	env LINCHPIN_DIR="$dir" LINCHPIN_REPORT=0 LINCHPIN_QUIET=1 LINCHPIN_CHECK=none LD_PRELOAD="$RUNTIME" "$@" || true
	"$LINCHPIN" report --no-replay "$dir" 2>&1 | grep -E '^(bound|ends):' || true
}

@test "every form of memory instruction leaves registers, flags and memory as it does natively" {
	"$BUILD/instrument/torture" 4 >native
	first_output "$BUILD/instrument/torture" 4 >instrumented
	[ "$(wc -l <native)" -gt 7000 ]
	sed -n 's/^skipped/# not of this processor/p' native >&3
	[ ! -e once/uninstrumented ]
	diff native instrumented
	"$LINCHPIN" report --no-replay once 2>&1 | grep -q 'ends: *1 ok'
}

@test "functions that keep to no calling convention compute the same as natively" {
	"$BUILD/instrument/conventions" 4 >native
	first_output "$BUILD/instrument/conventions" 4 >instrumented
	[ "$(wc -l <native)" -gt 1200 ]
	sed -n 's/^skipped/# not of this processor/p' native >&3
	diff native instrumented
	"$LINCHPIN" report --no-replay once 2>&1 | grep -q 'ends: *1 ok'
	[ "$(sed 's/.*_overlap: /: /' once/uninstrumented)" = ': a jump into the middle of an instruction' ]
	# Accesses are seen in nearly all of these functions.
	"$LINCHPIN" trace once 1 2>/dev/null | grep -oE ' c[0-9]+_[a-z]+ +(read|write) ' | sort -u >seen
	echo "seen in $(wc -l <seen)"
	[ "$(wc -l <seen)" -gt 250 ]
}

@test "each thread has its own vector registers, x87 stack and control words" {
	gcc -g -O1 -o vectors "$FORMS/vectors.c" -pthread
	for without in '' ymm; do
		# shellcheck disable=SC2086
		LINCHPIN_SEARCH=random LINCHPIN_MAX_EXECUTIONS=300 run ends "held$without" ./vectors $without
		[[ $output == *kept* && $output == *'1 ok' ]]
		[ ! -e "held$without/uninstrumented" ]
	done
}

@test "each thread has its own rounding modes and floating-point exceptions, and so has a handler" {
	gcc -g -O1 -o plain "$FORMS/environment.c" -pthread -lm
	gcc -g -O1 -fsanitize=thread -c -o hooked.o "$FORMS/environment.c"
	gcc -o hooked hooked.o -L"$BUILD" -llinchpin -Wl,-rpath,"$BUILD" -pthread -lm
	for build in plain hooked; do
		for which in 0 1 2; do
			run "$LINCHPIN" run --check=none -o "$build$which" -- "./$build" $which
			echo "$build $which: $output"
			[ "$status" -eq 0 ]
			grep -qE 'ends: *[0-9]+ ok$' <<<"$output"
		done
	done
}

@test "structures built without hooks have the same histories as with hooks" {
	run "$FORMS/matrix" "$BUILD" few
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c ^same <<<"$output")" -ge 4 ]
}

@test "exceptions, longjmp, jump tables and tail calls pass through copies" {
	for flags in -O0 -O2 '-O2 -fcf-protection=full' '-O2 -no-pie -fno-pie' '-Os -fno-jump-tables' '-O2 -static-libstdc++ -static-libgcc'; do
		# shellcheck disable=SC2086
		g++ -g $flags -o passing "$FORMS/passing.cc" -pthread
		[ "$(first_output ./passing)" = "$(./passing)" ]
	done
}

@test "a stripped program: functions are found by their unwind information" {
	gcc -O2 -s -o spin "$FORMS/spin.c" -pthread
	run ends stripped ./spin
	[[ $output == *'assert'* && $output == *'ok'* ]]
}

@test "waiting loops are recognized, and x++ is a read and a write" {
	for level in -O0 -O1 -O2; do
		gcc -g $level -o plain "$FORMS/spin.c" -pthread
		# shellcheck disable=SC2046
		gcc $("$LINCHPIN" cflags --cc=gcc) $level -c -o hooks.o "$FORMS/spin.c"
		# shellcheck disable=SC2046
		gcc -o hooks hooks.o $("$LINCHPIN" libs)
		rm -rf p h
		hooks=$(ends h ./hooks)
		plain=$(ends p ./plain)
		[[ $plain == *assert* && $plain == *'all '* ]]
		[[ $hooks == *assert* && $hooks == *'all '* ]]
		# With optimization one of them has the first round of the loop apart, as code of its own.
		[ "$level" != -O0 ] || [ "$plain" = "$hooks" ]
	done
}

@test "a long counting loop waits if it polls, and does not if it reads new memory" {
	gcc -g -O1 -o loops "$FORMS/loops.c" -pthread
	run ends sum ./loops sum
	[[ $output == *'the only class of this client under'* ]]
	for kind in count two pause; do
		LINCHPIN_MAX_EXECUTIONS=5 run ends "$kind" ./loops "$kind"
		[[ $output == *'5 ok'* ]]
		"$LINCHPIN" report --no-replay "$kind" 2>&1 | grep -q 'at most 4 rounds'
	done
}

@test "a function that is skipped is reported with the reason" {
	gcc -g -O1 -o spin "$FORMS/spin.c" -pthread
	LINCHPIN_SKIP='wait_*' ends skipped ./spin
	grep -q 'wait_for_flag: skipped on request' skipped/uninstrumented
}

@test "what libc reads and writes for the program are accesses to ranges" {
	gcc -g -O1 -fno-builtin -o ranges "$FORMS/ranges.c" -pthread
	run ends ranges.d ./ranges
	[[ $output == *'all 4 classes'* ]]
	[[ $output == *'2 ok, 2 assert'* ]]
}

# exit_codes RUNDIR: of all classes, each once
exit_codes() {
	"$LINCHPIN" report -v --no-replay "$1" 2>&1 | sed -nE 's/.*exit with status ([0-9]+).*/\1/p' | sort -nu | tr '\n' ' '
}

@test "each instruction gives the events that its comment lists" {
	wide=
	grep -qw avx2 /proc/cpuinfo && wide=wide
	gcc -g -O1 -no-pie -fno-pie -o accesses "$FORMS/accesses.c" -pthread
	# shellcheck disable=SC2086
	ends accesses.d ./accesses $wide
	"$LINCHPIN" trace accesses.d 1 | sed -nE 's|.*accesses\.c:([0-9]+) +[a-z]+ +([ra-w].*[^ ]) *$|\1 \2|p' |
		sed -E 's/= [0-9]{7}[0-9]*/= TEXT/' | grep -Ev ' (create|join) ' |
		awk '{ n = $1; sub(/^[0-9]+ /, ""); if (n == last) printf "; %s", $0; else printf "%s%s %s", last ? "\n" : "", n, $0; last = n }
			END { print "" }' >seen
	grep -n '//:' "$FORMS/accesses.c" | sed -nE 's|^([0-9]+):.*//: (.+)$|\1 \2|p' | { [ "$wide" ] && cat || grep -v 'd\.w\['; } >told
	[ "$(wc -l <told)" -gt 20 ]
	diff told seen
}

@test "the second step of an instruction uses what the first has read" {
	local form codes
	gcc -g -O1 -fno-builtin -o moves "$FORMS/moves.c" -pthread
	for form in $(./moves list); do
		run ends "$form" ./moves "$form"
		echo "$form: $output"
		[[ $output == *' ok, '* ]]
		case $form in
		movs* | cmpsq) codes='1 2 3 ' ;;
		cmps*) codes='1 2 ' ;;
		*) codes='1 ' ;;
		esac
		[ "$(exit_codes "$form")" = "$codes" ]
		! "$LINCHPIN" report -v --no-replay "$form" | grep -E 'assert|crash' || return 1
	done
	for class in 1 2 3 4; do
		"$LINCHPIN" trace movsq-one $class >trace
		read=$(sed -nE 's/.*movsq_one +read shared.block\[136\] = ([^ ]+).*/\1/p' trace)
		written=$(sed -nE 's/.*movsq_one +write shared.block\[256\] = ([^ ]+).*/\1/p' trace)
		[ -n "$read" ]
		[ "$read" = "$written" ]
	done
}

@test "copies of any size write what they read; gathers read element by element" {
	gcc -g -O1 -fno-builtin -o moves "$FORMS/moves.c" -pthread
	gcc -g -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -o fortified "$FORMS/moves.c" -pthread
	nm fortified | grep -q __memcpy_chk
	for program in moves fortified; do
		for how in memcpy:c memmove:m mempcpy:p strcpy:s strncpy:n rep:r; do
			run ends "$program-$how" "./$program" copy "${how#*:}"
			echo "$program $how: $output"
			[[ $output == *'all 4 classes'*'4 exit'* ]]
			[ "$(exit_codes "$program-$how")" = '1 2 11 22 ' ]
		done
	done
	# The end of the target is read first.
	run ends strcat ./moves copy t
	[[ $output == *'all 4 classes'*'4 exit'* ]]
	[ "$(exit_codes strcat)" = '1 2 11 22 ' ]
	grep -qw avx2 /proc/cpuinfo || return 0
	run ends gather ./moves gather
	[[ $output == *'all 4 classes'*'4 exit'* ]]
	[ "$(exit_codes gather)" = '10 11 12 13 ' ]
}

@test "linchpin run -v names what is not instrumented" {
	gcc -g -O1 -o spin "$FORMS/spin.c" -pthread
	LINCHPIN_SKIP='wait_*' run "$LINCHPIN" run -v --check=none -o verbose -- ./spin
	[[ $output == *'not instrumented: spin '*'wait_for_flag: skipped on request'* ]]
	LINCHPIN_SKIP='wait_*' run "$LINCHPIN" run --check=none -o verbose -- ./spin
	[[ $output == *'1 function could not be instrumented'* ]]
}

@test "--instrument and --skip choose what is seen, also in a replay" {
	gcc -g -O1 -o spin "$FORMS/spin.c" -pthread
	run "$LINCHPIN" run -v --skip='wait_*' --check=none -o skip -- ./spin
	[[ $output == *'not instrumented: spin '*'wait_for_flag: skipped on request'* ]]
	grep -qx 'skip wait_\*' skip/run
	run "$LINCHPIN" run --instrument='second,wait_*' --check=none -o only -- ./spin
	grep -qx 'instrument second,wait_\*' only/run
	"$LINCHPIN" trace only 1 >trace.txt
	grep -q ' second .*read counted' trace.txt
	grep -q ' wait_for_flag .*read flag' trace.txt
	run grep -c ' first ' trace.txt
	[ "$output" -eq 0 ]
	"$LINCHPIN" replay only 1 >replay.txt
	LINCHPIN_SKIP='*' "$LINCHPIN" replay only 1 >again.txt
	diff replay.txt again.txt
	run "$LINCHPIN" run --instrument=none --check=none -o none -- ./spin
	[[ $output != *'could not be instrumented'* ]]
}

# Each function alone with a thread that writes a byte of what it reads, and reads a byte of what it writes.
@test "more libc functions that read and write ranges, also the checked forms" {
	local expected='5 5 4 2 4 4 4 4 4 2 2 2 2 3 3 2 3 2 3 2 2 2 ' found flags n
	for flags in '-O1 -fno-builtin' '-O2 -D_FORTIFY_SOURCE=2'; do
		# shellcheck disable=SC2086
		gcc -g $flags -o more "$FORMS/ranges_more.c" -pthread
		found=
		for ((n = 0; n < 22; n++)); do
			run ends "more.$n" ./more "$n"
			echo "$n: $output"
			[[ $output != *assert* && $output != *crash* && $output == *' ok'* ]]
			found+="$(sed -n 's/^bound: *all \([0-9]*\) classes.*/\1/p' <<<"$output") "
			rm -rf "more.$n"
		done
		[ "$found" = "$expected" ]
	done
}

# as_native PROGRAM [FUNCTION...]: instrumented it prints the same, nothing is left out, and in these functions accesses
# are seen.
as_native() {
	local program=$1 function
	shift
	[ "$(first_output "./$program" 2>/dev/null)" = "$("./$program" 2>/dev/null)" ]
	[ ! -e once/uninstrumented ]
	"$LINCHPIN" trace once 1 >seen 2>/dev/null
	for function in "$@"; do
		grep -Eq " $function +(atomic )?(read|write|update|failed cas) " seen || { echo "nothing seen in $function"; return 1; }
	done
}

# A return site of one byte gets a trap, one of two bytes a short jump: the program shows the bytes that are there.
@test "return sites with little space, also where all signals are blocked" {
	for cc in gcc clang; do
		$cc -g -O1 -o traps "$FORMS/traps.c" "$FORMS/traps.S" -pthread
		[ "$(./traps 2>&1 >native)" = 'c3 5b 83' ]
		[ "$(first_output ./traps 2>&1 >instrumented)" = 'cc eb e9' ]
		cmp native instrumented
		as_native traps step
		[ "$(first_output ./traps signals 2>/dev/null)" = "$(./traps signals 2>/dev/null)" ]
	done
	for mode in rollback fork; do
		LINCHPIN_ISOLATE=$mode run ends $mode ./traps signals
		[[ $output == *'all 26 classes'* && $output == *'26 ok'* ]]
	done
	LINCHPIN_ISOLATE=rollback ends again ./traps signals 2>/dev/null
	cmp rollback/trace again/trace
	cmp rollback/trace fork/trace
}

@test "callbacks, inline assembly, computed jumps, frames of every kind, aliases and IFUNC, by compilers and flags" {
	local functions='by_value at_once on_signal spin_lock take_ticket interpret choose leave frames average make_large real_name chosen'
	while read -r cc flags; do
		echo "$cc $flags"
		# shellcheck disable=SC2086
		$cc -g $flags -o shapes "$FORMS/shapes.c" -pthread
		# shellcheck disable=SC2086
		as_native shapes $functions
	done <<-'END'
	gcc -O0
	gcc -O2 -fcf-protection=full
	gcc -O2 -fcf-protection=full -no-pie -fno-pie -fno-plt
	gcc -O2 -flto
	gcc -Os -fno-omit-frame-pointer -fstack-protector-strong
	gcc -O2 -ffunction-sections -fomit-frame-pointer -Wl,--gc-sections -static-libgcc
	gcc -O2 -fno-asynchronous-unwind-tables
	clang -O0 -fcf-protection=full
	clang -O2
	END
	# What is inlined or unrolled there is not known, nor which instructions there are.
	for cc in gcc clang; do
		$cc -g -O3 -funroll-loops -march=native -o shapes "$FORMS/shapes.c" -pthread
		as_native shapes spin_lock interpret
	done
}

@test "a library of the program with hidden and static functions, also stripped" {
	echo 'int run_shapes(void); int main(void) { return run_shapes(); }' >driver.c
	for strip in '' -s; do
		# shellcheck disable=SC2086
		gcc -g -O2 $strip -shared -fPIC -fvisibility=hidden '-Dmain=__attribute__((visibility("default"))) run_shapes' \
			-o libshapes.so "$FORMS/shapes.c" -pthread
		# shellcheck disable=SC2016
		gcc -g -O2 -o driver driver.c -L. -lshapes -Wl,-rpath,'$ORIGIN' -pthread
		as_native driver
		[ "$(grep -cE ' (read|write|update) ' seen)" -gt 300 ]
	done
}

@test "hot and cold parts of a function, with exceptions through both" {
	for flags in -O2 '-O2 -fcf-protection=full -no-pie -fno-pie'; do
		# shellcheck disable=SC2086
		g++ -g $flags -o cold "$FORMS/cold.cc" -pthread
		[ "$(nm cold | grep -c '\.cold')" -ge 3 ]
		as_native cold back away caught rare fail
	done
	clang++ -g -O2 -o cold "$FORMS/cold.cc" -pthread
	as_native cold back away caught rare fail
}

@test "a function with several entries and names" {
	for flags in '-fPIE -pie' '-fno-pie -no-pie'; do
		# shellcheck disable=SC2086
		gcc -g -O2 $flags -o entries "$FORMS/entries.c" "$FORMS/entries.S" -pthread
		as_native entries add_one tail work
	done
}

@test "operations that end by a tail call, a recursion, an exception or longjmp" {
	for cc in g++ clang++; do
		$cc -g -O2 -o leaves "$FORMS/leaves.cc" -pthread
		rm -rf left
		"$LINCHPIN" run -q --check=none --spec "$FORMS/leaves.lin" --max-executions=1 -o left -- ./leaves
		"$LINCHPIN" trace left 1 2>/dev/null | grep -oE '(call|return) .*' | tr -s ' ' >seen
		diff seen - <<-'END'
		call direct(1)
		return direct(1) = 2
		call to_function(2)
		return to_function(2) = 6
		call to_libc(3)
		return to_libc(3) = 73
		call to_pointer(4)
		return to_pointer(4) = 12
		call to_pointer(1)
		return to_pointer(1) = 13
		call to_operation(2)
		return to_operation(2) = 26
		call recursive(3)
		return recursive(3) = 152
		call thrown(7)
		call direct(5)
		return direct(5) = 25
		call jumped(3)
		call direct(6)
		return direct(6) = 28
		call thrown(0)
		return thrown(0) = 24
		call jumped(0)
		return jumped(0) = 25
		call to_libc(0)
		return to_libc(0) = 70
		call direct(0)
		return direct(0) = 26
		END
	done
	objdump -d leaves | grep -qE 'jmp.*<(atoi|strtol|__isoc23_strtol)@plt>'
}

@test "code outside known functions is reported" {
	gcc -O2 -fno-asynchronous-unwind-tables -s -o bounds "$FORMS/forms.c"
	first_output ./bounds >/dev/null
	grep -q '^bounds .*code that is in no function' once/uninstrumented
}

@test "adjacent executable segments" {
	cat >far.c <<-'END'
	#include <pthread.h>
	static int count;
	static __attribute__((noinline, section(".far"))) void add(void) { count++; }
	static void *worker(void *unused) { add(); return unused; }
	int main(void)
	{
		pthread_t a, b;

		pthread_create(&a, NULL, worker, NULL);
		pthread_create(&b, NULL, worker, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return count != 2;
	}
	END
	gcc -g -O1 -no-pie -Wl,--section-start=.far=0x900000 -o far far.c -pthread
	[ "$(readelf -lW far | grep -c 'LOAD.* R E ')" -eq 2 ]
	run ends far.d ./far
	[[ $output == *'all 4 classes'*'2 ok, 2 exit'* ]]
}

@test "numbers that instructions give are the same in every execution" {
	for level in -O0 -O2 hooks; do
		if [ $level = hooks ]; then
			gcc $("$LINCHPIN" cflags) -O1 -c -o numbers.o "$FORMS/numbers.c"
			gcc -o numbers numbers.o $("$LINCHPIN" libs) -pthread
		else
			gcc -g $level -o numbers "$FORMS/numbers.c" -pthread
		fi
		for search in dpor source dfs; do
			LINCHPIN_SEARCH=$search run ends "numbers$level$search" ./numbers
			echo "$output"
			[[ $output == *'all 10 classes'*'10 ok'* ]]
		done
	done
}

@test "futex system calls in the program's own machine code, and OpenMP, which uses them" {
	for level in -O0 -O2; do
		gcc -g $level -o raw "$FORMS/raw_futex.c" -pthread
		run ends "raw$level" ./raw
		echo "$output"
		[[ $output == *'bound: *all '* || $output == *'bound:'*'all '* ]]
		[[ $output == *' ok'* && $output != *assert* && $output != *deadlock* && $output != *endless* ]]
	done
	cat >omp.c <<-'END'
	#include <stdio.h>
	int main(void)
	{
		int sum = 0, racy = 0;

		#pragma omp parallel num_threads(2)
		{
			#pragma omp critical
			sum++;
			racy++;
		}
		printf("%d\n", sum);
		return sum != 2 ? 9 : racy != 2;
	}
	END
	gcc -g -O1 -fopenmp -o omp omp.c || skip 'no OpenMP'
	# Its threads wait passively without being told to, in a bare run as well, even if that is not begun again for its
	# addresses.
	for how in "$LINCHPIN run --check=none --search=random --max-executions=200 -o omp.d -- ./omp" \
		"env LD_PRELOAD=$RUNTIME LINCHPIN_CHECK=none LINCHPIN_SEARCH=random LINCHPIN_MAX_EXECUTIONS=200 LINCHPIN_DIR=bare.d ./omp" \
		"setarch -R env LD_PRELOAD=$RUNTIME LINCHPIN_CHECK=none LINCHPIN_SEARCH=random LINCHPIN_MAX_EXECUTIONS=200 LINCHPIN_DIR=fixed.d ./omp"; do
		run $how
		echo "$output"
		[[ $output == *' ok, '*' exit'* ]]
		[[ $output == *'exit with status 1'* && $output != *'exit with status 9'* && $output != *endless* ]]
	done
	cmp omp.d/trace bare.d/trace
}

@test "a function that is not copied and jumps into one that is" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	gcc -g -O1 -o middle "$FORMS/middle.c" "$FORMS/middle.S" -pthread
	for how in --skip=outer --instrument=inner --skip=inner --instrument=outer; do
		run "$LINCHPIN" run $how --check=none -o d -- ./middle
		echo "$output"
		[[ $output == *'ends:     '[1-9]*' ok'* && $output != *crash* && $output != *assert* ]]
	done
}

@test "a crash in a libc function is reported at the line that calls it" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	for call in 'strlen(bad)' '__strcpy_chk(bad, text, 9)' '__strncpy_chk(bad, text, 4, 9)' 'explicit_bzero(bad, 9)' \
		'strcmp(text, bad)' 'strncat(bad, text, 2)' 'strcasecmp(text, bad)'; do
		gcc -std=gnu89 -g -O0 -w -fno-builtin -o bad -pthread -xc - <<-END
			#include <pthread.h>
			char text[9] = "text", *bad = (char *)64;
			void *worker(void *unused)
			{
				text[1] = 'E';
				$call;
				return unused;
			}
			int main(void)
			{
				pthread_t thread;
				pthread_create(&thread, 0, worker, 0);
				text[2] = 'X';
				pthread_join(thread, 0);
			}
		END
		run "$LINCHPIN" run --check=none -o d -- ./bad
		echo "$call: $output"
		[ "$status" -eq 1 ]
		[[ $output == *crash* && $output == *'<stdin>:6'* ]]
	done
}
