/* SPDX-License-Identifier: MIT
 *
 * Names and pointers under a read-write lock; negative error numbers.
 * With FAULTY register writes what it found under a lock for reading.
 *
 * faulty: found
 */
#include "ordinary.h"

#define N 3
static struct {
	const char *name;
	void *ptr;
} tab[N];
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

int registry_register(const char *name, void *ptr)
{
	int i, free_slot = -1;
	IF_FAULTY(pthread_rwlock_rdlock(&rw);)
	IF_CORRECT(pthread_rwlock_wrlock(&rw);)
	for (i = 0; i < N; i++) {
		if (tab[i].name && !strcmp(tab[i].name, name)) {
			pthread_rwlock_unlock(&rw);
			return -EEXIST;
		}
		if (!tab[i].name && free_slot < 0)
			free_slot = i;
	}
	IF_FAULTY(pthread_rwlock_unlock(&rw); pthread_rwlock_wrlock(&rw);)
	if (free_slot < 0) {
		pthread_rwlock_unlock(&rw);
		return -ENOSPC;
	}
	tab[free_slot].name = name;
	tab[free_slot].ptr = ptr;
	pthread_rwlock_unlock(&rw);
	return 0;
}

void *registry_lookup(const char *name)
{
	void *p = NULL;
	pthread_rwlock_rdlock(&rw);
	for (int i = 0; i < N; i++)
		if (tab[i].name && !strcmp(tab[i].name, name))
			p = tab[i].ptr;
	pthread_rwlock_unlock(&rw);
	return p;
}

static int x, y;

static void *one(void *arg)
{
	r[0] = registry_register("a", &x);
	r[1] = registry_lookup("a") == &x;
	return arg;
}

static void *two(void *arg)
{
	r[2] = registry_register("a", &y);
	r[3] = registry_lookup("a") == &y;
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
