/* SPDX-License-Identifier: MIT
 *
 * Nothing is known of cancellation before a handler, after an alarm, cancels a thread that waits. That it is
 * then a step where threads may be cancelled has to be known when the end is executed again.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t waiter;

static void too_late(int number)
{
	(void)number;
	pthread_cancel(waiter);
	exit(2);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	struct sigaction action = { 0 };

	pthread_create(&waiter, NULL, work, NULL);
	sleep(2);
	action.sa_handler = too_late;
	sigaction(SIGALRM, &action, NULL);
	alarm(5);
	pthread_cond_broadcast(&condition);
	pthread_join(waiter, NULL);
	return 0;
}
