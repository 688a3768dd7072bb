/* Two threads, main is one, push to a list; the node of one may be lost. -DHELD: main keeps what it has allocated. */
#include <pthread.h>
#include <stdlib.h>

static struct node {
	struct node *next;
	int key;
} *head;
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void add(int key)
{
	struct node *x = malloc(sizeof *x);

	x->key = key;
	x->next = head;
	head = x;
}

static void *worker(void *counter)
{
	pthread_mutex_lock(&m);
	data++;
	*(int *)counter += 1;
	pthread_mutex_unlock(&m);
#ifndef HELD
	add(1);
#endif
	return NULL;
}

int main(void)
{
	int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
	pthread_t t, u;

	*p = *q = 0;
	pthread_create(&t, NULL, worker, p);
#ifdef HELD
	pthread_create(&u, NULL, worker, q);
	pthread_join(u, NULL);
#else
	(void)u;
	add(2);
#endif
	pthread_join(t, NULL);
#ifdef HELD
	return *p + *q - 2;
#else
	free(p);
	free(q);
	return 0;
#endif
}
