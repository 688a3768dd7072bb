/* The last ticket is sold twice: test and sale are two critical sections.
 *
 * repair: sell @from..@to
 * atomic: true
 * lock: true
 * says: widen the section of `lock` */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 1;

static bool some_left(void)
{
	bool some;

	pthread_mutex_lock(&lock);
	some = left > 0;
	pthread_mutex_unlock(&lock);
	return some;
}

__attribute__((noinline)) static void sell(void)
{
	if (!some_left()) /* @from */
		return;
	pthread_mutex_lock(&lock);
	left--; /* @to */
	assert(left >= 0);
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	sell();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
