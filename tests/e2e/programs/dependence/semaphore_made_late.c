/* SPDX-License-Identifier: MIT */
/* Right: the post may come before sem_init, which sets the value back to 0; then main waits for ever (the reader of the standard may say misuse). */
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>
static sem_t s;

static void *early(void *arg)
{
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, early, NULL);
	sem_init(&s, 0, 0);
	sem_wait(&s);
	pthread_join(t, NULL);
	return 0;
}
