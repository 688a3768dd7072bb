/* SPDX-License-Identifier: MIT
 *
 * A priority queue in a sorted array; INT_MAX is empty.
 * With FAULTY insert unlocks between reading the length and using it.
 *
 * faulty: found
 */
#include "ordinary.h"

struct pq {
	int a[8], n;
	pthread_mutex_t m;
};
static struct pq heap = { .m = PTHREAD_MUTEX_INITIALIZER };

void pq_insert(struct pq *q, int x)
{
	pthread_mutex_lock(&q->m);
	int i = q->n;
	IF_FAULTY(pthread_mutex_unlock(&q->m); pthread_mutex_lock(&q->m);)
	q->n = i + 1;
	while (i && q->a[i - 1] < x) {
		q->a[i] = q->a[i - 1];
		i--;
	}
	q->a[i] = x;
	pthread_mutex_unlock(&q->m);
}

int pq_extract_min(struct pq *q)
{
	int x = INT_MAX;
	pthread_mutex_lock(&q->m);
	if (q->n)
		x = q->a[--q->n];
	pthread_mutex_unlock(&q->m);
	return x;
}

static void *one(void *arg)
{
	pq_insert(&heap, 5);
	r[0] = pq_extract_min(&heap);
	return arg;
}

static void *two(void *arg)
{
	pq_insert(&heap, 3);
	r[1] = pq_extract_min(&heap);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
