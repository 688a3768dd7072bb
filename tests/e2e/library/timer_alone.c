/* SPDX-License-Identifier: MIT
 *
 * The only thread computes until a handler ends that: timers of time and of processor time.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
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

/* That of the thread has gone on by what the timer of it has measured. */
static void own_clock(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	struct itimerspec soon = { .it_value = { 0, 20000000 } };
	struct timespec before, after;
	timer_t timer;

	came = 0;
	assert(!timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &timer));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	assert(!timer_settime(timer, 0, &soon, NULL));
	while (!came)
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	assert((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 20000000);
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
	own_clock();
	assert(!pthread_create(&t, NULL, nothing, NULL) && !pthread_join(t, NULL));
	return 0;
}
