/* Whoever comes last frees the buffer; a flag that is tested and then set says who that was.
 *
 * repair: release @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>
#include <stdlib.h>

static char *buffer;
static int released;

__attribute__((noinline)) static void release(void)
{
	if (released) /* @from */
		return;
	free(buffer);
	released = 1; /* @to */
}

static void *work(void *arg)
{
	release();
	return arg;
}

int main(void)
{
	pthread_t t;

	buffer = malloc(100);
	pthread_create(&t, NULL, work, NULL);
	release();
	pthread_join(t, NULL);
	return 0;
}
