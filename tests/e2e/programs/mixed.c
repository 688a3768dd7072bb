/* SPDX-License-Identifier: MIT
 *
 * A set of which one operation is a function, for a specification file, and the other one is inlined
 * and so marked in the source. With -DBOTH the function has marks inside as well.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdbool.h>

struct set {
	int n, keys[8];
};

static struct set set;

static inline bool set_contains(struct set *s, int key)
{
	for (int i = 0; i < s->n; i++)
		if (s->keys[i] == key)
			return true;
	return false;
}

__attribute__((noinline)) bool set_add(struct set *s, int key)
{
	bool found;

#ifdef BOTH
	linchpin_call(s, "add", key);
#endif
	found = set_contains(s, key);
	if (!found)
		s->keys[s->n++] = key;
#ifdef BOTH
	linchpin_return(!found);
#endif
	return !found;
}

static void *thread(void *unused)
{
	bool found;

#ifdef AROUND
	linchpin_call(&set, "add", 1);
	found = set_add(&set, 1);
	linchpin_return(found);
#else
	set_add(&set, 1);
#endif
	linchpin_call(&set, "contains", 1);
	found = set_contains(&set, 1);
	linchpin_return(found);
	return unused;
}

int main(void)
{
	pthread_t a, b;

#ifdef AROUND
	linchpin_object(&set, "set");
#endif
	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
