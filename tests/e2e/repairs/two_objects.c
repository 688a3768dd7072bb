/* SPDX-License-Identifier: MIT
 *
 * What is read before the lock is taken belongs under it, in each object.
 *
 * repair: draw @from..@to
 * atomic: true
 * lock: true
 * says: widen the section of `x.lock`, `y.lock` at
 */
#include <assert.h>
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int money;
};

static struct account x = { PTHREAD_MUTEX_INITIALIZER, 5 }, y = { PTHREAD_MUTEX_INITIALIZER, 5 };

static void draw(struct account *a)
{
#ifndef FIXED
	int had = a->money; /* @from */
	pthread_mutex_lock(&a->lock);
#else
	pthread_mutex_lock(&a->lock);
	int had = a->money;
#endif
	a->money = had - 1; /* @to */
	pthread_mutex_unlock(&a->lock);
}

static void *work(void *arg)
{
	draw(&x);
	draw(&y);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(x.money == 3 && y.money == 3);
	return 0;
}
