/* A lost update with a plain write beside it: as an atomic block the update is enough, a lock has to
 * hold the write, too.
 *
 * repair: count @from..@to
 * atomic: true
 * lock: true
 * says: as a lock it also has to hold */
#include <assert.h>
#include <pthread.h>

static volatile int counter, seen;

__attribute__((noinline)) static void count(void)
{
	int old = counter; /* @from */

	counter = old + 1; /* @to */
}

static void *reset(void *arg)
{
	counter = 10;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, reset, NULL);
	count();
	pthread_join(t, NULL);
	assert(counter >= 10);
	return 0;
}
