/* SPDX-License-Identifier: MIT
 *
 * Wrong whenever a thread that waited is the second in: the assertion is found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int l;
static int n;

static void *work(void *arg)
{
	int waited = 0;

	while (atomic_exchange(&l, 1))
		waited = 1;
	n++;
	assert(!(waited && n == 2));
	atomic_store(&l, 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(n == 2);
	return 0;
}
