/* SPDX-License-Identifier: MIT
 *
 * The functions of docs/cookbook.md, as simple as they can be, with a lock around each, and a client that calls those of
 * one recipe, given by the name of its specification.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define OP __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
	pthread_mutex_lock(&mutex);
}

static void leave(void)
{
	pthread_mutex_unlock(&mutex);
}

/* What all of them are: a few cells from first to last. */
struct cells {
	long cell[8];
	int n;
};

static void add(struct cells *c, long value)
{
	c->cell[c->n++] = value;
}

static long first(struct cells *c)
{
	long value = c->cell[0];

	for (int i = 1; i < c->n; i++)
		c->cell[i - 1] = c->cell[i];
	c->n--;
	return value;
}

static int where(const struct cells *c, long value)
{
	int i = 0;

	while (i < c->n && c->cell[i] != value)
		i++;
	return i < c->n ? i : -1;
}

struct set { struct cells c; };
struct queue { struct cells c; };
struct stack { struct cells c; };
struct buffer { struct cells c; };
struct pool { struct cells c; };
struct tree { struct cells c; };
struct ring { struct cells c; };
struct map { int value[8]; };
struct lock { pthread_mutex_t mutex; };
struct cache { int value[8]; };

#define LOCKED(type, result)                                                                       \
	{                                                                                          \
		type r_;                                                                           \
		enter();                                                                           \
		r_ = (result);                                                                     \
		leave();                                                                           \
		return r_;                                                                         \
	}

static bool insert_key(struct cells *c, int key)
{
	if (where(c, key) >= 0)
		return false;
	add(c, key);
	return true;
}

static bool remove_key(struct cells *c, int key)
{
	int i = where(c, key);

	if (i < 0)
		return false;
	c->cell[i] = c->cell[--c->n];
	return true;
}

static bool get(struct cells *c, long *value)
{
	if (!c->n)
		return false;
	*value = first(c);
	return true;
}

static bool put(struct cells *c, long value, int most)
{
	if (c->n == most)
		return false;
	add(c, value);
	return true;
}

OP bool set_add(struct set *set, int key) LOCKED(bool, insert_key(&set->c, key))
OP bool set_remove(struct set *set, int key) LOCKED(bool, remove_key(&set->c, key))
OP bool set_contains(const struct set *set, int key) LOCKED(bool, where(&set->c, key) >= 0)

OP bool queue_get(struct queue *queue, int *value)
{
	long v = 0;
	bool found;

	enter();
	found = get(&queue->c, &v);
	leave();
	*value = (int)v;
	return found;
}

OP void queue_put(struct queue *queue, int value)
{
	enter();
	add(&queue->c, value);
	leave();
}

OP int stack_pop(struct stack *stack) LOCKED(int, stack->c.n ? (int)stack->c.cell[--stack->c.n] : -1)
OP int stack_pop_wait(struct stack *stack) LOCKED(int, (int)stack->c.cell[--stack->c.n])
OP void stack_push(struct stack *stack, int value)
{
	enter();
	add(&stack->c, value);
	leave();
}

OP int buffer_take(struct buffer *buffer, long *value) LOCKED(int, get(&buffer->c, value) ? 0 : -11)
OP int buffer_give(struct buffer *buffer, long value) LOCKED(int, put(&buffer->c, value, 4) ? 0 : -28)

OP void *pool_take(struct pool *pool) LOCKED(void *, pool->c.n ? (void *)pool->c.cell[--pool->c.n] : NULL)
OP void pool_give(struct pool *pool, void *block)
{
	enter();
	add(&pool->c, (long)block);
	leave();
}

OP bool insert(int key, struct tree *tree, unsigned flags) LOCKED(bool, (flags & 0) + insert_key(&tree->c, key))

static long tickets;
OP long next_ticket(void) LOCKED(long, tickets++)

static int table[8];
OP int table_set(const int *key, int value) LOCKED(int, table[*key] = value)

OP int map_put(struct map *map, int key, int value, int *before)
{
	enter();
	*before = map->value[key];
	map->value[key] = value;
	leave();
	return *before != 0;
}

OP int map_get(struct map *map, int key, int otherwise)
	LOCKED(int, map->value[key] ? map->value[key] : otherwise)

OP bool ring_try_push(struct ring *ring, int value) LOCKED(bool, put(&ring->c, value, 2))
OP bool ring_try_pop(struct ring *ring, int *value)
{
	long v = 0;
	bool found;

	enter();
	found = get(&ring->c, &v);
	leave();
	*value = (int)v;
	return found;
}

OP void lock_acquire(struct lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
}

OP bool lock_try(struct lock *lock)
{
	return !pthread_mutex_trylock(&lock->mutex);
}

OP void lock_release(struct lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}

OP int cache_update(struct cache *cache, int key, int value, int how)
	LOCKED(int, cache->value[key] = how ? value : cache->value[key] + value)

static struct set set;
static struct queue queue;
static struct stack stack;
static struct buffer buffer;
static struct pool pool;
static struct tree tree;
static struct ring ring;
static struct map map;
static struct lock lock = { PTHREAD_MUTEX_INITIALIZER };
static struct cache cache;

static const char *recipe;

static bool is(const char *name)
{
	return !strcmp(recipe, name);
}

static void *worker(void *number)
{
	int n = *(int *)number, value;
	long wide;

	if (is("truth")) {
		set_add(&set, n);
		set_contains(&set, 1);
		set_remove(&set, n);
	} else if (is("pointer")) {
		queue_put(&queue, n);
		queue_get(&queue, &value);
	} else if (is("special")) {
		stack_push(&stack, n);
		stack_pop(&stack);
	} else if (is("error")) {
		buffer_give(&buffer, n);
		buffer_take(&buffer, &wide);
	} else if (is("pointers")) {
		pool_give(&pool, number);
		pool_take(&pool);
	} else if (is("place")) {
		insert(1, &tree, 3);
	} else if (is("global")) {
		next_ticket();
	} else if (is("behind")) {
		table_set(&n, n);
	} else if (is("map")) {
		map_put(&map, 1, n, &value);
		map_get(&map, 1, -1);
	} else if (is("relaxed")) {
		ring_try_push(&ring, n);
		ring_try_pop(&ring, &value);
	} else if (is("lock")) {
		lock_acquire(&lock);
		lock_release(&lock);
		if (lock_try(&lock))
			lock_release(&lock);
	} else if (is("several")) {
		queue_put(&queue, n);
		stack_push(&stack, n);
		stack_push(&stack, n + 2);
		stack_pop_wait(&stack); /* there is always one: each thread takes as many as it pushes */
		stack_pop(&stack);
		queue_get(&queue, &value);
	} else if (is("itself")) {
		cache_update(&cache, 1, n, n & 1);
	}
	return number;
}

int main(int argc, char **argv)
{
	static int numbers[] = { 1, 2 };
	pthread_t threads[2];

	recipe = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
