/* Each thread has a variable of its own, and waits for the others in the middle. */
#include <pthread.h>
#include <stdlib.h>

static __thread int mine;
static pthread_barrier_t middle;
static int last;

static void *worker(void *number)
{
	mine = 10 * *(int *)number;
	pthread_barrier_wait(&middle);
	last = mine;
	return NULL;
}

int main(void)
{
	static int one = 1, two = 2;
	pthread_t a, b;

	mine = 7;
	pthread_barrier_init(&middle, NULL, 2);
	pthread_create(&a, NULL, worker, &one);
	pthread_create(&b, NULL, worker, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (last == 10)
		abort();
	return 0;
}
