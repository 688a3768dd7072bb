/* A read and a write on one line of a loop that the compiler unrolls: the next round looks like going on
 * in the line. With a block of that line in force all rounds would be one step, which nobody meant.
 *
 * flags: -O2
 * repair: count @line..@line
 * atomic: null
 * lock: null
 * says: the compiler has unrolled or rearranged the loop around this line, and its rounds cannot be told apart */
#include <assert.h>
#include <pthread.h>

static volatile int n, seen;

static void *count(void *arg)
{
#pragma GCC unroll 8
	for (int i = 0; i < 2; i++)
		n = n + 1; /* @line */
	return arg;
}

static void *look(void *arg)
{
	seen = n;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(seen != 1);
	return 0;
}
