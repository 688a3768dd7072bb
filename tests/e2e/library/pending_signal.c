/* SPDX-License-Identifier: MIT
 *
 * A blocked signal stays pending to the end and does nothing: silent, and all classes are
 * explored.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int x;

static void handler(int s) { (void)s; }
static void *work(void *arg) { x++; return arg; }

int main(void)
{
	sigset_t set;
	pthread_t t;

	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}
