/* Right: cmp ends with the call of memcmp, which gcc makes a jump; it returns to work, not behind the jump: silent. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char a[40], b[40];
static int n;

static __attribute__((noinline)) int cmp(const void *x, const void *y, size_t n)
{
	return memcmp(x, y, n);
}

static void *work(void *arg)
{
	if (cmp(a, b, 39))
		abort();
	n++;
	return arg;
}

int main(void)
{
	pthread_t x, y;

	pthread_create(&x, NULL, work, NULL);
	pthread_create(&y, NULL, work, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	return 0;
}
