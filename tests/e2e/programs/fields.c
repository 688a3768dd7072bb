/* SPDX-License-Identifier: MIT
 *
 * Blocks of the heap, allocated in many ways. Each write has what the place that it writes is to be called
 * behind it, without the number of the block.
 */
#include <pthread.h>
#include <stdlib.h>

struct pair {
	long left, right;
};

typedef struct {
	int head, tail;
	struct pair inner[2];
	pthread_mutex_t lock;
} queue;

struct tail {
	long n;
	long items[];
};

struct other {
	long first, second;
};

static __attribute__((noinline)) void *allocate(size_t size)
{
	void *n = malloc(size);

	if (!n)
		abort();
	return n;
}

/* Where it is used, nothing says how large the block is. */
#define NEW(type) ((type *)malloc(sizeof(type)))

static volatile long *volatile kept[16];

static void *thread(void *arg)
{
	struct pair *p = malloc(sizeof *p), *q = calloc(3, sizeof(struct pair));
	queue *u = allocate(sizeof(queue));
	queue *v =
		calloc(1,
		       sizeof(*v));
	struct tail *t = malloc(sizeof *t + 4 * sizeof t->items[0]);
	struct pair *m = NEW(struct pair);
	long *bare = malloc(24), *cast = malloc(sizeof(struct other) + 3);
	struct pair *grown = realloc(NULL, sizeof(*grown));
	struct pair **pointers = malloc(2 * sizeof(struct pair *));

	p->right = 1; /* .right */
	q[2].left = 2; /* [2].left */
	u->tail = 3; /* .tail */
	u->inner[1].right = 4; /* .inner[1].right */
	pthread_mutex_init(&v->lock, NULL); /* .lock */
	v->head = 5; /* .head */
	t->n = 6; /* .n */
	t->items[3] = 7; /* .items[3] */
	m->right = 8; /* +8 */
	bare[1] = 9; /* +8 */
	cast[1] = 10; /* +8 */
	grown->right = 11; /* .right */
	pointers[1] = p; /* +8 */
	kept[0] = &p->left;
	kept[1] = &q->left;
	kept[2] = (long *)u;
	kept[3] = (long *)v;
	kept[4] = &t->n;
	kept[5] = &m->left;
	kept[6] = bare;
	kept[7] = cast;
	kept[8] = &grown->left;
	kept[9] = (long *)pointers;
	kept[15] = bare;
	return arg;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, thread, NULL);
	kept[15] = NULL;
	pthread_join(other, NULL);
	return 0;
}
