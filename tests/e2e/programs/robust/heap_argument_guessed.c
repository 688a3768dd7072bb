/* SPDX-License-Identifier: MIT */
/* Right: the operations (guessed from their names) take and return heap pointers, and the program prints first: found and confirmed. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct queue { void *volatile top; };
static struct queue q;

__attribute__((noinline)) void queue_push(struct queue *s, void *p) { s->top = p; }

__attribute__((noinline)) void *queue_pop(struct queue *s)
{
	void *p = s->top;

	s->top = NULL;
	return p;
}

static void *pops(void *arg)
{
	void *p = queue_pop(&q);

	assert(!p);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *p;

	printf("hello\n");
	p = malloc(4);
	pthread_create(&t, NULL, pops, NULL);
	queue_push(&q, p);
	pthread_join(t, NULL);
	return 0;
}
