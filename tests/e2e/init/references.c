/* SPDX-License-Identifier: MIT
 *
 * wants: op try_lock() -> bool : gate_try_lock(this)
 * wants: op unlock() : gate_unlock(this)
 * wants: object mutex
 * lacks: box_acquire
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>

struct box {
	int references, last;
};

struct gate {
	int held;
};

static struct box box;
static struct gate gate;

/* No lock: two threads may have acquired it. */
void box_acquire(struct box *b)
{
	__atomic_add_fetch(&b->references, 1, __ATOMIC_SEQ_CST);
}

void box_release(struct box *b)
{
	__atomic_sub_fetch(&b->references, 1, __ATOMIC_SEQ_CST);
}

void box_push(struct box *b, int value)
{
	__atomic_store_n(&b->last, value, __ATOMIC_SEQ_CST);
}

int gate_try_lock(struct gate *g)
{
	if (__atomic_exchange_n(&g->held, 1, __ATOMIC_SEQ_CST))
		return 0;
	return 1;
}

void gate_unlock(struct gate *g)
{
	__atomic_store_n(&g->held, 0, __ATOMIC_SEQ_CST);
}

static void *thread(void *unused)
{
	box_acquire(&box);
	if (gate_try_lock(&gate)) {
		box_push(&box, 1);
		gate_unlock(&gate);
	}
	box_release(&box);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
