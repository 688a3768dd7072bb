/* SPDX-License-Identifier: MIT */
/* Right: who tries while the other holds the spin lock gets EBUSY: assert in main must be found. */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t l;
static int failed;

static void *one(void *arg)
{
	if (pthread_spin_trylock(&l))
		failed = 1;
	else
		pthread_spin_unlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_spin_lock(&l);
	pthread_spin_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_spin_init(&l, 0);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!failed);
	return 0;
}
