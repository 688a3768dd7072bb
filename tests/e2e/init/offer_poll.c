/* SPDX-License-Identifier: MIT
 *
 * wants: object queue
 * wants: op offer(element) -> bool : offer(this, element)
 * wants: op poll() -> ret if ret != 0 else empty : poll(this)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct list {
	pthread_mutex_t lock;
	int n, items[4];
};

static struct list list = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool offer(struct list *l, int element)
{
	pthread_mutex_lock(&l->lock);
	l->items[l->n++] = element;
	pthread_mutex_unlock(&l->lock);
	return true;
}

int poll(struct list *l)
{
	int element;

	pthread_mutex_lock(&l->lock);
	if (!l->n) {
		pthread_mutex_unlock(&l->lock);
		return 0;
	}
	element = l->items[0];
	for (int i = 1; i < l->n; i++)
		l->items[i - 1] = l->items[i];
	l->n--;
	pthread_mutex_unlock(&l->lock);
	return element;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = offer(&list, 2);
	return unused;
}

static void *second(void *unused)
{
	sink = poll(&list);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = offer(&list, 1);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
