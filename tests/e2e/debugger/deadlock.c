/* Two threads take two locks in opposite orders. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	n++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *ab(void *x)
{
	both(&a, &b);
	return x;
}

static void *ba(void *x)
{
	both(&b, &a);
	return x;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, ab, NULL);
	pthread_create(&u, NULL, ba, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
