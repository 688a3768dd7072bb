/* SPDX-License-Identifier: MIT
 *
 * Calls the functions of traps.S, in two threads. What is at the return sites goes to standard error: a return (c3) or
 * the like where nothing was changed, else a trap (cc), a short jump (eb) or a long one (e9). With an argument it
 * also calls one in a signal handler, and with all signals blocked.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int one_byte(int *p), two_bytes(int *p), roomy(int *p), step(int *p);
extern const unsigned char of_one_byte[], of_two_bytes[], of_roomy[];

static int shared;
static volatile sig_atomic_t handled;

__attribute__((noinline)) int step(int *p)
{
	int seen = *p;

	*p = seen + 1;
	return seen;
}

static void *work(void *unused)
{
	one_byte(&shared);
	two_bytes(&shared);
	return unused;
}

static void on_signal(int signal)
{
	handled += one_byte(&(int){ signal == SIGUSR1 });
}

/* Traps are met where the program has blocked all signals, and in a handler that blocks them. */
static void in_handler(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	sigset_t all, old;

	sigfillset(&all);
	sigfillset(&act.sa_mask);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	handled += one_byte(&(int){ 1 });
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigprocmask(SIG_BLOCK, &all, &old);
	handled += one_byte(&(int){ sigismember(&old, SIGUSR2) + 1 });
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int main(int argc, char **argv)
{
	int sum = 0;
	pthread_t t, u;

	(void)argv;
	if (argc > 1)
		in_handler();
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	shared = 0;
	for (int i = 0; i < 5; i++)
		sum = sum * 3 + one_byte(&shared) + two_bytes(&shared) + roomy(&shared);
	fprintf(stderr, "%x %x %x\n", *of_one_byte, *of_two_bytes, *of_roomy);
	printf("%d %d\n", sum, (int)handled);
	return 0;
}
