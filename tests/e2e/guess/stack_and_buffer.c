/* SPDX-License-Identifier: MIT
 *
 * What operations free another thread may get for something else. That is no access to what they have.
 *
 * verdict: 0
 */
#include <pthread.h>
#include <stdlib.h>

#define OP __attribute__((noinline))

struct node {
	int value;
	struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *top;

OP void stack_push(int v)
{
	struct node *n = malloc(sizeof *n);

	n->value = v;
	pthread_mutex_lock(&m);
	n->next = top;
	top = n;
	pthread_mutex_unlock(&m);
}

OP int stack_pop(void)
{
	struct node *n;
	int v = -1;

	pthread_mutex_lock(&m);
	n = top;
	if (n) {
		v = n->value;
		top = n->next;
	}
	pthread_mutex_unlock(&m);
	free(n);
	return v;
}

OP void make_buffer(void)
{
	volatile char *buffer = malloc(sizeof(struct node));

	buffer[0] = 1;
	free((char *)buffer);
}

static void *push(void *unused)
{
	stack_push(1);
	return unused;
}

static void *pop(void *unused)
{
	stack_pop();
	return unused;
}

static void *buffer(void *unused)
{
	make_buffer();
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = { push, pop, buffer };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	stack_pop();
	return 0;
}
