/* Two numbers of an object change together. How the objects come to be: MADE. */
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

#include "member.h"

#if MADE == 1
static struct item one = {
	.n = 3
}, two = { 1, 2 };
static struct item three;

static struct item *get(int number)
{
	return number == 1 ? &one : number == 2 ? &two : &three;
}
#elif MADE == 2
static struct item *objects[3];

static struct item *item_new(int n, int m)
{
	struct item *i = calloc(1, sizeof *i + sizeof(int));

	if (!i)
		return NULL;
	i->n = n;
	i->m = m;
	return i;
}

static struct item *get(int number)
{
	if (!objects[0]) {
		objects[0] = item_new(3, 0);
		objects[1] = item_new(1, 2);
		objects[2] = item_new(0, 0);
	}
	return objects[number - 1];
}
#else
static struct item objects[3];

static void item_init(struct item *i, int n)
{
	i->n = n;
	i->m = 0;
}

static struct item *get(int number)
{
	return &objects[number - 1];
}
#endif

static void item_add(struct item *i)
{
	int n = i->n;

	i->n = n + 1;
	i->m = n;
}

static int work(void *arg)
{
	item_add(get(1));
	item_add(get(3));
	return arg != 0;
}

int main(void)
{
	thrd_t a, b;

#if MADE == 3
	item_init(get(1), 3);
	item_init(get(2), 1);
	item_init(get(3), 0);
#endif
	assert(get(2)->n == 1);
	thrd_create(&a, work, NULL);
	thrd_create(&b, work, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	assert(get(1)->n == 5 && get(1)->m == 4 && get(3)->n == 2);
	return 0;
}
