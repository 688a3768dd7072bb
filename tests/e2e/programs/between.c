/* SPDX-License-Identifier: MIT
 *
 * A set whose add looks and then adds in two steps, and threads that work on common data between its operations: what they
 * ask for depends on the order in which they did so.
 */
#include <pthread.h>
#include <stdbool.h>

struct set {
	pthread_mutex_t lock;
	int n, keys[8];
};

static struct set set = { PTHREAD_MUTEX_INITIALIZER, 0, { 0 } };
static pthread_mutex_t tickets_lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets;

__attribute__((noinline)) bool set_contains(struct set *s, int key)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < s->n; i++)
		found = found || s->keys[i] == key;
	pthread_mutex_unlock(&s->lock);
	return found;
}

__attribute__((noinline)) bool set_add(struct set *s, int key)
{
	if (set_contains(s, key))
		return false;
	pthread_mutex_lock(&s->lock);
	s->keys[s->n++] = key;
	pthread_mutex_unlock(&s->lock);
	return true;
}

static void *thread(void *unused)
{
	int ticket;

	(void)unused;
	set_add(&set, 1);
	pthread_mutex_lock(&tickets_lock);
	ticket = tickets++;
	pthread_mutex_unlock(&tickets_lock);
	set_contains(&set, ticket);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, thread, 0);
	pthread_create(&b, 0, thread, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
