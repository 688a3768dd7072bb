/* SPDX-License-Identifier: MIT
 *
 * Every operation is under one lock, hence atomic: nothing is wrong, whatever is guessed of its
 * meaning. pop returns 0 and stores the value, or -1.
 *
 * verdict: 0
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OP __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long result[6];

struct stack {
	int v[4], n;
};
static struct stack stack;

OP int stack_push(struct stack *s, int v)
{
	int r = -1;

	pthread_mutex_lock(&m);
	if (s->n < 4) {
		s->v[s->n++] = v;
		r = 0;
	}
	pthread_mutex_unlock(&m);
	return r;
}

OP int stack_pop(struct stack *s, int *out)
{
	int r = -1;

	pthread_mutex_lock(&m);
	if (s->n) {
		*out = s->v[--s->n];
		r = 0;
	}
	pthread_mutex_unlock(&m);
	return r;
}

static void *one(void *arg)
{
	int v;

	stack_push(&stack, 1);
	result[0] = stack_pop(&stack, &v);
	return arg;
}

static void *other(void *arg)
{
	int v;

	stack_push(&stack, 2);
	result[1] = stack_pop(&stack, &v);
	result[2] = stack_pop(&stack, &v);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
