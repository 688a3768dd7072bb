/* One thread follows a pointer that another one clears after it was tested. */
#include <pthread.h>
#include <stddef.h>

static int *volatile p;
static int value = 42;
static volatile int seen;

static void *clear(void *unused)
{
	p = NULL;
	return unused;
}

static int look(int otherwise)
{
	int got = otherwise;

	if (p)
		got = *p;
	return got;
}

int main(void)
{
	pthread_t t;

	p = &value;
	pthread_create(&t, NULL, clear, NULL);
	seen = look(7);
	pthread_join(t, NULL);
	return 0;
}
