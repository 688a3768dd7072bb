/* SPDX-License-Identifier: MIT */
/* A handler, which reads a string itself, runs in place of the reading of another one: that is as long as when it is read in the
 * end. "abc" becomes "abcd", then "a". */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static char s[8] = "abc", other[8] = "xy";
static volatile size_t seen;
static size_t (*volatile length)(const char *) = strlen;

static void handler(int sig)
{
	seen = length(other);
}

static void *reads(void *arg)
{
	return (void *)length(s);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_t t;
	void *n;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&t, NULL, reads, NULL);
	pthread_kill(t, SIGUSR1);
	s[3] = 'd';
	s[1] = 0;
	pthread_join(t, &n);
	if ((size_t)n == 1 && seen)
		abort();
	if ((size_t)n == 4 && seen)
		exit(1);
	return 0;
}
