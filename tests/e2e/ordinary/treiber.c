/* SPDX-License-Identifier: MIT
 *
 * Treiber's stack; nodes are not freed.
 * With FAULTY push stores the top without comparing.
 *
 * faulty: found
 */
#include "ordinary.h"

struct tn {
	int v;
	struct tn *next;
};
static _Atomic(struct tn *) ttop;

void tstack_push(int v)
{
	struct tn *n = malloc(sizeof *n);
	n->v = v;
	n->next = atomic_load(&ttop);
	IF_CORRECT(while (!atomic_compare_exchange_weak(&ttop, &n->next, n));)
	IF_FAULTY(atomic_store(&ttop, n);)
}

int tstack_pop(void)
{
	struct tn *t = atomic_load(&ttop);
	while (t && !atomic_compare_exchange_weak(&ttop, &t, t->next))
		;
	return t ? t->v : -1;
}

static void *one(void *arg)
{
	tstack_push(1);
	r[0] = tstack_pop();
	return arg;
}

static void *two(void *arg)
{
	tstack_push(2);
	r[1] = tstack_pop();
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
