/* Right: nobody sets the flag; the wait ends by itself, counted in thread-local storage, so the program ends: no livelock. */
#include <pthread.h>

static volatile int flag, other;
static __thread int rounds;

static void *work(void *arg)
{
	for (int *n = &rounds; !flag && ++*n < 20;)
		__asm__ volatile("" : "+r"(n));
	other = 1;
	return arg;
}

int main(void)
{
	pthread_t a;

	pthread_create(&a, NULL, work, NULL);
	while (!other)
		;
	pthread_join(a, NULL);
	return 0;
}
