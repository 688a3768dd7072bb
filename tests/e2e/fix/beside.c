/* A number is kept beside a list. The client does not need it under the lock, but the next one would. WHERE: in the list; 2: for
 * all lists, which is no reason for one lock of all. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct entry {
	int key;
	struct entry *next;
};

struct set {
	struct entry *first;
	int count;
};

static struct set set;
#if WHERE == 2
static int all;
#define COUNT all
#else
#define COUNT s->count
#endif

static int set_add(struct set *s, int key)
{
	struct entry *e;

	for (e = s->first; e; e = e->next)
		if (e->key == key)
			return 0;
	e = malloc(sizeof *e);
	e->key = key;
	e->next = s->first;
	s->first = e;
	COUNT++;
	return 1;
}

static int added[2];

static void *work(void *arg)
{
	*(int *)arg = set_add(&set, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, &added[0]);
	pthread_create(&b, NULL, work, &added[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(added[0] + added[1] == 1);
	return 0;
}
