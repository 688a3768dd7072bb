/* SPDX-License-Identifier: MIT
 *
 * The floating-point environment of threads: rounding modes and exceptions raised, of vector registers and of the x87 unit, are
 * a thread's own over calls and accesses; a new thread has those of the one that makes it; a handler begins with
 * the initial ones and leaves those of its thread alone. Aborts where it is otherwise.
 */
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long double one = 1, three = 3, none, large = 1e4000L;
static volatile double small_one = 1, small_three = 3;
static volatile int shared;

static void expect(const char *what, int rounding, int raised, int raised_x87)
{
	unsigned short status;

	__asm__ volatile("fnstsw %0" : "=m"(status));
	status &= 0x3d; /* not that an operand was denormal */
	if (fegetround() == rounding && fetestexcept(FE_ALL_EXCEPT) == raised && status == raised_x87)
		return;
	printf("%s: rounding %x, raised %x, by x87 %x\n", what, (unsigned)fegetround(),
	       (unsigned)fetestexcept(FE_ALL_EXCEPT), status);
	fflush(stdout);
	abort();
}

static void take_turns(void)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
}

static void *inexact(void *unused)
{
	volatile long double result = one / three;

	expect("inexact, at first", FE_TONEAREST, FE_INEXACT, FE_INEXACT);
	take_turns();
	expect("inexact, then", FE_TONEAREST, FE_INEXACT, FE_INEXACT);
	(void)result;
	return unused;
}

static void *overflow(void *unused)
{
	volatile long double result;

	fesetround(FE_UPWARD);
	result = large * large;
	(void)result;
	take_turns();
	expect("overflow", FE_UPWARD, FE_OVERFLOW | FE_INEXACT, FE_OVERFLOW | FE_INEXACT);
	return unused;
}

static void *nothing(void *unused)
{
	take_turns();
	expect("nothing", FE_TONEAREST, 0, 0);
	return unused;
}

static void *inherits(void *unused)
{
	take_turns();
	expect("inherited", FE_DOWNWARD, FE_INVALID | FE_INEXACT, FE_INVALID);
	return unused;
}

static void handler(int signal)
{
	volatile long double result;

	(void)signal;
	expect("handler", FE_TONEAREST, 0, 0);
	fesetround(FE_DOWNWARD);
	result = one / none;
	(void)result;
}

static void *interrupted(void *unused)
{
	volatile double result;

	fesetround(FE_UPWARD);
	result = small_one / small_three;
	(void)result;
	shared++; /* without a call there may be more in the registers */
	take_turns();
	expect("interrupted", FE_UPWARD, FE_INEXACT, 0);
	return unused;
}

/* Which: 0, three threads; 1, one inherits; 2, a handler. */
int main(int argc, char **argv)
{
	int which = argc > 1 ? atoi(argv[1]) : 0;
	struct sigaction action;
	pthread_t t[3];

	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	sigaction(SIGUSR1, &action, NULL);
	if (which == 0) {
		pthread_create(&t[0], NULL, inexact, NULL);
		pthread_create(&t[1], NULL, overflow, NULL);
		pthread_create(&t[2], NULL, nothing, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	} else if (which == 1) {
		volatile double rounded = small_one / small_three;
		volatile long double invalid = none / none;

		(void)rounded, (void)invalid;
		fesetround(FE_DOWNWARD);
		pthread_create(&t[0], NULL, inherits, NULL);
		take_turns();
		pthread_join(t[0], NULL);
	} else {
		pthread_create(&t[0], NULL, interrupted, NULL);
		pthread_kill(t[0], SIGUSR1);
		shared++;
		pthread_join(t[0], NULL);
	}
	puts("kept");
	return 0;
}
