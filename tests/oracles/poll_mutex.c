/* SPDX-License-Identifier: MIT
 *
 * N threads look under a mutex until another one has set the flag under it. Looks that come before
 * are taken back with the mutex, but their order is seen.
 */
#include "oracle.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static int look(void)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = flag;
	pthread_mutex_unlock(&lock);
	return seen;
}

static void *thread(void *number)
{
	if ((uintptr_t)number < N) {
		while (!look())
			continue;
	} else {
		pthread_mutex_lock(&lock);
		flag = 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	oracle_run(N + 1, thread);
	return 0;
}
