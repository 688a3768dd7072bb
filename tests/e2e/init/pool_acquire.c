/* SPDX-License-Identifier: MIT
 *
 * wants: object self
 * wants: op acquire() -> int : pool_acquire()
 * wants: op release(c) : pool_release(c)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

struct conn {
	bool used;
};

static struct conn conns[2];

struct conn *pool_acquire(void)
{
	for (int i = 0; i < 2; i++)
		if (!conns[i].used) {
			conns[i].used = true;
			return &conns[i];
		}
	return NULL;
}

void pool_release(struct conn *c)
{
	c->used = false;
}

static void *user(void *unused)
{
	struct conn *c = pool_acquire();

	if (c)
		pool_release(c);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, user, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
