/* An object is seen before it is filled: the reader crashes, and what would have filled it has not
 * happened.
 *
 * repair: get @from..@to
 * atomic: true
 * lock: true */
#include <pthread.h>
#include <stddef.h>

struct codec {
	int (*decode)(int);
};

static struct codec one, *volatile current;

static int plus(int x)
{
	return x + 1;
}

__attribute__((noinline)) static void get(void)
{
	current = &one;	   /* @from */
	one.decode = plus; /* @to */
}

static void *use(void *arg)
{
	struct codec *c = current;

	if (c)
		c->decode(3);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, use, NULL);
	get();
	pthread_join(t, NULL);
	return 0;
}
