/* SPDX-License-Identifier: MIT
 *
 * A stack under a lock: a mutex, or with -DSPIN a test-and-set lock. Who is stalled while it holds
 * the lock keeps all others from going on.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef SPIN
static atomic_int spin;

static void lock(void)
{
	while (atomic_exchange(&spin, 1)) /* spins here */
		;
}

static void unlock(void)
{
	atomic_store(&spin, 0);
}
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
	pthread_mutex_lock(&mutex); /* waits here */
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}
#endif

static int values[8], size;

static void push(int value)
{
	linchpin_call(&size, "push", value);
	lock();
	values[size++] = value; /* stalled here */
	unlock();
	linchpin_return_void();
}

static void *work(void *arg)
{
	push(*(int *)arg);
	return NULL;
}

int main(void)
{
	static int ids[2] = { 1, 2 };
	pthread_t t[2];

	linchpin_object(&size, "stack");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
