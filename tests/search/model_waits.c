/* SPDX-License-Identifier: MIT
 *
 * Semaphores, conditions, barriers and routines that run once, in the model.
 */
#include "model_steps.h"

#include <string.h>

/* Is there a signal that may wake the thread? */
static bool signalled(const struct state *s, unsigned t)
{
	uint8_t any = s->released;

	for (unsigned i = 0; i < s->nsignals; i++)
		any |= s->signals[i];
	return any >> t & 1;
}

bool state_wait_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_SEM_WAIT:
		return s->sem > 0 || (is_sent(p) && !s->phase[t]);
	case OP_COND_WAIT:
	case OP_COND_TIMED:
		if (s->phase[t] == COND_LOCKS)
			return !s->owner[0] || s->owner[0] == t + 1;
		return s->phase[t] != COND_QUEUED || o->what == OP_COND_TIMED || signalled(s, t) ||
		       (p->spurious && !s->spurious[t]);
	case OP_BARRIER_WAIT:
		return !s->phase[t] || s->left[t];
	case OP_ONCE:
		return s->phase[t] || s->once != 1;
	default:
		return true;
	}
}

void state_on_semaphore(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_SEM_POST:
		s->sem++;
		state_result(s, t, 0);
		break;
	case OP_SEM_GET:
		state_result(s, t, s->sem);
		break;
	case OP_SEM_INIT:
		s->sem = o->value;
		state_result(s, t, 0);
		break;
	default:
		if (o->what != OP_SEM_TRY && state_before_call(p, s, t))
			return;
		state_result(s, t, !s->sem);
		s->sem -= s->sem > 0;
	}
}

/* One that has no name any more is still there for those who have opened it. */
void state_on_named(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *mine = &s->opened[t];
	bool done = o->what == OP_NAMED_UNLINK ? s->named : *mine;

	switch (o->what) {
	case OP_NAMED_OPEN:
		if (!s->named) {
			s->named = ++s->nnamed;
			s->named_value[s->named - 1] = o->value;
		}
		*mine = s->named;
		state_result(s, t, 0);
		return;
	case OP_NAMED_POST:
		if (done)
			s->named_value[*mine - 1]++;
		break;
	case OP_NAMED_TRY:
		if (done && !s->named_value[*mine - 1]) {
			state_result(s, t, 1);
			return;
		}
		if (done)
			s->named_value[*mine - 1]--;
		break;
	case OP_NAMED_CLOSE:
		*mine = 0;
		break;
	default:
		s->named = 0;
	}
	state_result(s, t, done ? 0 : 9);
}

/* As many signals as threads: all of them will wake. */
static void release_if_certain(struct state *s)
{
	if (s->nsignals < (unsigned)__builtin_popcount(s->queued))
		return;
	s->released |= s->queued;
	s->queued = s->nsignals = 0;
	memset(s->signals, 0, sizeof s->signals);
}

static void not_for(struct state *s, unsigned t)
{
	s->queued &= (uint8_t) ~(1U << t);
	for (unsigned i = 0; i < s->nsignals; i++)
		s->signals[i] &= (uint8_t) ~(1U << t);
}

void condition_left(struct state *s, unsigned t)
{
	s->released &= (uint8_t) ~(1U << t);
	not_for(s, t);
	release_if_certain(s);
}

/* The thread wakes by the first signal that it may have: what others may have stays most. */
static void take_signal(struct state *s, unsigned t)
{
	unsigned first = 0;

	if (s->released >> t & 1) {
		s->released &= (uint8_t) ~(1U << t);
		return;
	}
	while (!(s->signals[first] >> t & 1))
		first++;
	for (s->nsignals--; first < s->nsignals; first++)
		s->signals[first] = s->signals[first + 1];
	s->signals[first] = 0;
	not_for(s, t);
	release_if_certain(s);
}

static void wait_for_signal(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	bool point = has_cancel(p) && !s->cancel_off[t];

	switch (s->phase[t]) {
	case COND_COMES:
		if (!s->held[0][t]) {
			state_result(s, t, 9);
			return;
		}
		if (point) {
			s->phase[t] = COND_JOINS;
			return;
		}
		/* fall through */
	case COND_JOINS:
		s->saved[t] = s->count[0];
		if (--s->count[0] == 0)
			mutex_release(s, 0);
		s->queued |= (uint8_t)(1U << t);
		s->phase[t] = COND_QUEUED;
		break;
	case COND_QUEUED:
		s->register_[t] = o->what == OP_COND_TIMED && !signalled(s, t);
		if (signalled(s, t)) {
			take_signal(s, t);
		} else {
			s->spurious[t] |= o->what == OP_COND_WAIT;
			s->queued &= (uint8_t) ~(1U << t);
		}
		s->phase[t] = COND_LOCKS;
		break;
	default:
		s->owner[0] = (uint8_t)(t + 1);
		s->count[0] = s->saved[t];
		if (s->ending[t] == LOCKS_FIRST)
			state_leaves(s, t, JOINED_CANCELLED);
		else
			state_result(s, t, s->register_[t]);
	}
}

void state_on_condition(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_COND_SIGNAL:
		if (s->queued) {
			s->signals[s->nsignals++] = s->queued;
			release_if_certain(s);
		}
		state_result(s, t, 0);
		return;
	case OP_COND_BROADCAST:
		s->released |= s->queued;
		s->queued = s->nsignals = 0;
		memset(s->signals, 0, sizeof s->signals);
		state_result(s, t, 0);
		return;
	case OP_COND_INIT: /* who waits is forgotten */
		s->queued = s->nsignals = 0;
		memset(s->signals, 0, sizeof s->signals);
		state_result(s, t, 0);
		return;
	default:
		wait_for_signal(p, s, t, o);
	}
}

void state_on_barrier(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_BARRIER_INIT) {
		if (s->arrived) {
			state_over(s, END_MISUSE);
			return;
		}
		state_result(s, t, 0);
	} else if (s->phase[t]) {
		s->left[t] = 0;
		state_result(s, t, 0);
	} else if (++s->arrived == 2) {
		s->arrived = 0;
		for (unsigned i = 0; i < p->nthreads; i++)
			s->left[i] = i != t && state_next(p, s, i)->what == OP_BARRIER_WAIT && s->phase[i];
		state_result(s, t, 1);
	} else {
		s->phase[t] = 1;
	}
}

void state_on_once(struct state *s, unsigned t)
{
	switch (s->phase[t]) {
	case 0:
		if (s->once == 2) {
			state_result(s, t, 0);
			return;
		}
		s->once = 1;
		break;
	case 1:
		s->value[0]++;
		break;
	default:
		s->once = 2;
		state_result(s, t, 0);
		return;
	}
	s->phase[t]++;
}
