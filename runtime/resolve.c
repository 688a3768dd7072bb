/* SPDX-License-Identifier: MIT
 *
 * What an announced event turns out to be if it happens now.
 */
#include "objects.h"
#include "sched.h"

static bool compares_equal(const struct pending *p)
{
	bool yes;

	rt->accessing = ACCESS_COMPARES;
	if (p->size == 16)
		yes = ((volatile uint64_t *)p->addr)[0] == p->expected &&
		      ((volatile uint64_t *)p->addr)[1] == p->expected_high;
	else if (p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8)
		yes = peek(p->addr, p->size) == p->expected;
	else
		yes = same((void *)p->addr, (void *)p->expected, p->size);
	rt->accessing = 0;
	return yes;
}

/* Can the mutex never be locked again? */
static bool mutex_lost(uint64_t addr)
{
	const struct mutex_state *m = (const struct mutex_state *)addr;

	return m->state == MUTEX_LOST && m->kind & MUTEX_ROBUST && m->kind != MUTEX_DESTROYED;
}

int resolve_now(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	if (UNLIKELY(rt->sends) && takes(f))
		return LP_EV_TAKE;
	if (p->compare && p->flags & LP_SITE_FUTEX) /* only if the word is as expected */
		return compares_equal(p) ? p->kind : LP_EV_READ;
	if (p->compare)
		return compares_equal(p) ? LP_EV_RMW : LP_EV_CAS_FAIL;
	if (p->kind == LP_EV_ONCE && *(const int *)p->addr == ONCE_DONE)
		return LP_EV_READ; /* those who come later do not get in each other's way */
	if (p->wait == WAIT_MUTEX && mutex_lost(p->addr))
		return LP_EV_TRYLOCK_FAIL;
	if (!p->attempt || object_allows(f, p))
		return p->kind;
	switch (p->kind) {
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
		return LP_EV_TRYLOCK_FAIL;
	case LP_EV_SEM_WAIT:
		return LP_EV_SEM_FAIL;
	case LP_EV_WAKE:
		return LP_EV_TIMEOUT;
	case LP_EV_RMW: /* of a channel: it has only looked */
		return LP_EV_READ;
	default:
		return p->kind;
	}
}
