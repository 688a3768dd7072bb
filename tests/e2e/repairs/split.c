/* The compiler makes two functions of one that has little to do at times, and puts the second one back: debug
 * information has the function in itself then.
 *
 * flags: -O2
 * repair: writer @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>
#include <stddef.h>

struct conn {
	int bytes;
};

static struct conn one, *current = &one;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	if (current) { /* @from */
		pthread_mutex_lock(&m);
		current->bytes += 10; /* @to */
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *closer(void *arg)
{
	pthread_mutex_lock(&m);
	current = NULL;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, closer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
