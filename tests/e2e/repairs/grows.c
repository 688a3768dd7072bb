/* A buffer grows under its lock, and is written without. realloc reads a block twice in one call, which is no
 * loop that waits, in a block neither.
 *
 * repair: append @from..@to
 * atomic: true
 * lock: true
 * says: widen the section of `m` */
#include <pthread.h>
#include <stdlib.h>

static char *data;
static int used, capacity = 1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void append(char c)
{
	pthread_mutex_lock(&m);
	if (used == capacity) { /* @from */
		capacity *= 2;
		data = realloc(data, (size_t)capacity);
	}
	pthread_mutex_unlock(&m);
	data[used++] = c; /* @to */
}

static void *work(void *arg)
{
	append('x');
	return arg;
}

int main(void)
{
	pthread_t t;

	data = malloc(1);
	pthread_create(&t, NULL, work, NULL);
	append('y');
	pthread_join(t, NULL);
	return 0;
}
