#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The list of functions (interpose/functions.def) against libc, libsched.so and docs/functions.md.

load helpers/common

setup() {
	list=$BUILD/gen/functions
	libc=$(gcc -print-file-name=libc.so.6)
	libm=$(gcc -print-file-name=libm.so.6)
	libstdcxx=$(g++ -print-file-name=libstdc++.so.6)
	# caught NAME or passed NAME, a line for each name
	awk '!/^section/ {
		how = $1 == "PASSED" ? "passed" : "caught"
		sub(/^[^(]*\(/, ""); sub(/\).*/, ""); gsub(/,/, "")
		for (i = 1; i <= NF; i++) print how, $i
	}' "$list" >"$BATS_TEST_TMPDIR/names"
	cut -d' ' -f2 "$BATS_TEST_TMPDIR/names" | sort >"$BATS_TEST_TMPDIR/listed"
	# functions that programs can be linked with, now or when they were built; no data, nothing private
	nm -D --defined-only "$libc" "$libm" "$libstdcxx" | awk '$2 ~ /[TWi]/ && !/GLIBC_PRIVATE/ { sub(/@.*/, "", $3); print $3 }' |
		sort -u >"$BATS_TEST_TMPDIR/libc"
	cd "$BATS_TEST_TMPDIR"
}

# without_line: the names on standard input that the list does not have; fails if there are any, or no names at all.
without_line() {
	sort -u >wanted
	[ -s wanted ] || { echo "nothing to look for"; return 1; }
	comm -23 wanted listed >missing
	sed 's/$/ has no line in interpose\/functions.def/' missing
	[ ! -s missing ]
}

@test "every function of libc on threads, mutexes, conditions, semaphores has a line" {
	grep -E '^_*(pthread|sem|thrd|mtx|cnd|tss)_|^call_once$' libc | without_line
}

@test "every function that the headers on threads, signals, time and strings declare has a line" {
	for header in pthread semaphore threads sched signal time string strings; do
		echo "#include <$header.h>"
	done >all.c
	# The linemarkers tell in which header a declaration is.
	gcc -D_GNU_SOURCE -E all.c | awk '
		/^# / { on = $3 ~ /\/(pthread|semaphore|threads|sched|signal|time|string|strings)\.h"$/; next }
		on { text = text " " $0 }
		END {
			n = split(text, declarations, ";")
			for (i = 1; i <= n; i++)
				if (declarations[i] ~ /extern/ && match(declarations[i], /[A-Za-z_0-9]+ \(/))
					print substr(declarations[i], RSTART, RLENGTH - 2)
		}' | sort -u >declared
	[ "$(wc -l <declared)" -gt 250 ]
	# what is a macro or inline, or of the compiler's, is not in libc
	comm -12 declared libc | without_line
}

@test "every function of any header that takes a pointer has a line" {
	local header
	for header in aio argz arpa/inet complex ctype dirent envz err error execinfo fcntl fenv fmtmsg fnmatch fstab fts ftw getopt \
		glob grp iconv ifaddrs inttypes langinfo libgen libintl locale malloc math mntent monetary mqueue net/if netdb \
		netinet/ether poll printf pthread pty pwd regex resolv sched search semaphore setjmp shadow signal spawn stdio \
		stdio_ext stdlib string strings sys/epoll sys/eventfd sys/file sys/inotify sys/ioctl sys/mman sys/msg sys/prctl \
		sys/random sys/resource sys/select sys/sem sys/sendfile sys/shm sys/signalfd sys/socket sys/stat sys/statfs \
		sys/statvfs sys/sysinfo sys/time sys/timerfd sys/times sys/timex sys/uio sys/utsname sys/wait sys/xattr syslog \
		termios threads time uchar ucontext unistd utime utmp utmpx wchar wctype wordexp; do
		echo "#include <$header.h>"
	done >all.c
	# Pointers to functions, and locale_t, res_state and their like, are memory of the program's only if they are given others.
	gcc -D_GNU_SOURCE -E -P all.c | tr '\n' ' ' | tr ';' '\n' | sed 's/__attribute__ *(([^;]*//; s/__asm__.*//' |
		awk '/extern/ && !/typedef/ && match($0, /[A-Za-z_0-9]+ \(/) {
			name = substr($0, RSTART, RLENGTH - 2)
			if (substr($0, RSTART + RLENGTH) ~ /[*[]/) print name
		}' | sort -u >declared
	[ "$(wc -l <declared)" -gt 900 ]
	comm -12 declared libc | without_line
}

@test "every name in the list is a function of libc, and is there once" {
	uniq -d listed >twice
	cat twice
	[ ! -s twice ]
	# Some are newer than this libc may be.
	grep 'since glibc' "$list" | grep -o '([^)]*)' | tr -d '(),' | tr ' ' '\n' | sort >newer
	comm -23 listed libc | comm -23 - newer >unknown
	cat unknown
	[ ! -s unknown ]
}

@test "libsched.so exports what the list says it catches, compiler hooks, atomics, guards, and what debuggers look for" {
	nm -D --defined-only "$BUILD/libsched.so" | awk '{ print $3 }' | grep -vE '^((__(tsan|atomic|cxa_guard)|atomic)_|_ZNSt13random_device|linchpin_)' | sort >exported
	sed -n 's/^caught //p' names | sort >caught
	diff caught exported
}

@test "docs/functions.md is up to date" {
	diff "$BATS_TEST_DIRNAME/../../docs/functions.md" "$BUILD/gen/functions.md" ||
		{ echo "make docs-functions writes it"; return 1; }
}

@test "a refused function ends the run with its message, but may be called before main" {
	gcc -g -O1 -o calls -pthread -xc - <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static const char *what;
		static int shared;
		__attribute__((constructor)) static void before(void)
		{
			int status;
			pid_t child = fork();
			if (!child) {
				execl("/bin/true", "true", (char *)NULL);
				_exit(1);
			}
			if (waitpid(child, &status, 0) != child || status)
				abort();
		}
		static void *worker(void *unused)
		{
			char *argv[] = { "true", NULL };
			shared++;
			if (!strcmp(what, "clone"))
				syscall(SYS_clone, 17, 0, 0, 0, 0);
			else if (!strcmp(what, "execl"))
				execl("/bin/true", "true", (char *)NULL);
			else if (!strcmp(what, "execvp"))
				execvp("true", argv);
			return unused;
		}
		int main(int argc, char **argv)
		{
			pthread_t thread;
			what = argv[1];
			pthread_create(&thread, NULL, worker, NULL);
			shared++;
			return pthread_join(thread, NULL);
		}
	END
	run "$LINCHPIN" run --check none -o none -- ./calls nothing
	[ "$status" -eq 0 ]
	while read -r what message; do
		run "$LINCHPIN" run --check none -o "$what" -- ./calls "$what"
		echo "$what: $status $output"
		[ "$status" -eq 2 ]
		[[ $output == *"$message"* ]]
	done <<-'END'
		clone the program makes a thread or a process by a system call
		execl the program calls exec, so another one takes its place
		execvp the program calls exec, so another one takes its place
	END
}
