/* SPDX-License-Identifier: MIT
 *
 * Nobody posts; the alarm ends the wait.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t s;
static volatile int x;

static void handler(int sig) { (void)sig; }
static void *work(void *arg) { x++; return arg; }

int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_t t;

	sem_init(&s, 0, 0);
	sigaction(SIGALRM, &a, NULL);
	pthread_create(&t, NULL, work, NULL);
	alarm(1);
	x++;
	if (sem_wait(&s) != -1 || errno != EINTR)
		abort();
	pthread_join(t, NULL);
	return 0;
}
