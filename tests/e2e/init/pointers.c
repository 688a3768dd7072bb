/* SPDX-License-Identifier: MIT
 *
 * wants: object stack
 * wants: op push(item) : pool_push(this, item)
 * wants: op pop() -> ret if ret else empty : pool_pop(this)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct item {
	struct item *next;
	int number;
};

struct pool {
	struct item *first;
};

static struct pool pool;
static struct item one;

void pool_push(struct pool *p, struct item *item)
{
	item->next = p->first;
	p->first = item;
}

struct item *pool_pop(struct pool *p)
{
	struct item *item = p->first;

	if (item)
		p->first = item->next;
	return item;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = (long)pool_pop(&pool);
	return unused;
}

static void *second(void *unused)
{
	sink = (long)pool_pop(&pool);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pool_push(&pool, &one);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
