/* SPDX-License-Identifier: MIT
 *
 * The thread spins until the handler has run, which it does for certain.
 */
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t flag;
static volatile int x;

static void handler(int sig)
{
	(void)sig;
	flag = 1;
}

static void *work(void *arg)
{
	while (!flag)
		;
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, work, NULL);
	pthread_kill(t, SIGUSR1);
	x++;
	pthread_join(t, NULL);
	return 0;
}
