/* SPDX-License-Identifier: MIT
 *
 * Numbers given out and taken back, under a spin lock; -1 is none left.
 * With FAULTY alloc reads the bits before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

static struct {
	pthread_spinlock_t lock;
	uint64_t used;
} ids;

int id_alloc(void)
{
	int id = -1;
	IF_FAULTY(uint64_t u = ids.used;)
	pthread_spin_lock(&ids.lock);
	IF_CORRECT(uint64_t u = ids.used;)
	for (int i = 0; i < 4; i++)
		if (!(u >> i & 1)) {
			id = i;
			ids.used = u | 1ull << i;
			break;
		}
	pthread_spin_unlock(&ids.lock);
	return id;
}

void id_free(int id)
{
	pthread_spin_lock(&ids.lock);
	ids.used &= ~(1ull << id);
	pthread_spin_unlock(&ids.lock);
}

static void *one(void *arg)
{
	int a = id_alloc();
	r[0] = a;
	id_free(a);
	r[1] = id_alloc();
	return arg;
}

static void *two(void *arg)
{
	r[2] = id_alloc();
	r[3] = id_alloc();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_spin_init(&ids.lock, 0);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
