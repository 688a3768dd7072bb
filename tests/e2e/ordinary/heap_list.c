/* SPDX-License-Identifier: MIT
 *
 * A list of things to do by priority, on the heap; 0 is none.
 *
 * faulty: none
 */
#include "ordinary.h"

struct item {
	char *name;
	int prio;
	struct item *next;
};
struct todo {
	struct item *first;
	pthread_mutex_t m;
};
static struct todo *td;

void todo_add(struct todo *t, int prio)
{
	struct item *i = malloc(sizeof *i);
	i->name = strdup("x");
	i->prio = prio;
	pthread_mutex_lock(&t->m);
	struct item **p = &t->first;
	while (*p && (*p)->prio >= prio)
		p = &(*p)->next;
	i->next = *p;
	*p = i;
	pthread_mutex_unlock(&t->m);
}

int todo_next(struct todo *t)
{
	pthread_mutex_lock(&t->m);
	struct item *i = t->first;
	if (i)
		t->first = i->next;
	pthread_mutex_unlock(&t->m);
	if (!i)
		return 0;
	int p = i->prio;
	free(i->name);
	free(i);
	return p;
}

int todo_peek(struct todo *t)
{
	pthread_mutex_lock(&t->m);
	int p = t->first ? t->first->prio : 0;
	pthread_mutex_unlock(&t->m);
	return p;
}

static void *one(void *arg)
{
	todo_add(td, 1);
	r[0] = todo_next(td);
	return arg;
}

static void *two(void *arg)
{
	todo_add(td, 3);
	r[1] = todo_peek(td);
	r[2] = todo_next(td);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	td = calloc(1, sizeof *td);
	pthread_mutex_init(&td->m, NULL);
	todo_add(td, 2);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
