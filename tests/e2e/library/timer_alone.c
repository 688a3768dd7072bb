/* SPDX-License-Identifier: MIT
 *
 * The only thread computes until a handler ends that: timers of time and of processor time.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void handler(int sig)
{
	came = sig;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	struct itimerval soon = { .it_value = { 0, 20000 } };
	pthread_t t;

	signal(SIGPROF, handler);
	signal(SIGALRM, handler);
	setitimer(ITIMER_PROF, &soon, NULL);
	sleep(1);
	assert(!came);
	while (!came)
		;
	assert(came == SIGPROF);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (came != SIGALRM)
		;
	assert(!pthread_create(&t, NULL, nothing, NULL) && !pthread_join(t, NULL));
	return 0;
}
