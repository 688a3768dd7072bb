#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that cannot be explored, or whose exploration would say nothing: each gets one message that says what to do.

load helpers/common

# refused PATTERN PROGRAM: linchpin run says one line that matches and exits with 2.
refused() {
	run "$LINCHPIN" run -q --max-executions=10 -- "$2"
	echo "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == linchpin:* ]]
	[[ ${lines[0]} == *$1* ]]
}

@test "a missing file" {
	refused 'No such file' ./missing
	refused 'no such program in $PATH' surely-no-such-program
}

@test "a file of this directory without ./" {
	cp /bin/true some-test
	refused 'write ./some-test' some-test
}

@test "a directory, a file that is not executable" {
	mkdir directory
	refused 'is a directory' ./directory
	echo x >plain
	refused 'not executable' ./plain
}

@test "a script, a file that is not ELF" {
	printf '#!/bin/sh\n' >script
	echo 'hello' >text
	chmod +x script text
	refused 'is a script' ./script
	refused 'not an ELF' ./text
}

@test "a truncated ELF file" {
	head -c 40 /bin/true >cut
	chmod +x cut
	refused 'not an ELF' ./cut
}

@test "a static program" {
	echo 'int main(void) { return 0; }' >s.c
	gcc -static -o static s.c
	refused 'statically linked' ./static
	gcc -static-pie -o static-pie s.c
	refused 'statically linked' ./static-pie
}

@test "a shared library, an object file" {
	echo 'int x;' >s.c
	gcc -shared -fPIC -o s.so s.c
	refused 'shared library' ./s.so
	gcc -c -o s.o s.c
	chmod +x s.o
	refused 'not a program' ./s.o
}

@test "a setuid and a setgid program" {
	cp "$(build counter)" counter
	chmod u+s counter
	refused 'setuid' ./counter
	chmod u-s,g+s counter
	refused 'setgid' ./counter
}

@test "a 32-bit program" {
	# The class byte of the ELF header is enough for the check.
	cp /bin/true t32
	printf '\001' | dd of=t32 bs=1 seek=4 conv=notrunc 2>/dev/null
	chmod +x t32
	run "$LINCHPIN" run -q -- ./t32
	[ "$status" -eq 2 ]
	[[ $output == *32-bit* || $output == *'not an ELF'* ]]
}

@test "a program without compiler hooks is explored as well" {
	gcc -g -I "$ROOT/include" -o plain "$PROGRAMS/counter.c" -pthread
	run "$LINCHPIN" run -q -o plain.d -- ./plain
	[ "$status" -eq 1 ]
	"$LINCHPIN" run -q -o hooks.d -- "$(build counter)" || true
	[ "$("$LINCHPIN" report plain.d | grep ^ends:)" = "$("$LINCHPIN" report hooks.d | grep ^ends:)" ]
}

@test "a program linked with the sanitizer's runtime is told how to link" {
	gcc -g -fsanitize=thread -I "$ROOT/include" -o tsan "$PROGRAMS/counter.c" -pthread
	refused 'linchpin libs' ./tsan
}

@test "no debug information: a warning, and the exploration goes on" {
	program=$(build counter)
	strip --strip-debug -o nodebug "$program"
	run "$LINCHPIN" run -o d -- ./nodebug
	[ "$status" -eq 1 ]
	[ "$(grep -c 'no debug information' <<<"$output")" -eq 1 ]
}

@test "a stripped program: a warning, and the exploration goes on" {
	program=$(build counter)
	strip -o stripped "$program"
	run "$LINCHPIN" run -o d -- ./stripped
	[ "$status" -eq 1 ]
	[ "$(grep -c 'no debug information' <<<"$output")" -eq 1 ]
}

@test "no threads: a vacuous test" {
	run "$LINCHPIN" run -o d -- "$(build no_threads)"
	[ "$status" -eq 2 ]
	[ "$(grep -c 'created no thread' <<<"$output")" -eq 1 ]
}

@test "no two threads touch the same memory: a vacuous test" {
	run "$LINCHPIN" run -o d -- "$(build no_sharing)"
	[ "$status" -eq 2 ]
	[ "$(grep -c 'no two threads touched the same memory' <<<"$output")" -eq 1 ]
}

@test "vacuous tests of plain programs say what may help" {
	gcc -g -O0 -pthread -o plain "$PROGRAMS/counter.c" "-I$ROOT/include"
	LINCHPIN_SKIP='*' run "$LINCHPIN" run -o d -- ./plain
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'no access to memory was seen; '*' were skipped on request'* ]]
	LINCHPIN_INSTRUMENT=none run "$LINCHPIN" run -o d -- ./plain
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'no access to memory was seen. '*LINCHPIN_INSTRUMENT* ]]
	[[ $output != *cflags* ]]
	# At -O3 this loop is gone.
	printf '#include <pthread.h>\nstatic void *f(void *p) { int n = 0; for (int i = 0; i < 9; i++) n += i; return p; }
int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(t + i, 0, f, 0);
for (int i = 0; i < 2; i++) pthread_join(t[i], 0); }\n' >folded.c
	gcc -g -O3 -pthread -o folded folded.c
	run "$LINCHPIN" run -o d -- ./folded
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *'vacuous test: no '*'compiler remove'* ]]
}

@test "no operation is marked: says how, and checks outcomes" {
	run "$LINCHPIN" run -o d -- "$(build unmarked)"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'linchpin_call' <<<"$output")" -eq 1 ]
	run "$LINCHPIN" run -o d --check=none -- "$(build unmarked)"
	[ "$status" -eq 0 ]
	[[ $output != *linchpin_call* ]]
}
