/* Two threads count without a lock; the exit status says whether one count was lost.
 *
 * repair: count @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>

static volatile int counter;

__attribute__((noinline)) static void count(void)
{
	int old = counter; /* @from */

	counter = old + 1; /* @to */
}

static void *work(void *arg)
{
	count();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return counter == 2 ? 0 : 3;
}
