/* Two numbers change together, in objects that threads reach on different ways: HOW. A lock in the object that a function has
 * in hand is of use only if all functions have the same one. */
#include <assert.h>
#include <stdlib.h>
#include <pthread.h>

struct pair {
	int n, m;
	struct pair *next;
};

static void step(int *n, int *m)
{
	int old = *n;

	*n = old + 1;
	*m = old;
}

#if HOW == 1 /* through another one of its kind */
static struct pair second, head = { 0, 0, &second };
#define last second

static void *one(void *arg)
{
	struct pair *p = &second;

	(void)arg;
	int old = p->n;
	p->n = old + 1;
	p->m = old;
	return NULL;
}

static void *other(void *arg)
{
	struct pair *first = &head;

	(void)arg;
	int old = first->next->n;
	first->next->n = old + 1;
	first->next->m = old;
	return NULL;
}
#elif HOW == 2 /* through the arguments of each thread */
struct job {
	struct pair *pair;
	int id;
};

static struct pair last;
static struct job jobs[2] = { { &last, 1 }, { &last, 2 } };

static void work(struct job *j)
{
	int old = j->pair->n;

	j->pair->n = old + 1;
	j->pair->m = old;
}

static void *one(void *arg)
{
	work(&jobs[0]);
	return arg;
}

static void *other(void *arg)
{
	work(&jobs[1]);
	return arg;
}
#elif HOW == 3 /* through a pointer in the arguments */
struct job {
	int *n, *m;
};

static struct pair last;

static void *one(void *arg)
{
	struct job mine = { &last.n, &last.m }, *j = &mine;
	int old = *j->n;

	*j->n = old + 1;
	*j->m = old;
	return arg;
}

#define other one
#elif HOW == 4 /* by a function that is given the parts */
static struct pair last;

static void work(struct pair *p, struct pair *ignored)
{
	(void)ignored;
	step(&p->n, &p->m);
}

static void *one(void *arg)
{
	work(&last, &(struct pair){ 0 });
	return arg;
}

#define other one
#elif HOW == 5 /* what a list says */
struct list {
	struct pair *first;
	int count;
};

static struct list list;
static struct pair pairs[2], last;

static void push(struct list *l, struct pair *p)
{
	p->next = l->first;
	l->first = p;
	l->count++;
}

static void *one(void *arg)
{
	push(&list, &pairs[0]);
	return arg;
}

static void *other(void *arg)
{
	push(&list, &pairs[1]);
	return arg;
}
#endif

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#if HOW == 5
	(void)step, (void)last;
	assert(list.count == 2 && list.first && list.first->next);
#else
	(void)step;
	assert(last.n == 2 && last.m == 1);
#endif
	return 0;
}
