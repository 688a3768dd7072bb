/* SPDX-License-Identifier: MIT
 *
 * Destruction in the model. To use what was destroyed, and to destroy what another thread holds or waits for, is a misuse.
 */
#include "model_steps.h"

/* The object, as a bit. */
static unsigned object_of(const struct op *o)
{
	static const struct {
		uint8_t first, last;
	} objects[] = { { OP_RW_READ, OP_RW_DESTROY },	   { OP_SPIN_LOCK, OP_SPIN_DESTROY },
			{ OP_SEM_WAIT, OP_SEM_DESTROY },   { OP_COND_WAIT, OP_COND_DESTROY },
			{ OP_BARRIER_WAIT, OP_BARRIER_DESTROY } };

	if (o->what >= OP_MUTEX_LOCK && o->what <= OP_MUTEX_DESTROY)
		return 1U << (o->object & 1);
	for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++)
		if (o->what >= objects[i].first && o->what <= objects[i].last)
			return 4U << i;
	return 0;
}

static bool is_init(const struct op *o)
{
	return o->what == OP_MUTEX_INIT || o->what == OP_RW_INIT || o->what == OP_SPIN_INIT || o->what == OP_SEM_INIT ||
	       o->what == OP_COND_INIT || o->what == OP_BARRIER_INIT;
}

static bool is_condition_wait(const struct op *o)
{
	return o->what == OP_COND_WAIT || o->what == OP_COND_TIMED;
}

/* What the thread's next step is on. A thread that waits for a condition is in its queue, or takes the mutex again;
 * one that leaves a barrier or a lock needs it no more. */
static unsigned object_now(const struct state *s, unsigned t, const struct op *o)
{
	if (is_condition_wait(o) && s->phase[t] == COND_QUEUED)
		return 0;
	if (is_condition_wait(o) && s->phase[t] == COND_LOCKS)
		return 1;
	if ((o->what == OP_BARRIER_WAIT && s->phase[t]) || (o->what == OP_RW_TIMED_WRITE && s->phase[t] == 2))
		return 0;
	return object_of(o);
}

bool uses_destroyed(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	return s->gone & object_now(s, t, o) && !is_init(o) && !state_local(p, s, t, o);
}

/* Until the object lets it go on. */
static bool may_wait(const struct op *o)
{
	return o->what == OP_MUTEX_LOCK || o->what == OP_RW_READ || o->what == OP_RW_WRITE || o->what == OP_SPIN_LOCK ||
	       o->what == OP_SEM_WAIT || o->what == OP_BARRIER_WAIT;
}

static bool another_waits(const struct program *p, const struct state *s, unsigned t, unsigned object)
{
	for (unsigned i = 0; i < p->nthreads; i++) {
		const struct op *o = state_next(p, s, i);
		bool again = is_condition_wait(o) && s->phase[i] == COND_LOCKS;

		if (i == t || s->life[i] != RUNS || !(again ? object == 1 : object_of(o) == object && may_wait(o)))
			continue;
		if (o->what <= OP_SPIN_DESTROY ? !state_lock_allows(p, s, i, o) : !state_wait_allows(p, s, i, o))
			return true;
	}
	return false;
}

static bool another_holds(const struct state *s, unsigned t, const struct op *o)
{
	uint8_t owner = s->owner[o->object & 1];

	switch (o->what) {
	case OP_MUTEX_DESTROY:
		return owner && owner != t + 1;
	case OP_SPIN_DESTROY:
		return s->spin && !s->spin_held[t];
	case OP_COND_DESTROY:
		return s->queued;
	case OP_RW_DESTROY:
		for (unsigned i = 0; i < MOST_THREADS; i++)
			if (i != t && s->rheld[i])
				return true;
		return false;
	default:
		return false;
	}
}

/* By one's own lock, or a wait for a condition. */
static bool mutex_is_busy(const struct program *p, const struct state *s, unsigned t, unsigned k)
{
	bool busy = s->owner[k] == t + 1 && p->mutex_type[k] != ROBUST;

	for (unsigned i = 0; i < p->nthreads && !k; i++)
		busy |= s->life[i] == RUNS && is_condition_wait(state_next(p, s, i)) && s->phase[i] == COND_QUEUED;
	return busy;
}

void state_on_destruction(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned k = o->object & 1, object = object_of(o);
	bool mutex = o->what == OP_MUTEX_DESTROY;

	if (mutex && mutex_is_busy(p, s, t, k)) {
		state_result(s, t, p->api != API_C11);
	} else if (another_waits(p, s, t, object) || another_holds(s, t, o) || (mutex && s->owner[k])) {
		state_over(s, END_MISUSE);
	} else {
		s->gone |= (uint8_t)object;
		state_result(s, t, 0);
	}
}

void state_made(struct state *s, const struct op *o)
{
	if (is_init(o))
		s->gone &= (uint8_t)~object_of(o);
}
