/* Values are exchanged under a lock for each. The lines that ought to be atomic begin in the section of one
 * lock and end in that of the other; so a thread may stand in front of them with a lock that another
 * one asks for inside, unless the sections are whole.
 *
 * repair: swap @from..@to
 * atomic: true
 * lock: true */
#include <assert.h>
#include <pthread.h>

static int left = 1, right = 2;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *swap(void *arg)
{
	int t, u;

	pthread_mutex_lock(&first); /* @from */
	t = left;
	pthread_mutex_unlock(&first);
	pthread_mutex_lock(&second);
	u = right;
	right = t;
	pthread_mutex_unlock(&second);
	pthread_mutex_lock(&first);
	left = u;
	pthread_mutex_unlock(&first); /* @to */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, swap, NULL);
	pthread_create(&b, NULL, swap, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(left + right == 3);
	return 0;
}
