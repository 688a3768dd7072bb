/* Two pushes of which one is lost, and a pop that sees it. */
#include <linchpin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct stack {
	int top;
	int items[8];
};

static struct stack s;

static void push(struct stack *st, int value)
{
	int at = st->top;

	st->items[at] = value;
	st->top = at + 1;
}

static int pop(struct stack *st)
{
	int at = st->top;
	int value;

	if (at == 0)
		return -1;
	value = st->items[at - 1];
	st->top = at - 1;
	return value;
}

static void *pusher(void *arg)
{
	int value = (int)(long)arg;

	linchpin_call(&s, "push", value);
	push(&s, value);
	linchpin_return_void();
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int v;

	linchpin_object(&s, "stack");
	pthread_create(&a, NULL, pusher, (void *)1L);
	pthread_create(&b, NULL, pusher, (void *)2L);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	linchpin_call(&s, "pop");
	v = pop(&s);
	if (v < 0)
		linchpin_return_empty();
	else
		linchpin_return(v);
	return 0;
}
