/* SPDX-License-Identifier: MIT
 *
 * A library that clients open while they run: a stack without locks, on purpose.
 */
#include <stdbool.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static struct node *top;
static __thread int pushed = 100; /* has to begin anew in each execution */
static int loads;

__attribute__((constructor)) static void begin(void)
{
	loads++;
}

void stack_push(int value)
{
	struct node *n = malloc(sizeof *n);

	pushed++;
	n->value = value;
	n->next = top;
	top = n;
}

bool stack_pop(int *value)
{
	struct node *n = top;

	if (!n)
		return false;
	top = n->next;
	*value = n->value;
	return true;
}

int stack_pushed(void)
{
	return pushed;
}

int stack_loads(void)
{
	return loads;
}
