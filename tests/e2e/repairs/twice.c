/* A thread takes a lock that it has. Nothing that is atomic changes that.
 *
 * repair: none
 * says: so no atomic block is a repair */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	if (n++ == 1)
		pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
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
