/* SPDX-License-Identifier: MIT
 *
 * Two threads add a number each, and count on a common counter before and after it, which is no
 * operation: argv[1] times. The orders of that are very many, the states few.
 */
#include <pthread.h>
#include <stdlib.h>

struct set {
	pthread_mutex_t lock;
	unsigned bits;
};

static struct set set = { PTHREAD_MUTEX_INITIALIZER, 0 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, events;

__attribute__((noinline)) int set_add(struct set *s, int key)
{
	int added;

	pthread_mutex_lock(&s->lock);
	added = !(s->bits >> key & 1);
	s->bits |= 1u << key;
	pthread_mutex_unlock(&s->lock);
	return added;
}

static void count(void)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		events++;
		pthread_mutex_unlock(&lock);
	}
}

static void *thread(void *key)
{
	count();
	set_add(&set, *(int *)key);
	count();
	return NULL;
}

int main(int argc, char **argv)
{
	int one = 1, two = 2;
	pthread_t a, b;

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	pthread_create(&a, NULL, thread, &one);
	pthread_create(&b, NULL, thread, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
