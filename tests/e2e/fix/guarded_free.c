/* Whoever finds the item not yet freed frees it. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct item {
	int refs;
	bool freed;
	char *data;
};

static struct item item;

static void drop(struct item *i)
{
	if (!i->freed) { /* @from */
		i->freed = true; /* @to */
		free(i->data);
	}
}

static void *user(void *arg)
{
	drop(arg);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	item.data = malloc(8);
	pthread_create(&a, 0, user, &item);
	pthread_create(&b, 0, user, &item);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
