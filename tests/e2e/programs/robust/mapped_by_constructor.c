/* SPDX-License-Identifier: MIT */
/* Right: what a constructor has mapped is memory like other memory, and every execution finds it as it was: silent. */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p;

__attribute__((constructor)) static void map(void)
{
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	++*p;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(*p == 2);
	return 0;
}
