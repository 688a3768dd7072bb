/* Two updates that are lost, one after the other: an execution shows one of them, or both.
 *
 * repair: one @one.from..@one.to + two @two.from..@two.to
 * atomic: true
 * lock: true */
#include <assert.h>
#include <pthread.h>

static volatile int a, b;

__attribute__((noinline)) static void one(void)
{
	int old = a; /* @one.from */

	a = old + 1; /* @one.to */
}

__attribute__((noinline)) static void two(void)
{
	int old = b; /* @two.from */

	b = old + 1; /* @two.to */
}

static void *work(void *arg)
{
	one();
	two();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(a == 2 && b == 2);
	return 0;
}
