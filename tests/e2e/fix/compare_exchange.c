/* A value is read, and another one made of it is written. */
#include <assert.h>
#include <pthread.h>

static int n;

static void *add(void *arg)
{
	int seen = n; /* @from */

	n = seen * 2 + 1; /* @to */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, add, 0);
	pthread_create(&b, 0, add, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(n == 3);
	return 0;
}
