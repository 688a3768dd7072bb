/* SPDX-License-Identifier: MIT
 *
 * The steps of the model. An operation of several steps counts them in phase[].
 */
#include "model_steps.h"

#include <string.h>

static const struct op the_end = { OP_END, 0, 0 };

const struct op *state_next(const struct program *p, const struct state *s, unsigned t)
{
	return s->pc[t] < p->n[t] ? &p->ops[t][s->pc[t]] : &the_end;
}

/* The operation is over. */
void state_result(struct state *s, unsigned t, unsigned value)
{
	s->record.result[t][s->pc[t]++] = (uint8_t)(value + 1);
	s->phase[t] = 0;
}

void state_over(struct state *s, enum end end)
{
	s->record.end = (uint8_t)end;
	s->over = 1;
}

/* main is through. */
static void main_ends(const struct program *p, struct state *s)
{
	s->record.marks |= MARK_MAIN;
	if (!joins_all(p))
		return;
	s->record.marks |= MARK_FINAL;
	memcpy(s->record.value, s->value, sizeof s->value);
	memcpy(s->record.memory, s->memory, sizeof s->memory);
	memcpy(s->record.futex, s->futex, sizeof s->futex);
	state_over(s, END_OK);
}

static void one_step(const struct program *p, struct state *s, unsigned t, const struct op *o);

/* What a thread finds out by itself: it holds the lock, or it does not. */
static bool local(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	uint8_t k = o->object, me = (uint8_t)(t + 1);

	switch (o->what) {
	case OP_MUTEX_LOCK:
	case OP_MUTEX_TRY:
	case OP_MUTEX_TIMED:
		return s->owner[k] == me && p->mutex_type[k] != NORMAL;
	case OP_MUTEX_UNLOCK:
		return p->mutex_type[k] == ERROR_CHECKING ? s->owner[k] != me
							  : !s->held[k][t] || s->count[k] > 1;
	case OP_RW_UNLOCK:
		return !s->rheld[t];
	case OP_SPIN_UNLOCK:
		return !s->spin_held[t];
	case OP_COND_WAIT:
	case OP_COND_TIMED:
		return !s->phase[t] && !s->held[0][t];
	default:
		return o->what >= OP_RW_READ && o->what <= OP_RW_TIMED_WRITE && s->writer == me;
	}
}

/* All that is part of somebody's step before. */
static void settle(const struct program *p, struct state *s)
{
	bool more = true;

	while (more && !s->over) {
		more = false;
		for (unsigned t = 0; t < p->nthreads && !s->over; t++) {
			const struct op *o = state_next(p, s, t);

			if (s->life[t] != RUNS)
				continue;
			if (o->what == OP_END && t) {
				s->life[t] = ENDED;
			} else if (o->what == OP_END && !(s->record.marks & MARK_MAIN)) {
				main_ends(p, s);
			} else if (o->what == OP_CREATE) {
				s->life[o->object] = RUNS;
				s->order[s->ncreated++] = o->object;
				state_result(s, t, 0);
			} else if (o->what == OP_JOIN && s->life[o->object] == ENDED) {
				state_result(s, t, 0);
			} else if (o->what == OP_HEAP_NEW && !s->phase[t]) {
				s->register_[t] = state_allocate(p, s, t, 0);
				s->phase[t] = s->freed[s->register_[t]] ? PHASE_GIVEN : 1;
			} else if (local(p, s, t, o)) {
				one_step(p, s, t, o);
			} else {
				continue;
			}
			more = true;
		}
	}
}

void state_start(const struct program *p, struct state *s)
{
	memset(s, 0, sizeof *s);
	s->life[0] = RUNS;
	s->ncreated = 1;
	s->sem = p->sem;
	settle(p, s);
}

/* Does the thread only wait for the process to end? */
static bool exits(const struct program *p, const struct state *s, unsigned t)
{
	const struct op *o = state_next(p, s, t);

	return o->what == OP_END || (o->what == OP_EXIT_IF && s->phase[t]);
}

/* Is there a signal that may wake the thread? */
static bool signalled(const struct state *s, unsigned t)
{
	uint8_t any = s->released;

	for (unsigned i = 0; i < s->nsignals; i++)
		any |= s->signals[i];
	return any >> t & 1;
}

static bool enabled(const struct program *p, const struct state *s, unsigned t)
{
	const struct op *o = state_next(p, s, t);

	if (s->life[t] != RUNS)
		return false;
	switch (o->what) {
	case OP_JOIN:
		return false;
	case OP_MUTEX_LOCK:
		return !s->owner[o->object];
	case OP_RW_READ:
		return !s->writer && !s->coming;
	case OP_RW_WRITE:
		return (p->writers_first && !s->phase[t]) || (!s->writer && !s->readers);
	case OP_SPIN_LOCK:
		return !s->spin;
	case OP_SEM_WAIT:
		return s->sem > 0;
	case OP_COND_WAIT:
	case OP_COND_TIMED:
		if (s->phase[t] == 2)
			return !s->owner[0] || s->owner[0] == t + 1;
		return !s->phase[t] || o->what == OP_COND_TIMED || signalled(s, t);
	case OP_BARRIER_WAIT:
		return !s->phase[t] || s->left[t];
	case OP_ONCE:
		return s->phase[t] || s->once != 1;
	case OP_FUTEX_WAIT:
		return !s->phase[t];
	case OP_CHANNEL_GET:
	case OP_CHANNEL_EITHER:
	case OP_SIGNAL_WAIT:
		return state_channel_allows(s, t, o);
	default:
		return true;
	}
}

uint8_t state_enabled(const struct program *p, const struct state *s)
{
	unsigned all = 0, exiting = 0;

	for (unsigned t = 0; t < p->nthreads && !s->over; t++)
		if (enabled(p, s, t)) {
			all |= 1U << t;
			exiting |= exits(p, s, t) ? 1U << t : 0;
		}
	return (uint8_t)(all & ~exiting ? all & ~exiting : all);
}

static void on_memory(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *v = &s->value[o->object & 1], *m = &s->memory[o->object % MEMORIES], old = *v;

	switch (o->what) {
	case OP_LOAD:
		state_result(s, t, *v);
		return;
	case OP_STORE:
		*v = o->value;
		state_result(s, t, 0);
		return;
	case OP_FETCH_ADD:
		(*v)++;
		state_result(s, t, old);
		return;
	case OP_EXCHANGE:
		*v = o->value;
		state_result(s, t, old);
		return;
	case OP_CAS:
		if (old == (o->value & 1))
			*v = o->value >> 1;
		state_result(s, t, old == (o->value & 1));
		return;
	case OP_READ:
		state_result(s, t, *m);
		return;
	case OP_WRITE:
		*m = o->value;
		state_result(s, t, 0);
		return;
	default: /* OP_ADD */
		if (!s->phase[t]++) {
			s->register_[t] = *m;
			return;
		}
		*m = (uint8_t)(s->register_[t] + 1);
		state_result(s, t, *m);
	}
}

static void on_mutex(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	uint8_t k = o->object, type = p->mutex_type[k], me = (uint8_t)(t + 1);
	uint8_t *owner = &s->owner[k], *count = &s->count[k], *held = &s->held[k][t];

	switch (o->what) {
	case OP_MUTEX_INIT:
		*owner = *count = 0;
		state_result(s, t, 0);
		return;
	case OP_MUTEX_UNLOCK:
		if (!*held && type != ERROR_CHECKING) {
			state_result(s, t, 9);
		} else if (*owner != me) {
			state_result(s, t, 1);
		} else {
			if (--*count == 0)
				*owner = 0;
			--*held;
			state_result(s, t, 0);
		}
		return;
	default:
		break;
	}
	if (!*owner || (*owner == me && type == RECURSIVE)) {
		*owner = me;
		++*count;
		++*held;
		state_result(s, t, 0);
	} else {
		state_result(s, t, 1);
	}
}

/* A writer that waits for a lock which prefers writers comes first, and stops others from then on. */
static void on_rwlock(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	bool write = o->what >= OP_RW_WRITE && o->what <= OP_RW_TIMED_WRITE;
	bool comes = write && p->writers_first && o->what != OP_RW_TRY_WRITE && s->writer != t + 1;

	if (o->what == OP_RW_INIT) {
		s->writer = s->readers = s->coming = 0;
		state_result(s, t, 0);
	} else if (o->what == OP_RW_UNLOCK && !s->rheld[t]) {
		state_result(s, t, 9);
	} else if (o->what == OP_RW_UNLOCK) {
		if (s->writer)
			s->writer = 0;
		else
			s->readers--;
		s->rheld[t]--;
		state_result(s, t, 0);
	} else if (comes && !s->phase[t]) {
		s->coming++;
		s->phase[t] = 1;
	} else if (s->phase[t] == 2) {
		s->coming -= s->coming > 0;
		state_result(s, t, 1);
	} else if (s->writer || (write && s->readers) || (!write && s->coming)) {
		if (comes)
			s->phase[t] = 2;
		else
			state_result(s, t, 1);
	} else {
		s->coming -= comes && s->coming;
		if (write)
			s->writer = (uint8_t)(t + 1);
		else
			s->readers++;
		s->rheld[t]++;
		state_result(s, t, 0);
	}
}

static void on_spin(struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_SPIN_INIT) {
		s->spin = 0;
		state_result(s, t, 0);
	} else if (o->what == OP_SPIN_UNLOCK) {
		bool mine = s->spin_held[t];

		if (mine)
			s->spin = s->spin_held[t] = 0;
		state_result(s, t, mine ? 0 : 9);
	} else {
		bool taken = s->spin;

		s->spin = 1;
		s->spin_held[t] |= !taken;
		state_result(s, t, taken);
	}
}

static void on_semaphore(struct state *s, unsigned t, const struct op *o)
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
		state_result(s, t, !s->sem);
		s->sem -= s->sem > 0;
	}
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
	s->queued &= (uint8_t) ~(1U << t);
	for (unsigned i = 0; i < s->nsignals; i++)
		s->signals[i] &= (uint8_t) ~(1U << t);
	release_if_certain(s);
}

static void wait_for_signal(struct state *s, unsigned t)
{
	switch (s->phase[t]) {
	case 0:
		if (!s->held[0][t]) {
			state_result(s, t, 9);
			return;
		}
		s->saved[t] = s->count[0];
		if (--s->count[0] == 0)
			s->owner[0] = 0;
		s->queued |= (uint8_t)(1U << t);
		s->phase[t] = 1;
		break;
	case 1:
		s->register_[t] = !signalled(s, t);
		if (!s->register_[t])
			take_signal(s, t);
		s->queued &= (uint8_t) ~(1U << t);
		s->phase[t] = 2;
		break;
	default:
		s->owner[0] = (uint8_t)(t + 1);
		s->count[0] = s->saved[t];
		state_result(s, t, s->register_[t]);
	}
}

static void on_condition(struct state *s, unsigned t, const struct op *o)
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
		wait_for_signal(s, t);
	}
}

static void on_barrier(const struct program *p, struct state *s, unsigned t, const struct op *o)
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

static void on_once(struct state *s, unsigned t)
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

static void unqueue(struct state *s, unsigned q, unsigned at)
{
	for (s->nqueue[q]--; at < s->nqueue[q]; at++)
		s->queue[q][at] = s->queue[q][at + 1];
	s->queue[q][s->nqueue[q]] = 0;
}

static unsigned wake(const struct program *p, struct state *s, unsigned q, unsigned most)
{
	unsigned n = 0;

	for (; n < most && s->nqueue[q]; n++) {
		unsigned t = s->queue[q][0];

		unqueue(s, q, 0);
		if (state_next(p, s, t)->what == OP_FUTEX_WAIT)
			state_result(s, t, 0);
		else
			s->woken[t] = 1;
	}
	return n;
}

static void time_out(struct state *s, unsigned t)
{
	for (unsigned q = 0; q < 2; q++)
		for (unsigned i = 0; i < s->nqueue[q]; i++)
			if (s->queue[q][i] == t)
				unqueue(s, q, i);
	state_result(s, t, s->woken[t] ? 0 : 2);
	s->woken[t] = 0;
}

static void on_futex(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned q = o->object, n;

	switch (o->what) {
	case OP_FUTEX_SET:
		s->futex[q] = o->value;
		state_result(s, t, 0);
		return;
	case OP_FUTEX_WAKE:
		n = wake(p, s, q, o->value);
		state_result(s, t, n);
		return;
	case OP_FUTEX_REQUEUE:
		if (s->futex[q] != o->value) {
			state_result(s, t, 9);
			return;
		}
		n = wake(p, s, q, 1);
		for (; s->nqueue[q]; n++) {
			s->queue[1 - q][s->nqueue[1 - q]++] = s->queue[q][0];
			unqueue(s, q, 0);
		}
		state_result(s, t, n);
		return;
	}
	if (s->phase[t]) {
		time_out(s, t);
	} else if (s->futex[q] != o->value) {
		state_result(s, t, 1);
	} else {
		s->queue[q][s->nqueue[q]++] = (uint8_t)t;
		s->phase[t] = 1;
	}
}

static void end_if(struct state *s, unsigned t, const struct op *o)
{
	if (s->phase[t])
		state_over(s, o->what == OP_EXIT_IF ? END_EXIT : END_CRASH);
	else if (s->value[0] != o->value)
		state_result(s, t, 0);
	else if (o->what == OP_ABORT_IF)
		state_over(s, END_ABORT);
	else
		s->phase[t] = 1;
	if (s->phase[t] && o->what == OP_EXIT_IF)
		s->record.marks |= MARK_EXIT;
}

static void one_step(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_END)
		state_over(s, END_OK);
	else if (o->what <= OP_ADD)
		on_memory(s, t, o);
	else if (o->what <= OP_MUTEX_INIT)
		on_mutex(p, s, t, o);
	else if (o->what <= OP_RW_INIT)
		on_rwlock(p, s, t, o);
	else if (o->what <= OP_SPIN_INIT)
		on_spin(s, t, o);
	else if (o->what <= OP_SEM_INIT)
		on_semaphore(s, t, o);
	else if (o->what <= OP_COND_INIT)
		on_condition(s, t, o);
	else if (o->what <= OP_BARRIER_INIT)
		on_barrier(p, s, t, o);
	else if (o->what == OP_ONCE)
		on_once(s, t);
	else if (o->what <= OP_FUTEX_REQUEUE)
		on_futex(p, s, t, o);
	else if (o->what <= OP_HEAP_GROW)
		state_on_heap(p, s, t, o);
	else if (o->what <= OP_CHANNEL_COUNT)
		state_on_channel(p, s, t, o);
	else if (o->what <= OP_SIGNAL_PENDING)
		state_on_signal(s, t, o);
	else if (o->what <= OP_FENCE)
		state_result(s, t, 0);
	else
		end_if(s, t, o);
}

void state_step(const struct program *p, struct state *s, unsigned t)
{
	one_step(p, s, t, state_next(p, s, t));
	settle(p, s);
	if (!s->over && s->life[t] == RUNS && !s->phase[t])
		s->register_[t] = 0;
}
