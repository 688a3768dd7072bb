/* Loops that a timer's handler ends: alone, with other work in each round, on the thread's own stack, in threads. Correct,
 * and "never", where no timer is set: endless. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t goes_on = 1, ticks;
static volatile int *own;
static volatile long shared;
static unsigned char text[4096];

static void handler(int sig)
{
	(void)sig;
	goes_on = 0;
	ticks++;
	if (own)
		*own = 0;
}

static void *counts(void *unused)
{
	shared++;
	return unused;
}

static void *looks(void *unused)
{
	while (goes_on)
		;
	return unused;
}

static void *looks_and_counts(void *unused)
{
	long n = 0;

	while (goes_on)
		n++;
	shared += n > 0;
	return unused;
}

static void *never(void *unused)
{
	volatile int words[4] = { 0 };

	shared = 1;
	while (!words[0]) {
		words[1]++;
		words[2] += words[1];
		words[3] ^= words[2];
		words[1] -= words[3] & 1;
	}
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "alone";
	void *(*first)(void *) = counts, *(*second)(void *) = counts;
	pthread_t a, b;

	signal(SIGALRM, handler);
	if (!strcmp(how, "alone")) {
		volatile int here = 1;
		struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, no = { { 0, 0 }, { 0, 0 } };
		long rounds = 0;

		own = &here;
		alarm(60);
		for (; goes_on; rounds++)
			for (size_t i = 0; i < sizeof text; i++)
				text[i] = (unsigned char)(text[i] * 7 + rounds);
		if (ticks != 1 || !rounds)
			abort();
		here = 1;
		alarm(1);
		while (here)
			;
		setitimer(ITIMER_REAL, &every, NULL);
		while (ticks < 10)
			;
		setitimer(ITIMER_REAL, &no, NULL);
		own = NULL;
		shared = rounds; /* the same in each execution */
	} else if (!strcmp(how, "threads")) {
		alarm(1);
		first = looks;
		second = looks_and_counts;
	} else {
		first = never;
	}
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
