/* Right: nobody else touches the thread-local counters, so the order of the threads is that of one lock: 2 classes. */
#include <pthread.h>

static __thread int mine;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	int *p = &mine;

	__asm__ volatile("" : "+r"(p));
	for (int i = 0; i < 5; i++)
		*p += i;
	mine++;
	pthread_mutex_lock(&m);
	sum += mine;
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
	return sum != 22;
}
