/* Two threads take two locks in both orders. One lock around both nestings is a repair.
 *
 * repair: there @there.first..@there.second + back @back.first..@back.second
 * atomic: true
 * lock: true
 * says: order of locks: first at
 * says: To take them at once, as std::scoped_lock does, comes to the same: proven for this client: all
 * says: one order in all places */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

__attribute__((noinline)) static void there(void)
{
	pthread_mutex_lock(&first);  /* @there.first */
	pthread_mutex_lock(&second); /* @there.second */
	a--;
	b++;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
}

__attribute__((noinline)) static void back(void)
{
	pthread_mutex_lock(&second); /* @back.first */
	pthread_mutex_lock(&first);  /* @back.second */
	b--;
	a++;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
}

static void *work(void *arg)
{
	back();
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	there();
	pthread_join(t, NULL);
	return 0;
}
