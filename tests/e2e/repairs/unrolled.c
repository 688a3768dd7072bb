/* A store in a loop that the compiler unrolls: two places in the code are two rounds of one line, so a
 * block of that line alone is left between them.
 *
 * flags: -O2
 * repair: fill @from..@to
 * atomic: true
 * lock: true */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static volatile int n;
static bool changed;

static void *fill(void *arg)
{
#pragma GCC unroll 8
	for (int i = 0; i < 2; i++) /* @from */
		n = i; /* @to */
	return arg;
}

static void *look(void *arg)
{
	int first = n;

	/* A line each: this repair is longer. */

	changed = n != first;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	n = 1;
	pthread_create(&a, NULL, fill, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!changed);
	return 0;
}
