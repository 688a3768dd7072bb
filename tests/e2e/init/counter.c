/* SPDX-License-Identifier: MIT
 *
 * wants: object counter
 * wants: op inc() : counter_inc(this)
 * wants: op get() -> int : counter_get(this)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct counter {
	int value;
};

static struct counter counter;

void counter_inc(struct counter *c)
{
	c->value++;
}

int counter_get(const struct counter *c)
{
	return c->value;
}

static volatile long sink;

static void *first(void *unused)
{
	counter_inc(&counter);
	sink = counter_get(&counter);
	return unused;
}

static void *second(void *unused)
{
	counter_inc(&counter);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
