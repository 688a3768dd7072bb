/* Who was woken does not test again, though another one may have taken the item.
 *
 * repair: none
 * says: would have to contain the wait at
 * says: that wait is in no loop */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int items;

static void *take(void *arg)
{
	pthread_mutex_lock(&m);
	if (!items)
		pthread_cond_wait(&some, &m);
	items--;
	assert(items >= 0);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *put(void *arg)
{
	pthread_mutex_lock(&m);
	items++;
	pthread_cond_signal(&some);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_create(&c, NULL, put, NULL);
	pthread_join(c, NULL);
	put(NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
