/* SPDX-License-Identifier: MIT
 *
 * A sorted list with a sentinel at each end.
 * With FAULTY insert walks before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct node {
	int key;
	struct node *next;
};
static struct node tail = { INT_MAX, NULL }, head = { INT_MIN, &tail };
static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;

bool list_insert(int key)
{
	struct node *p, *c, *n = malloc(sizeof *n);
	IF_CORRECT(pthread_mutex_lock(&big);)
	for (p = &head, c = p->next; c->key < key; p = c, c = c->next)
		;
	IF_FAULTY(pthread_mutex_lock(&big);)
	if (c->key == key) {
		pthread_mutex_unlock(&big);
		free(n);
		return false;
	}
	n->key = key;
	n->next = c;
	p->next = n;
	pthread_mutex_unlock(&big);
	return true;
}

bool list_delete(int key)
{
	pthread_mutex_lock(&big);
	struct node *p = &head, *c = p->next;
	for (; c->key < key; p = c, c = c->next)
		;
	if (c->key != key) {
		pthread_mutex_unlock(&big);
		return false;
	}
	p->next = c->next;
	pthread_mutex_unlock(&big);
	return true;
}

bool list_find(int key)
{
	pthread_mutex_lock(&big);
	struct node *c = head.next;
	while (c->key < key)
		c = c->next;
	bool f = c->key == key;
	pthread_mutex_unlock(&big);
	return f;
}

static void *one(void *arg)
{
	r[0] = list_insert(4);
	r[1] = list_find(5);
	return arg;
}

static void *two(void *arg)
{
	r[2] = list_insert(5);
	r[3] = list_delete(4);
	r[4] = list_find(5);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
