/* A counter is read and written in two critical sections. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *add(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = n; /* @from */
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	n = seen + 1; /* @to */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, add, 0);
	pthread_create(&b, 0, add, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(n == 2);
	return 0;
}
