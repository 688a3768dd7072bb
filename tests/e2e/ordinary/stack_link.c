/* SPDX-License-Identifier: MIT
 *
 * A linked stack; -1 is empty.
 * With FAULTY push reads the top before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct node {
	struct node *next;
	int v;
};
struct stack {
	struct node *top;
	pthread_mutex_t m;
};
static struct stack st = { NULL, PTHREAD_MUTEX_INITIALIZER };

void stack_push(struct stack *s, int v)
{
	struct node *n = malloc(sizeof *n);
	n->v = v;
	IF_FAULTY(n->next = s->top;)
	pthread_mutex_lock(&s->m);
	IF_CORRECT(n->next = s->top;)
	s->top = n;
	pthread_mutex_unlock(&s->m);
}

int stack_pop(struct stack *s)
{
	pthread_mutex_lock(&s->m);
	struct node *n = s->top;
	if (!n) {
		pthread_mutex_unlock(&s->m);
		return -1;
	}
	s->top = n->next;
	pthread_mutex_unlock(&s->m);
	int v = n->v;
	free(n);
	return v;
}

static void *one(void *arg)
{
	stack_push(&st, 1);
	r[0] = stack_pop(&st);
	return arg;
}

static void *two(void *arg)
{
	stack_push(&st, 2);
	r[1] = stack_pop(&st);
	r[2] = stack_pop(&st);
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
