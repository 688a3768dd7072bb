/* SPDX-License-Identifier: MIT */
/* Right: push is not atomic, so a node is lost; the values are heap pointers, which are the same when it is executed again: found and confirmed. */
#include <linchpin.h>
#include <pthread.h>
#include <stdlib.h>

struct node { struct node *next; };
static struct node *top;

static void *push(void *arg)
{
	struct node *n = arg;

	linchpin_call(&top, "push", (long)n);
	n->next = top;
	top = n;
	linchpin_return_void();
	return NULL;
}

static void pop(void)
{
	struct node *n;

	linchpin_call(&top, "pop");
	n = top;
	if (n) {
		top = n->next;
		linchpin_return((long)n);
	} else {
		linchpin_return_empty();
	}
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(&top, "stack");
	pthread_create(&a, NULL, push, malloc(sizeof(struct node)));
	pthread_create(&b, NULL, push, malloc(sizeof(struct node)));
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pop();
	pop();
	return 0;
}
