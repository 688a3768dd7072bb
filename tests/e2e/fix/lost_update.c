/* Two threads count. */
#include <assert.h>
#include <pthread.h>

struct counter {
	int n;
	long total;
};

static struct counter c;

static void *add(void *arg)
{
	c.n++; /* @from */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, add, 0);
	pthread_create(&b, 0, add, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(c.n == 2);
	return 0;
}
