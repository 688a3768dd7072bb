/* SPDX-License-Identifier: MIT
 *
 * Waits in rounds, each with a time-out; the post always comes.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <semaphore.h>

static sem_t s;
static int x;

static struct timespec in_a_moment(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return t;
}

static void *gives(void *arg)
{
	x++;
	sem_post(&s);
	return arg;
}

static void *waits(void *arg)
{
	struct timespec t;

	do
		t = in_a_moment();
	while (sem_timedwait(&s, &t) && errno == ETIMEDOUT);
	x++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&s, 0, 0);
	pthread_create(&a, NULL, gives, NULL);
	pthread_create(&b, NULL, waits, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
