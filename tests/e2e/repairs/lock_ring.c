/* Three threads, three locks, a ring; each thread takes a lock and then the next one.
 *
 * repair: work @first..@second
 * atomic: true
 * lock: true */
#include <pthread.h>

static pthread_mutex_t fork_of[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				      PTHREAD_MUTEX_INITIALIZER };

static void *work(void *arg)
{
	pthread_mutex_t *left = arg, *right = left == &fork_of[2] ? &fork_of[0] : left + 1;

	pthread_mutex_lock(left);  /* @first */
	pthread_mutex_lock(right); /* @second */
	pthread_mutex_unlock(right);
	pthread_mutex_unlock(left);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, &fork_of[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
