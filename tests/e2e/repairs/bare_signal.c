/* The test is made under the lock, but what is tested is changed, and the signal given, without it.
 *
 * repair: none
 * says: note: the signal comes before T0 waits, but after it has taken `m`; given while `m` is held, it could not come there
 * says: nobody could end that wait then */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *arg)
{
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
#ifdef FIXED
	pthread_mutex_lock(&m);
#endif
	pthread_cond_signal(&c);
#ifdef FIXED
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&m);
	while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
