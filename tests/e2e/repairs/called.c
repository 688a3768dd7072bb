/* What is freed is used by a function that is called in the block: that has not to be atomic by itself.
 *
 * repair: visit @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>
#include <stdlib.h>

struct guest {
	int visits;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct guest *guest;

static __attribute__((noinline)) struct guest *find(void)
{
	struct guest *g;

	pthread_mutex_lock(&m);
	g = guest;
	pthread_mutex_unlock(&m);
	return g;
}

static __attribute__((noinline)) void touch(volatile struct guest *g)
{
	int visits = g->visits;

	g->visits = visits + 1;
}

static void *visit(void *arg)
{
	struct guest *g = find(); /* @from */

	if (g)
		touch(g); /* @to */
	return arg;
}

static void *leave(void *arg)
{
	pthread_mutex_lock(&m);
	free(guest);
	guest = NULL;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	guest = calloc(1, sizeof *guest);
	pthread_create(&a, NULL, visit, NULL);
	pthread_create(&b, NULL, leave, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
