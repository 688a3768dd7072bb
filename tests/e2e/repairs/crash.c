/* The pointer is tested, and taken away before it is followed.
 *
 * repair: use @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>
#include <stddef.h>

static int value = 1;
static int *volatile current = &value;

__attribute__((noinline)) static int use(void)
{
	if (current == NULL) /* @from */
		return 0;
	return *current; /* @to */
}

static void *take(void *arg)
{
	current = NULL;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, take, NULL);
	use();
	pthread_join(t, NULL);
	return 0;
}
