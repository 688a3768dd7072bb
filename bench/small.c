/* SPDX-License-Identifier: MIT
 *
 * A small test program, whose start-up is measured.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

static struct node *top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
	struct node *n = malloc(sizeof *n);

	n->value = value;
	pthread_mutex_lock(&lock);
	n->next = top;
	top = n;
	pthread_mutex_unlock(&lock);
}

static int pop(void)
{
	struct node *n;
	int value = -1;

	pthread_mutex_lock(&lock);
	n = top;
	if (n)
		top = n->next;
	pthread_mutex_unlock(&lock);
	if (n)
		value = n->value;
	free(n);
	return value;
}

static void *worker(void *arg)
{
	push(arg != 0);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, &a);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("%d\n", pop() + pop());
	return 0;
}
