/* SPDX-License-Identifier: MIT
 *
 * A binary tree under a read-write lock.
 * With FAULTY insert writes under a lock for reading.
 *
 * faulty: found
 */
#include "ordinary.h"

struct t {
	int k;
	struct t *l, *r;
};
struct bst {
	struct t *root;
	pthread_rwlock_t lk;
};
static struct bst bst = { NULL, PTHREAD_RWLOCK_INITIALIZER };

static struct t **where(struct bst *b, int k)
{
	struct t **p = &b->root;
	while (*p && (*p)->k != k)
		p = k < (*p)->k ? &(*p)->l : &(*p)->r;
	return p;
}

int bst_insert(struct bst *b, int k)
{
	int rv = 0;
	IF_CORRECT(pthread_rwlock_wrlock(&b->lk);)
	IF_FAULTY(pthread_rwlock_rdlock(&b->lk);)
	struct t **p = where(b, k);
	if (!*p) {
		struct t *n = calloc(1, sizeof *n);
		n->k = k;
		*p = n;
		rv = 1;
	}
	pthread_rwlock_unlock(&b->lk);
	return rv;
}

int bst_member(struct bst *b, int k)
{
	pthread_rwlock_rdlock(&b->lk);
	int f = *where(b, k) != NULL;
	pthread_rwlock_unlock(&b->lk);
	return f;
}

static void *one(void *arg)
{
	r[0] = bst_insert(&bst, 5);
	r[1] = bst_member(&bst, 3);
	return arg;
}

static void *two(void *arg)
{
	r[2] = bst_insert(&bst, 3);
	r[3] = bst_member(&bst, 5);
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
