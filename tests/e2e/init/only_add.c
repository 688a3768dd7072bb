/* SPDX-License-Identifier: MIT
 *
 * wants: object set
 * wants: op add(key) -> bool : set_add(this, key)
 * wants: # unsure: it is the only function with the name of an operation
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct set {
	int n, keys[8];
};

static struct set set;

bool set_add(struct set *s, int key)
{
	for (int i = 0; i < s->n; i++)
		if (s->keys[i] == key)
			return false;
	s->keys[s->n++] = key;
	return true;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = set_add(&set, 3);
	return unused;
}

static void *second(void *unused)
{
	sink = set_add(&set, 3);
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
