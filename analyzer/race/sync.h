/* SPDX-License-Identifier: MIT
 *
 * Happens-before as the memory model of C has it: program order and synchronization, without the order
 * of conflicting accesses. Vector clocks after Mattern ("Virtual time and global states of distributed
 * systems", 1989); the rules for orders and fences are those of C11, 5.1.2.4 and 7.17.3.
 */
#ifndef LINCHPIN_RACE_SYNC_H
#define LINCHPIN_RACE_SYNC_H

#include "base/numbering.h"
#include "run/trace.h"

/* What an access is to the memory model. */
enum access_sort {
	ACCESS_NONE,   /* no access of memory, or one of a synchronization object */
	ACCESS_PLAIN,
	ACCESS_EARLY,   /* a plain read of machine code: perhaps before the condition for it, unused */
	ACCESS_MAYBE,   /* plain or atomic, machine code does not tell: it synchronizes and may race */
	ACCESS_ATOMIC,  /* with the order of its site */
	ACCESS_ORDERED, /* atomic, and acquires and releases: the least that the processor does */
};

struct sync_object {
	uint32_t *writes; /* clocks: what who takes it has seen after */
	uint32_t *reads;  /* and of those who only shared it */
};

/* Zero-initialise it; its buffers are reused. */
struct sync {
	uint32_t nthreads;
	uint32_t *clocks;          /* [thread * nthreads + other] */
	uint32_t *at_release;      /* at the latest release fence of a thread */
	uint32_t *for_acquire;     /* what an acquire fence would see */
	struct numbering names;    /* of objects and of atomic locations */
	struct sync_object *objects;
	uint32_t nobjects, objects_capacity;
};

void sync_begin(struct sync *s, const struct trace *t);
void sync_free(struct sync *s);

/* The next event of the trace, which is an access of this sort. Returns its number in its thread, from 1. */
uint32_t sync_event(struct sync *s, const struct run *run, const struct event *e, enum access_sort sort);

/* Does event number `seq` of `thread` happen before the latest event of `other`? */
static inline bool sync_before(const struct sync *s, uint32_t thread, uint32_t seq, uint32_t other)
{
	return s->clocks[(size_t)other * s->nthreads + thread] >= seq;
}

#endif
