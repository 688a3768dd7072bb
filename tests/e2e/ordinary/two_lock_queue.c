/* SPDX-License-Identifier: MIT
 *
 * The queue of Michael and Scott with two locks.
 * With FAULTY enqueue reads the tail before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct qn {
	int v;
	struct qn *next;
};
static struct qn *qhead, *qtail;
static pthread_mutex_t hl = PTHREAD_MUTEX_INITIALIZER, tl = PTHREAD_MUTEX_INITIALIZER;

void msq_enqueue(int v)
{
	struct qn *n = malloc(sizeof *n);
	n->v = v;
	n->next = NULL;
	IF_FAULTY(struct qn *t = qtail;)
	pthread_mutex_lock(&tl);
	IF_CORRECT(struct qn *t = qtail;)
	__atomic_store_n(&t->next, n, __ATOMIC_SEQ_CST);
	qtail = n;
	pthread_mutex_unlock(&tl);
}

bool msq_dequeue(int *v)
{
	pthread_mutex_lock(&hl);
	struct qn *n = __atomic_load_n(&qhead->next, __ATOMIC_SEQ_CST);
	if (!n) {
		pthread_mutex_unlock(&hl);
		return false;
	}
	*v = n->v;
	qhead = n;
	pthread_mutex_unlock(&hl);
	return true;
}

static void *one(void *arg)
{
	int v = 0;
	msq_enqueue(1);
	r[0] = msq_dequeue(&v);
	r[1] = v;
	return arg;
}

static void *two(void *arg)
{
	int v = 0;
	msq_enqueue(2);
	r[2] = msq_dequeue(&v);
	r[3] = v;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	qhead = qtail = calloc(1, sizeof *qhead);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
