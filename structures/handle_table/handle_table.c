/* SPDX-License-Identifier: MIT
 *
 * A table of handles with reference counts: whoever uses the object of a handle holds a reference, and the last one
 * frees it. McKenney, "Is Parallel Programming Hard, And, If So, What Can You Do About It?", section 13.2 on
 * reference counting, has the right way and the wrong one.
 *
 * Why it is linearizable, and frees nothing too early: add, remove and contains take effect in their critical
 * sections. A reference is taken in the critical section in which the table still has its own, so the count is
 * not 0 then; it becomes 0 once, and nobody has a pointer then.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_GET: contains takes its reference behind the critical section. The object may be gone.
 *
 * FAULTY_PUT: the count is read, compared and written without being one atomic step; it may never be seen as 0, or
 * twice.
 *
 * handle_table.expect refers to the marks (words after an at sign).
 */
#include "handle_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define HANDLES 4

struct object {
	_Atomic int references;
	int handle;
};

struct handle_table {
	pthread_mutex_t lock;
	struct object *object[HANDLES];
};

struct handle_table *handle_table_create(void)
{
	struct handle_table *table = calloc(1, sizeof(*table));

	if (table)
		pthread_mutex_init(&table->lock, NULL);
	return table;
}

static void put_back(struct object *object)
{
#ifdef FAULTY_PUT
	int left = object->references - 1; /* @put.read */

	object->references = left; /* @put.write */
	if (!left)
		free(object);
#else
	if (atomic_fetch_sub(&object->references, 1) == 1)
		free(object);
#endif
}

bool handle_table_add(struct handle_table *table, int handle)
{
	struct object *object = malloc(sizeof(*object));
	bool absent;

	if (!object)
		abort();
	atomic_init(&object->references, 1);
	object->handle = handle;
	pthread_mutex_lock(&table->lock);
	absent = !table->object[handle];
	if (absent)
		table->object[handle] = object;
	pthread_mutex_unlock(&table->lock);
	if (!absent)
		free(object);
	return absent;
}

bool handle_table_remove(struct handle_table *table, int handle)
{
	struct object *object;

	pthread_mutex_lock(&table->lock);
	object = table->object[handle];
	table->object[handle] = NULL;
	pthread_mutex_unlock(&table->lock);
	if (object)
		put_back(object); /* @remove.put */
	return object;
}

bool handle_table_contains(struct handle_table *table, int handle)
{
	struct object *object;
	bool right;

	pthread_mutex_lock(&table->lock);
	object = table->object[handle]; /* @get.object */
#ifdef FAULTY_GET
	pthread_mutex_unlock(&table->lock);
	if (object)
		atomic_fetch_add(&object->references, 1); /* @get.count */
#else
	if (object)
		atomic_fetch_add(&object->references, 1);
	pthread_mutex_unlock(&table->lock);
#endif
	if (!object)
		return false;
	right = object->handle == handle;
	put_back(object);
	return right;
}
