/* SPDX-License-Identifier: MIT
 *
 * An array that is copied to be changed; who reads takes no lock.
 * With FAULTY append copies before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct array {
	int n, item[];
};

static struct array nothing;
static struct array *_Atomic now = &nothing;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

int array_append(int item)
{
	struct array *old, *new;

	IF_FAULTY(old = atomic_load(&now);)
	pthread_mutex_lock(&writers);
	IF_CORRECT(old = atomic_load(&now);)
	new = malloc(sizeof *new + (old->n + 1) * sizeof *new->item);
	memcpy(new->item, old->item, old->n * sizeof *new->item);
	new->item[old->n] = item;
	new->n = old->n + 1;
	atomic_store(&now, new);
	pthread_mutex_unlock(&writers);
	return new->n;
}

int array_get(int at, int *item)
{
	struct array *a = atomic_load(&now);

	if (at >= a->n)
		return -1;
	*item = a->item[at];
	return 0;
}

static void *worker(void *item)
{
	int found = 0;

	r[(long)item] = array_append((int)(long)item);
	r[10 + (long)item] = array_get(0, &found);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, worker, (void *)5);
	pthread_create(&t[1], NULL, worker, (void *)6);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
