/* Each operation is right, but what is asked before may no longer be so when the next one is called: what has to be atomic
 * holds both.
 *
 * repair: drain @from..@to
 * atomic: true
 * lock: true
 * says: holds several of them */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[2] = { 7 }, count = 1;

__attribute__((noinline)) static bool stack_empty(void)
{
	bool empty;

	pthread_mutex_lock(&m);
	empty = !count;
	pthread_mutex_unlock(&m);
	return empty;
}

__attribute__((noinline)) static int stack_pop(void)
{
	int item;

	pthread_mutex_lock(&m);
	assert(count > 0);
	item = items[--count];
	pthread_mutex_unlock(&m);
	return item;
}

static void *drain(void *arg)
{
	if (!stack_empty()) /* @from */
		stack_pop(); /* @to */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, drain, NULL);
	pthread_create(&b, NULL, drain, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
