/* SPDX-License-Identifier: MIT
 *
 * Reuse across threads. A thread that frees and allocates gets its own blocks again, whatever others
 * do. An allocator may also give it what another thread has freed; then the address it gets depends
 * on the order of the two calls, so they have to be steps that conflict. For most programs that
 * would only be more classes of the same executions. So blocks pass from thread to thread only if
 * they do so in the program as well: if the one that frees a block is not the one that allocated it.
 * They go to a list for all threads, one for each class of sizes, once a third thread was seen to
 * allocate a block of that class; then the exploration begins again.
 *
 * An allocation that finds the list empty only reads it: such allocations commute.
 */
#include "reuse.h"
#include "block.h"
#include "explore.h"
#include "sched.h"
#include "words.h"

#define BITS 60 /* of lp_status.reused; the last one is for all larger blocks */

#define PAIRS 8

static struct {
	uint64_t allocated;	/* which threads have, in this execution */
	uint64_t passed[PAIRS]; /* who allocated a block and who freed it: two threads each */
	unsigned n;
} seen[BITS];
static unsigned seen_to; /* what comes after is empty */

static unsigned number(unsigned class)
{
	return class < BITS ? class : BITS - 1;
}

/* The number of a class of which something is about to be seen. */
static unsigned number_seen(unsigned class)
{
	unsigned k = number(class);

	if (k >= seen_to)
		seen_to = k + 1;
	return k;
}

bool reuse_common(unsigned class)
{
	return rt->running && rt->config.malloc == MALLOC_REUSE &&
	       rt->config.search != LP_SEARCH_SEQUENTIAL &&
	       rt->status->reused >> number(class) & 1;
}

static void share(unsigned class)
{
	if (rt->config.malloc != MALLOC_REUSE || rt->config.search == LP_SEARCH_SEQUENTIAL ||
	    reuse_common(class))
		return;
	rt->status->reused |= bit(number(class));
	rt->need_restart = 1;
	abandon_execution();
}

void reuse_allocates(unsigned class)
{
	unsigned k = number_seen(class);

	seen[k].allocated |= bit(rt->cur->id);
	for (unsigned i = 0; i < seen[k].n; i++)
		if (!(seen[k].passed[i] & bit(rt->cur->id)))
			share(class);
}

void reuse_frees(unsigned class, unsigned owner)
{
	uint64_t both = bit(rt->cur->id) | bit(owner);
	unsigned k = number_seen(class), i = 0;

	while (i < seen[k].n && seen[k].passed[i] != both)
		i++;
	if (i == seen[k].n && i < PAIRS)
		seen[k].passed[seen[k].n++] = both;
	if (seen[k].allocated & ~both)
		share(class);
}

static struct pending *announce_on(const uint8_t *filled, const struct call_place *from)
{
	struct pending *p = announce(LP_EV_RMW, filled, 1, from->pc);

	p->flags = LP_SITE_ATOMIC | LP_SITE_NOVALUE;
	return p;
}

void reuse_take(const uint8_t *filled, const struct call_place *from)
{
	struct pending *p = announce_on(filled, from);

	p->compare = 1; /* a read, if there is none */
	p->expected = 1;
	step(rt->cur);
}

void reuse_give(const uint8_t *filled, const struct call_place *from)
{
	announce_on(filled, from);
	step(rt->cur);
}

struct block *reuse_begins(struct block *b, size_t size, const struct call_place *from)
{
	uintptr_t base = b->base;

	if (!rt->tracing || !from->visible)
		return b;
	announce(LP_EV_WRITE, (void *)base, event_size(size > b->asked ? size : b->asked), from->pc)->flags =
		LP_SITE_NOVALUE;
	rt->cur->given = base;
	step(rt->cur);
	rt->cur->given = 0;
	return block_find(base); /* others may have moved the table of blocks */
}

/* Of what this execution may still show: that blocks pass from thread to thread. */
uint64_t reuse_hash(void)
{
	uint64_t h = 0;

	for (unsigned k = 0; k < seen_to; k++) {
		if (seen[k].allocated)
			h += hash_word(k, seen[k].allocated);
		for (unsigned i = 0; i < seen[k].n; i++)
			h += hash_word(BITS * (i + 1) + k, seen[k].passed[i]);
	}
	return h;
}

void reuse_reset(void)
{
	zero(seen, seen_to * sizeof seen[0]);
	seen_to = 0;
}
