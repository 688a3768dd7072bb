#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a program may expect of its process in every execution (programs/features.c).

load helpers/common

# explore NAME [OPTION...]: explores the case completely; the numbers are in out.json, the report in out.txt.
explore() {
	local name=$1
	shift
	"$LINCHPIN" run --check none "$@" --json out.json -o run -- "$(build features)" "$name" >out.txt 2>err.txt
}

clean() {
	explore "$@" || { cat out.txt err.txt; return 1; }
	cat out.json
	[ "$(json out.json complete)" = true ]
	[ "$(json out.json executions)" -ge 2 ]
}

@test "static, thread-local, heap and argument memory is restored for every execution" {
	clean memory
	clean memory --isolate=fork
}

@test "thread-local storage follows threads, however it is switched" {
	for tls in prctl fsgsbase; do
		LINCHPIN_TLS=$tls explore memory || grep -q 'kernel does not allow' err.txt
	done
}

@test "a variable on main's stack is seen as shared" {
	run explore stack
	[ "$status" -eq 1 ]
	[ "$(json out.json exit)" -ge 1 ]
	[ "$(json out.json ok)" -ge 1 ]
}

@test "more threads than have thread-local storage at first" {
	explore many --search random --max-executions 20
	[ "$(json out.json executions)" -eq 20 ]
}

@test "pthread_exit, cleanup handlers, destructors of thread-specific data" {
	clean ends
}

@test "exit handlers run, last registered first" {
	clean handlers
}

@test "a timed wait is woken or times out" {
	clean timed
}

@test "sleeping takes no time, but time passes" {
	clean sleep
}

@test "mutexes of all types" {
	clean locks
}

@test "use after free with every policy of malloc, with both lines" {
	for policy in reuse quarantine; do
		run explore freed --malloc $policy
		[ "$status" -eq 1 ]
		[ "$(json out.json use-after-free)" -ge 1 ]
		grep -q 'note: freed before by' out.txt
		grep -q 'note: allocated by' out.txt
	done
}

@test "a double free" {
	run explore double
	[ "$status" -eq 1 ]
	[ "$(json out.json bad-free)" -ge 1 ]
	grep -q 'double free' out.txt
}

@test "a crash in a library is reported at the line of the program that called it" {
	run explore library
	[ "$status" -eq 1 ]
	[ "$(json out.json crash)" -ge 1 ]
	[ "$(json out.json ok)" -ge 1 ]
	grep -q "features.c:$(line_of features measure):.*in measures" out.txt
}

@test "--isolate=fork gives the same traces, with thread-local storage and many threads" {
	for mode in rollback fork; do
		explore many --max-executions 12 --isolate=$mode
		rm -rf "$mode"
		mv run "$mode"
	done
	cmp rollback/trace fork/trace
}

@test "locks made of futexes" {
	clean futex
	[ "$(json out.json deadlock)" = "" ]
}

@test "C11 threads, mutexes, conditions, once" {
	clean c11
}

@test "an unsupported call ends the run with a message" {
	run explore clone
	[ "$status" -eq 2 ]
	grep -q 'the program makes a thread or a process by a system call' err.txt
}

@test "descriptors and mappings are undone after an execution" {
	explore kernel --search random --max-executions 2000
	[ "$(json out.json ok)" -eq "$(json out.json classes)" ]
	[ "$(json out.json executions)" -eq 2000 ]
}

@test "the first descriptor that an execution opens" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	gcc -g -O1 -o first -pthread -xc - <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		static int word;
		static void *worker(void *unused)
		{
			FILE *file = tmpfile();
			word++;
			fclose(file);
			return unused;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, worker, NULL);
			word++;
			pthread_join(thread, NULL);
			return 0;
		}
	END
	LINCHPIN_QUIET=1 "$LINCHPIN" run --check=none -o d -- ./first
	for n in 1 2; do # what the runtime asks the loader is no step of the program
		"$LINCHPIN" replay d $n >steps.txt
		grep -q 'word' steps.txt
		! grep -q dynamic_loader steps.txt || return 1
	done
}

@test "signal handlers and the signal mask are restored after an execution" {
	cd "$BATS_TEST_TMPDIR" || exit 1
	gcc -g -O1 -o signals -pthread -xc - <<-'END'
		#include <assert.h>
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		static int word;
		static void handler(int sig)
		{
			exit(sig == SIGUSR1 ? 0 : 1); /* with it blocked */
		}
		static void *worker(void *unused)
		{
			word++;
			return unused;
		}
		int main(void)
		{
			struct sigaction act = { .sa_handler = handler }, old;
			pthread_t thread;
			sigset_t set, before;
			sigemptyset(&set);
			sigaddset(&set, SIGUSR2);
			assert(!sigaction(SIGUSR1, &act, &old) && old.sa_handler == SIG_DFL);
			assert(!pthread_sigmask(SIG_BLOCK, &set, &before));
			assert(!sigismember(&before, SIGUSR1) && !sigismember(&before, SIGUSR2));
			pthread_create(&thread, NULL, worker, NULL);
			word++;
			pthread_join(thread, NULL);
			raise(SIGUSR1);
			return 1;
		}
	END
	run "$LINCHPIN" run --check=none --search=random --max-executions=20 -o d -- ./signals
	echo "$output"
	[[ $output == *'ends:     '[0-9]*' ok'* && $output != *' exit'* && $output != *assert* ]]
}

@test "output appears once, even if the first execution is restarted" {
	explore stack || [ $? -eq 1 ]
	[ "$(grep -c '^done$' out.txt)" -eq 1 ]
}

@test "cleanup handlers do not write outside their buffers" {
	cat >cleanup.c <<-'END'
	#include <pthread.h>
	static int cleaned, count;
	static void clean(void *p) { __atomic_fetch_add((int *)p, 1, __ATOMIC_SEQ_CST); }
	static __attribute__((noinline)) void guarded(int how)
	{
		char tail[16] = "tail";

		pthread_cleanup_push(clean, &cleaned);
		__atomic_fetch_add(&count, tail[how] == 't', __ATOMIC_SEQ_CST);
		if (how == 3)
			pthread_exit(NULL);
		pthread_cleanup_pop(1);
	}
	static void *worker(void *how) { guarded((int)(long)how); return how; }
	int main(void)
	{
		pthread_t a, b;

		pthread_create(&a, NULL, worker, (void *)0);
		pthread_create(&b, NULL, worker, (void *)3);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return cleaned != 2 || count != 1;
	}
	END
	for level in -O0 -O2; do
		gcc -g $level -fstack-protector-all -o cleanup cleanup.c -pthread
		run "$LINCHPIN" run --check=none -o "d$level" -- ./cleanup
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'ends: '*' ok'* && $output != *abort* ]]
	done
}

@test "the hooks in place of memcpy, memmove and memset: one range is written, one read, in two orders" {
	program=$(build tsan_memory)
	"$program"	# they do their work on their own, too
	"$LINCHPIN" run -q --check none --json out.json -o run -- "$program"
	[ "$(json out.json classes)" -eq 2 ]
	"$LINCHPIN" trace run 1 >trace.txt
	for mark in set copy move; do
		grep -q "tsan_memory.c:$(line_of tsan_memory $mark)" trace.txt
	done
}

@test "all the threads that there may be at once, in many executions" {
	local program
	gcc -g -O1 -pthread -o plain "$PROGRAMS/all_threads.c"
	for program in ./plain "$(build all_threads)"; do
		run "$LINCHPIN" run -q --check=none --max-executions=30 -o d -- "$program"
		echo "$output"
		[ "$status" -eq 0 ]
		run "$LINCHPIN" run -q --check=none --search=random --max-executions=30 -o d -- "$program" fails
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *'executed again with the same result'* ]]
	done
}

@test "what was learned of cancellation and signals belongs to the record" {
	gcc -g -O1 -pthread -o plain "$PROGRAMS/cancelled_late.c"
	run "$LINCHPIN" run --check=none --json=j -o d -- ./plain
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'exit with status 2 in too_late'* ]]
	[[ $output == *'executed again with the same result'* ]]
	[[ $output != *'cannot run'* ]]
	grep -q '^sends 11$' d/steering
}

@test "the functions that set the clock of the system are not permitted" {
	cat >clock.c <<'END'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

static int shared;

static void *work(void *arg)
{
	struct timex asked = { 0 }, changed = { .modes = ADJ_STATUS };
	struct timespec now;
	struct timeval tv;

	__atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
	clock_gettime(CLOCK_REALTIME, &now);
	tv.tv_sec = now.tv_sec;
	tv.tv_usec = 0;
	assert(clock_settime(CLOCK_REALTIME, &now) == -1 && errno == EPERM);
	errno = 0;
	assert(settimeofday(&tv, NULL) == -1 && errno == EPERM);
	assert(clock_settime(12345, &now) == -1 && errno == EINVAL);
	assert(adjtimex(&asked) >= 0);
	assert(adjtimex(&changed) == -1 && errno == EPERM);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}
END
	gcc -g -O1 -pthread -o clock clock.c
	run "$LINCHPIN" run --check=none -o d -- ./clock
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a program that gives up its rights has its whole run recorded" {
	cat >rights.c <<'END'
#include <pthread.h>
#include <unistd.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;
	int changed;

	pthread_create(&t, NULL, work, NULL);
	changed = setuid(65534); /* may not be permitted; then there is nothing to see */
	work(&changed);
	pthread_join(t, NULL);
	return 0;
}
END
	gcc -g -O1 -pthread -o rights rights.c
	run "$LINCHPIN" run --check=none -o d -- ./rights
	echo "$output"
	[ "$status" -eq 0 ]
	[ -s d/steering ]
}
