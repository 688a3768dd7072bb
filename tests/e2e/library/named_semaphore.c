/* SPDX-License-Identifier: MIT
 *
 * It is made new in every execution; what one leaves must not be found by the next.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *s;
static int x;

static void *work(void *arg)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	sem_post(s);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int v;

	sem_unlink("/faults_a");
	s = sem_open("/faults_a", O_CREAT | O_EXCL, 0600, 0);
	assert(s != SEM_FAILED);
	sem_getvalue(s, &v);
	assert(v == 0);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	sem_wait(s);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	return 0;
}
