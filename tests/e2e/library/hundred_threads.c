/* SPDX-License-Identifier: MIT
 *
 * One after another, so never more than two at once; POSIX sets no bound on how many there may
 * have been. Those who come late have the places of others, but nothing of what was sent to these. With -DWRONG
 * two of them are there at the same time.
 */
#include <pthread.h>
#include <signal.h>

static int x;

static void *work(void *arg)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	x++;
	if (arg) {
		pthread_sigmask(SIG_BLOCK, &usr1, NULL);
		pthread_kill(pthread_self(), SIGUSR1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, work, i % 2 ? &t : NULL);
		pthread_join(t, NULL);
	}
#ifdef WRONG
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return x != 102;
#endif
	return x != 100;
}
