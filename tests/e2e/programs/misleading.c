/* SPDX-License-Identifier: MIT
 *
 * Blocks of the heap whose statements name another type, of the same size or a part of it, than the one that is
 * allocated; and wordings that say something only at a second look. As in fields.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	long left, right;
};

struct entry {
	struct pair key;
	long hash, next;
};

struct head {
	long size, used;
};

struct node {
	long file, scope;
};

struct cell {
	long one, two;
};

typedef struct {
	long before, after;
} twin;

#define NEW(type)      ((type *)malloc(sizeof(type)))
#define FRESH(what, n) ((what) = malloc((n) + 16))

static long *volatile kept[32];
static volatile size_t sixteen = 16;


static __attribute__((noinline)) void *allocate(size_t size)
{
	void *n = malloc(size);

	if (!n)
		abort();
	return n;
}

static __attribute__((noinline)) void *allocate_some(const char *why, size_t n, size_t size)
{
	void *all = malloc(n * size);

	if (!all && why)
		abort();
	return all;
}

static __attribute__((noinline)) void *through(size_t size)
{
	void *n = allocate(size);

	if (!n && sixteen)
		abort();
	return n;
}

/* What it is given is no size of what it allocates. */
static __attribute__((noinline)) struct entry *put(const void *key, size_t size)
{
	struct entry *e = NEW(struct entry);

	memcpy(e, key, size);
	return e;
}

static __attribute__((noinline)) void *behind_head(size_t size)
{
	return malloc(size + 16);
}

static inline __attribute__((always_inline)) void *inlined(size_t size)
{
	struct cell *n = malloc(size);

	return n;
}

static void *thread(void *arg)
{
	struct pair key = { 1, 2 };
	struct head *h = malloc(sizeof(struct head) + 2 * sizeof(struct pair));
	struct head *g = malloc(sizeof(*h) + 16);
	long *first = malloc(sixteen), *second = malloc(sizeof(struct pair));
	long *noted = malloc(sixteen /* as sizeof(struct pair) */), *sum = malloc(sizeof(struct pair) + sizeof(struct head));
	struct entry *e = put(&key, sizeof(struct pair));
	long *larger = behind_head(sizeof(struct pair)), *fresh;
	struct pair **pair = malloc(4 * sizeof pair);
	struct pair *n = inlined(sizeof *n);
	struct pair *wrapped = through(sizeof *wrapped), *some = allocate_some("sizeof", 3, sizeof(struct pair));
	struct node {
		long local, inner;
	} *node = malloc(sizeof(struct node));
	struct pair *shifted = malloc(sizeof(struct pair) << 1);
	twin *t = malloc(sizeof(twin) * 2), *shadow;

	FRESH(fresh, sizeof(struct pair));
	{
		long *twin = NULL;

		shadow = malloc(2 * sizeof twin);
	}
	h[1].used = 1; /* +24 */
	g[1].used = 2; /* +24 */
	first[1] = 3; /* +8 */
	second[1] = 4; /* .right */
	noted[1] = 5; /* +8 */
	sum[3] = 6; /* +24 */
	e->next = 7; /* +24 */
	larger[3] = 8; /* +24 */
	fresh[1] = 9; /* +8 */
	pair[3] = n; /* +24 */
	n->right = 10; /* .right */
	wrapped->right = 11; /* .right */
	some[2].right = 12; /* [2].right */
	node->inner = 13; /* .inner */
	shifted->right = 14; /* +8 */
	t[1].after = 15; /* [1].after */
	shadow->after = 16; /* +8 */
	kept[0] = (long *)h;
	kept[1] = (long *)g;
	kept[2] = first;
	kept[3] = second;
	kept[4] = noted;
	kept[5] = sum;
	kept[6] = (long *)e;
	kept[7] = larger;
	kept[8] = fresh;
	kept[9] = (long *)pair;
	kept[10] = (long *)n;
	kept[11] = (long *)wrapped;
	kept[12] = (long *)some;
	kept[13] = (long *)node;
	kept[14] = (long *)shifted;
	kept[15] = (long *)t;
	kept[16] = (long *)shadow;
	kept[31] = first;
	return arg;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, thread, NULL);
	kept[31] = NULL;
	pthread_join(other, NULL);
	return 0;
}
