/* SPDX-License-Identifier: MIT
 *
 * Nobody can go on until a timer has run out; then threads race. So each execution but the first begins with steps of the one
 * before, between which time has to pass again.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int x, timer;
static sem_t go;

static void *waits(void *arg)
{
	static const struct itimerspec soon = { .it_value = { 0, 1000 } };
	uint64_t n;

	usleep(1000);
	timerfd_settime(timer, 0, &soon, NULL);
	assert(read(timer, &n, sizeof n) == sizeof n && n == 1);
	sem_post(&go);
	sem_post(&go);
	x++;
	return arg;
}

static void *adds(void *arg)
{
	sem_wait(&go);
	x++;
	x++;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	sem_init(&go, 0, 0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_create(&t[0], NULL, waits, NULL);
	pthread_create(&t[1], NULL, adds, NULL);
	pthread_create(&t[2], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
