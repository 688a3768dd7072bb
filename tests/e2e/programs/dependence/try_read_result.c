/* SPDX-License-Identifier: MIT */
/* Right: if the writer is first, and keeps it, the reader gets EBUSY, which main sees by joining it: both orders must be seen. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *reads(void *arg) { return (void *)(long)pthread_rwlock_tryrdlock(&l); }
static void *writes(void *arg) { return (void *)(long)pthread_rwlock_trywrlock(&l); }

int main(void)
{
	pthread_t w, r;
	void *result;

	pthread_create(&w, NULL, writes, NULL);
	pthread_create(&r, NULL, reads, NULL);
	pthread_join(w, NULL);
	pthread_join(r, &result);
	assert(!result);
	return 0;
}
