/* SPDX-License-Identifier: MIT
 *
 * A queue of one whose sender and receiver wait.
 * With FAULTY receive waits once, whatever it finds then.
 *
 * faulty: found
 */
#include "ordinary.h"

struct bq {
	int item[2];
	int n;
	pthread_mutex_t m;
	pthread_cond_t nonempty, nonfull;
};
static struct bq q = { .m = PTHREAD_MUTEX_INITIALIZER,
		       .nonempty = PTHREAD_COND_INITIALIZER,
		       .nonfull = PTHREAD_COND_INITIALIZER };

void bq_send(struct bq *b, int x)
{
	pthread_mutex_lock(&b->m);
	while (b->n == 1)
		pthread_cond_wait(&b->nonfull, &b->m);
	b->item[b->n++] = x;
	pthread_cond_broadcast(&b->nonempty);
	pthread_mutex_unlock(&b->m);
}

int bq_receive(struct bq *b)
{
	pthread_mutex_lock(&b->m);
	IF_CORRECT(while (b->n == 0) pthread_cond_wait(&b->nonempty, &b->m);)
	IF_FAULTY(if (b->n == 0) pthread_cond_wait(&b->nonempty, &b->m);)
	int x = b->item[0];
	IF_FAULTY(if (b->n > 0))
	b->n--;
	b->item[0] = b->item[1];
	pthread_cond_broadcast(&b->nonfull);
	pthread_mutex_unlock(&b->m);
	return x;
}

static void *one(void *arg)
{
	bq_send(&q, 7);
	bq_send(&q, 8);
	return arg;
}

static void *two(void *arg)
{
	r[0] = bq_receive(&q);
	return arg;
}

static void *three(void *arg)
{
	r[1] = bq_receive(&q);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_create(&t[2], NULL, three, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
	return 0;
}
