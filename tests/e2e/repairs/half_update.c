/* Two counters are changed one after the other, each under the lock. A reader that sees the one without the
 * other fails at once, while the update is half done: what the writer would do next is no part of that
 * execution, but of others.
 *
 * repair: record @from..@to
 * atomic: true
 * lock: true
 * says: widen the section of `m` */
#include <assert.h>
#include <pthread.h>

static long hits, total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void record(void)
{
	pthread_mutex_lock(&m);
	hits++; /* @from */
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	total++; /* @to */
	pthread_mutex_unlock(&m);
}

static void *monitor(void *arg)
{
	long h, t;

	pthread_mutex_lock(&m);
	h = hits;
	t = total;
	pthread_mutex_unlock(&m);
	assert(h == t);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, monitor, NULL);
	record();
	pthread_join(t, NULL);
	return 0;
}
