/* SPDX-License-Identifier: MIT
 *
 * Faults that blocks in force exclude, or do not: in_force WHICH.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static volatile int x, y, filled[3];
static struct pair *volatile pairs;
static int sum, seen;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t token;

/* Two of them: an update is lost. */
static void *update(void *arg)
{
	int v = x; /* @update.read */
	x = v + 1; /* @update.write */
	return arg;
}

/* The same in a loop that is inside the block, or not. */
static void *twice(void *arg)
{
	for (int i = 0; i < 2; i++) { /* @twice.for */
		int v = x; /* @twice.read */
		x = v + 1; /* @twice.write */
	}
	return arg; /* @twice.end */
}

/* The same by two calls. */
static int __attribute__((noinline)) get(void)
{
	return x; /* @get.read */
}

static void __attribute__((noinline)) set(int v)
{
	x = v;
}

static void *by_calls(void *arg)
{
	int v = get(); /* @calls.get */
	set(v + 1);    /* @calls.set */
	return arg;
}

/* The same in a function that is inlined, twice into one. */
static inline __attribute__((always_inline)) void add(volatile int *to, int k)
{
	int v = *to; /* @add.read */
	*to = v + k; /* @add.write */
}

static void *inlined(void *arg)
{
	add(&x, 1);
	add(&y, 1);
	return arg;
}

/* A recursive function: each call is an instance of its own, within that of its caller or not. */
static void __attribute__((noinline)) deep(int n)
{
	int v = x; /* @deep.read */
	if (n)
		deep(n - 1); /* @deep.call */
	sum += v; /* @deep.sum */
}

static void *recursive(void *arg)
{
	deep(1);
	return arg;
}

static void *writes(void *arg)
{
	x++; /* @writes */
	return arg;
}

/* Two locks in both orders. */
static void *ab(void *arg)
{
	pthread_mutex_lock(&a);   /* @ab.first */
	pthread_mutex_lock(&b);   /* @ab.second */
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a); /* @ab.last */
	return arg;
}

static void *ba(void *arg)
{
	pthread_mutex_lock(&b);   /* @ba.first */
	pthread_mutex_lock(&a);   /* @ba.second */
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b); /* @ba.last */
	return arg;
}

/* One waits for the other in the middle. */
static void *waits(void *arg)
{
	x = 1;            /* @waits.first */
	sem_wait(&token); /* @waits.wait */
	x = 2;            /* @waits.last */
	return arg;
}

static void *posts(void *arg)
{
	seen = x; /* @posts.first */
	sem_post(&token); /* @posts.post */
	return arg;
}

static void *joins(void *arg)
{
	pthread_t t;

	x = 1; /* @joins.first */
	pthread_create(&t, NULL, writes, NULL);
	pthread_join(t, NULL); /* @joins.join */
	x = 3; /* @joins.last */
	return arg;
}

/* A loop that waits for a write. */
static void *spins(void *arg)
{
	y = 1; /* @spins.first */
	while (!x)
		;
	y = 2; /* @spins.last */
	return arg;
}

struct pair {
	long value, next, more;
};

/* One statement writes several words, of a block that is allocated, in a loop that may go round. */
static void *makes(void *arg)
{
	for (;;) {
		int seen_x = x; /* @makes.read */
		struct pair *made = malloc(sizeof *made);

		if (!made)
			continue;
		*made = (struct pair){ seen_x, seen_x + 1, seen_x + 2 };
		pairs = made;
		x = (int)pairs->next; /* @makes.write */
		return arg;
	}
}

/* One statement in a loop that compilers unroll. */
static void *fills(void *arg)
{
	for (int i = 0; i < 3; i++)
		filled[i] = 1; /* @fills.write */
	return arg;
}

static void *looks(void *arg)
{
	for (int i = 2; i >= 0; i--)
		seen += filled[i];
	return arg;
}

static const struct test {
	const char *name;
	void *(*one)(void *), *(*other)(void *);
	int expected; /* x in the end, or any */
} tests[] = {
	{ "update", update, update, 2 },     { "twice", twice, twice, 4 },
	{ "calls", by_calls, by_calls, 2 },  { "inlined", inlined, inlined, 2 },
	{ "recursive", recursive, writes, -1 }, { "locks", ab, ba, -1 },
	{ "waits", waits, posts, -1 },       { "joins", joins, update, -1 },
	{ "spins", spins, writes, -1 },      { "makes", makes, makes, 2 },
	{ "fills", fills, looks, -1 },
};

int main(int argc, char **argv)
{
	const struct test *t = tests;
	pthread_t one, other;

	while (argc > 1 && strcmp(t->name, argv[1]))
		t++;
	sem_init(&token, 0, 0);
	pthread_create(&one, NULL, t->one, NULL);
	pthread_create(&other, NULL, t->other, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	assert(t->expected < 0 || x == t->expected);
	assert(strcmp(t->name, "fills") || seen == 0 || seen == 3);
	assert(strcmp(t->name, "recursive") || sum == 0 || sum == 2);
	return 0;
}
