/* SPDX-License-Identifier: MIT
 *
 * The lock-free hash table of userspace-rcu as a set, in read-side critical sections of the memb
 * flavour. It is never resized, and what was deleted is never freed, so there is no grace period.
 */
#include <stdlib.h>
#include <urcu/urcu-memb.h>
#include <urcu/rculfhash.h>

#include "client.h"

struct item {
	struct cds_lfht_node node; /* first */
	int key;
};

static __thread bool registered;

static void *create(void)
{
	return cds_lfht_new_flavor(1, 1, 1, 0, &urcu_memb_flavor, NULL);
}

static int match(struct cds_lfht_node *node, const void *key)
{
	return ((struct item *)node)->key == *(const int *)key;
}

static void enter(void)
{
	if (!registered)
		urcu_memb_register_thread();
	registered = true;
	urcu_memb_read_lock();
}

/* All keys in one bucket. */
static struct client_result add(void *object, int key)
{
	struct item *item = malloc(sizeof *item);
	struct cds_lfht_node *old;

	cds_lfht_node_init(&item->node);
	item->key = key;
	enter();
	old = cds_lfht_add_unique(object, 0, match, &key, &item->node);
	urcu_memb_read_unlock();
	return client_bool(old == &item->node);
}

static struct client_result del(void *object, int key)
{
	struct cds_lfht_iter iter;
	bool deleted;

	enter();
	cds_lfht_lookup(object, 0, match, &key, &iter);
	deleted = cds_lfht_iter_get_node(&iter) &&
		  !cds_lfht_del(object, cds_lfht_iter_get_node(&iter));
	urcu_memb_read_unlock();
	return client_bool(deleted);
}

static struct client_result contains(void *object, int key)
{
	struct cds_lfht_iter iter;

	enter();
	cds_lfht_lookup(object, 0, match, &key, &iter);
	urcu_memb_read_unlock();
	return client_bool(cds_lfht_iter_get_node(&iter) != NULL);
}

CLIENT_MAIN("set", create, CLIENT_SET(add, del, contains))
