/* SPDX-License-Identifier: MIT
 *
 * What is known of locks from the events of the log, and from the calls of the program: two small
 * tables that live for one execution. What does not fit in is not known, and then nothing is said of
 * it: nobody is accused on grounds of a table that is full.
 */
#include "owners.h"
#include "memory.h"
#include "sched.h"

#define MAX_OWNERS    512
#define MAX_DESTROYED 128 /* a power of two */
#define MAX_DENIED    64

static struct owner owners[MAX_OWNERS];
static unsigned nowners;

static struct destroyed {
	uint64_t addr;
	struct call_place place;
} destroyed[MAX_DESTROYED];
static unsigned ndestroyed; /* all that were, also those that others have replaced */

static struct denied {
	uint64_t addr;
	uint32_t seq; /* steps of the thread before */
	uint8_t thread;
} denied[MAX_DENIED];
static unsigned ndenied;

void owners_reset(void)
{
	nowners = ndenied = 0;
	for (; UNLIKELY(ndestroyed); ndestroyed--)
		destroyed[(ndestroyed - 1) % MAX_DESTROYED].addr = 0;
}

struct call_place place_here(void)
{
	struct fiber *f = rt->cur;

	context_now(f);
	return (struct call_place){ .pc = call_pc(), .context = f->context, .thread = f->id };
}

static struct owner *find(const volatile void *object, unsigned thread)
{
	for (unsigned i = nowners; i-- > 0;)
		if (owners[i].addr == (uint64_t)object && owners[i].since.thread == thread)
			return &owners[i];
	return NULL;
}

void owner_add(const volatile void *object, bool robust)
{
	struct owner *o = find(object, rt->cur->id);

	if (o) {
		o->times++;
		return;
	}
	if (nowners < MAX_OWNERS)
		owners[nowners++] =
			(struct owner){ (uint64_t)object, place_here(), 1, robust };
}

bool owner_remove(const volatile void *object)
{
	struct owner *o = find(object, rt->cur->id);

	if (!o)
		return false;
	if (--o->times == 0)
		*o = owners[--nowners];
	return true;
}

const struct owner *owner_other(const volatile void *object)
{
	for (unsigned i = 0; i < nowners; i++)
		if (owners[i].addr == (uint64_t)object && owners[i].since.thread != rt->cur->id)
			return &owners[i];
	return NULL;
}

const struct owner *owner_own(const volatile void *object)
{
	return find(object, rt->cur->id);
}

unsigned owner_times(const volatile void *object)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nowners; i++)
		if (owners[i].addr == (uint64_t)object)
			n += owners[i].times;
	return n;
}

const struct owner *owner_robust(unsigned thread)
{
	for (unsigned i = nowners; i-- > 0;)
		if (owners[i].robust && owners[i].since.thread == thread)
			return &owners[i];
	return NULL;
}

bool owner_of_any(unsigned thread)
{
	for (unsigned i = 0; i < nowners; i++)
		if (owners[i].since.thread == thread)
			return true;
	return false;
}

void owners_forget(const volatile void *object)
{
	for (unsigned i = nowners; i-- > 0;)
		if (owners[i].addr == (uint64_t)object)
			owners[i] = owners[--nowners];
}

void owner_denied(const volatile void *object)
{
	denied[ndenied++ % MAX_DENIED] = (struct denied){ (uint64_t)object, rt->cur->seq, rt->cur->id };
}

bool owner_denied_meanwhile(const volatile void *object)
{
	for (unsigned i = ndenied; i > 0 && i + MAX_DENIED > ndenied; i--) {
		const struct denied *d = &denied[(i - 1) % MAX_DENIED];

		if (d->addr == (uint64_t)object && d->thread != rt->cur->id && rt->cur->clock[d->thread] <= d->seq)
			return true;
	}
	return false;
}

void destroyed_here(const volatile void *object)
{
	destroyed[ndestroyed++ % MAX_DESTROYED] =
		(struct destroyed){ (uint64_t)object, place_here() };
}

const struct call_place *destroyed_where(const volatile void *object)
{
	for (unsigned i = ndestroyed; i > 0 && i + MAX_DESTROYED > ndestroyed; i--)
		if (destroyed[(i - 1) % MAX_DESTROYED].addr == (uint64_t)object)
			return &destroyed[(i - 1) % MAX_DESTROYED].place;
	return NULL;
}

void lock_held(struct fiber *f, uint64_t addr, uint32_t index)
{
	if (UNLIKELY(f->nheld == f->room_for_held)) {
		uint32_t more = f->room_for_held ? f->room_for_held * 2 : 32;
		struct held *bigger = memory_get(more * sizeof *bigger);

		copy(bigger, f->held, f->nheld * sizeof *bigger);
		f->held = bigger;
		f->room_for_held = more;
	}
	f->held[f->nheld++] = (struct held){ addr, index };
}

/* Locks held, and the steps that acquired them: the search needs to know which acquisition a
 * release ends. */
void locks_update(struct fiber *f, struct event *e, uint32_t index)
{
	uint64_t released = e->kind == LP_EV_WAIT ? e->addr2 : e->addr;

	e->acquired = NO_EVENT;
	switch (e->kind) {
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
	case LP_EV_ONCE:
		/* From when its writer came, a lock may let nobody else in. */
		if (UNLIKELY(f->arrival)) {
			index = f->arrival - 1;
			f->arrival = 0;
		}
		lock_held(f, e->addr, index);
		return;
	case LP_EV_ARRIVE:
		if (f->arrival) /* the writer leaves, and lets readers in again */
			e->acquired = f->arrival - 1;
		return;
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
	case LP_EV_WAIT:
		break;
	default:
		return;
	}
	for (unsigned k = 0; k < rt->nfibers; k++) {
		struct fiber *h = &rt->fibers[(f->id + k) % rt->nfibers];

		for (unsigned i = h->nheld; i-- > 0;) {
			if (h->held[i].addr != released)
				continue;
			e->acquired = h->held[i].index;
			h->held[i] = h->held[--h->nheld];
			return;
		}
	}
}
