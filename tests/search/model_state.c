/* SPDX-License-Identifier: MIT
 *
 * The steps of the model: threads, memory, and how the process ends. An operation of several steps counts
 * them in phase[].
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

/* Is the end of a thread a step, as others look whether it has come, or as something may come before it? */
static bool end_is_step(const struct program *p, const struct state *s, unsigned t)
{
	return program_has(p, OP_JOIN_TRY, OP_JOIN_TIMED) || is_sent(p) || s->cancel_async[t];
}

static bool join_is_step(const struct program *p)
{
	return is_sent(p) || has_cancel(p);
}

static void thread_ends(const struct program *p, struct state *s, unsigned t)
{
	bool others = false;

	s->life[t] = ENDED;
	s->phase[t] = 0;
	for (unsigned i = 0; i < p->nthreads; i++)
		others |= s->life[i] == RUNS;
	if (!others)
		state_over(s, END_OK);
}

static void one_step(const struct program *p, struct state *s, unsigned t, const struct op *o);

bool state_local(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	if ((o->what == OP_COND_WAIT || o->what == OP_COND_TIMED) && !s->phase[t])
		return !s->held[0][t];
	if (o->what == OP_SIGNAL_SEND)
		return !t && !o->object; /* to itself */
	if (o->what == OP_JOIN_TRY || o->what == OP_JOIN_TIMED)
		return s->joined[o->object];
	if (o->what >= OP_NAMED_POST && o->what <= OP_NAMED_CLOSE)
		return !s->opened[t];
	return o->what >= OP_KILL && o->what <= OP_CANCEL_TEST ? state_sent_local(p, s, t, o)
							       : state_lock_local(p, s, t, o);
}

/* With what is sent, to find that a thread has ended may come later than its end. */
static bool joins_now(const struct program *p, const struct state *s, const struct op *o)
{
	return o->what == OP_JOIN && (s->joined[o->object] || (s->life[o->object] == ENDED && !join_is_step(p)));
}

static void join(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *joined = &s->joined[o->object];

	if (*joined)
		state_result(s, t, 9);
	else if (s->life[o->object] != ENDED)
		state_result(s, t, 1);
	else
		state_result(s, t, s->retval[o->object]);
	*joined |= s->life[o->object] == ENDED;
}

/* Does the thread run no further, but for what it holds? */
static bool ends_now(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	return o->what == OP_END && (t || s->ending[t] == GONE) && !end_is_step(p, s, t) && !mutex_of_ended(p, s, t);
}

/* All that is part of somebody's step before. */
static void settle(const struct program *p, struct state *s)
{
	bool more = true;

	while (more && !s->over) {
		more = false;
		for (unsigned t = 0; t < p->nthreads && !s->over; t++) {
			const struct op *o = state_next(p, s, t);

			if (s->life[t] != RUNS || s->handling[t] || s->ending[t] == CLEANS_UP)
				continue;
			if (ends_now(p, s, t, o)) {
				thread_ends(p, s, t);
			} else if (o->what == OP_END && !t && !s->ending[t] && !(s->record.marks & MARK_MAIN)) {
				main_ends(p, s);
			} else if (o->what == OP_CREATE) {
				s->life[o->object] = RUNS;
				s->order[s->ncreated++] = o->object;
				state_result(s, t, 0);
			} else if (joins_now(p, s, o)) {
				join(s, t, o);
			} else if (o->what == OP_HEAP_NEW && !s->phase[t]) {
				s->register_[t] = state_allocate(p, s, t, 0);
				s->phase[t] = s->freed[s->register_[t]] ? PHASE_GIVEN : 1;
			} else if (state_local(p, s, t, o)) {
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

	if (s->handling[t] || s->ending[t] || state_takes(p, s, t))
		return false;
	return (o->what == OP_END && !t) || (o->what == OP_EXIT_IF && s->phase[t]);
}

static bool enabled(const struct program *p, const struct state *s, unsigned t)
{
	const struct op *o = state_next(p, s, t);

	if (s->life[t] != RUNS)
		return false;
	if (s->handling[t] || s->ending[t] == CLEANS_UP || state_takes(p, s, t))
		return true;
	if (uses_destroyed(p, s, t, o))
		return true;
	if (o->what == OP_JOIN)
		return s->life[o->object] == ENDED;
	if (o->what >= OP_MUTEX_LOCK && o->what <= OP_SPIN_DESTROY)
		return state_lock_allows(p, s, t, o);
	if (o->what >= OP_SEM_WAIT && o->what <= OP_ONCE)
		return state_wait_allows(p, s, t, o);
	if (o->what >= OP_FUTEX_SET && o->what <= OP_FUTEX_WAKE_OP)
		return state_futex_allows(s, t, o);
	if (o->what >= OP_FLOCK && o->what <= OP_FLOCK_UNLOCK)
		return state_flock_allows(p, s, t, o);
	if (o->what >= OP_STREAM_LOCK && o->what <= OP_STREAM_UNLOCK)
		return state_lock_allows(p, s, t, o);
	if (o->what == OP_CHANNEL_GET || o->what == OP_CHANNEL_EITHER || o->what == OP_SIGNAL_WAIT)
		return state_channel_allows(p, s, t, o);
	if (o->what >= OP_TIMER_SET && o->what <= OP_NUMBER_CLOSE)
		return state_descriptor_allows(p, s, t, o);
	return state_sent_allows(s, t, o);
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

static void end_if(struct state *s, unsigned t, const struct op *o)
{
	if (s->phase[t])
		state_over(s, o->what == OP_EXIT_IF ? END_EXIT : END_CRASH);
	else if (s->value[0] != o->value)
		state_result(s, t, 0);
	else if (o->what == OP_ABORT_IF)
		state_over(s, END_ABORT);
	else if (o->what == OP_LEAVE_IF)
		state_leaves(s, t, JOINED_LEFT);
	else
		s->phase[t] = 1;
	if (s->phase[t] && o->what == OP_EXIT_IF)
		s->record.marks |= MARK_EXIT;
}

/* main returns; another thread gives back what it holds, and ends. */
static void on_end(const struct program *p, struct state *s, unsigned t)
{
	unsigned k = mutex_of_ended(p, s, t);

	if (!t && s->ending[t] != GONE) {
		state_over(s, END_OK);
	} else if (k) {
		s->owner[k - 1] = s->count[k - 1] = 0;
		s->robust[k - 1] = DIED;
	} else if (s->cancel_async[t] && !s->cancel_off[t] && !s->phase[t]) {
		s->phase[t] = 1; /* without its cleanup from now on */
	} else {
		thread_ends(p, s, t);
	}
}

static void one_step(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	state_made(s, o);
	if (o->what == OP_END)
		on_end(p, s, t);
	else if (uses_destroyed(p, s, t, o))
		state_over(s, END_MISUSE);
	else if (is_destruction(o->what))
		state_on_destruction(p, s, t, o);
	else if (o->what <= OP_JOIN_TIMED)
		join(s, t, o);
	else if (o->what <= OP_ADD)
		on_memory(s, t, o);
	else if (o->what <= OP_SPIN_DESTROY)
		state_on_lock(p, s, t, o);
	else if (o->what <= OP_SEM_DESTROY)
		state_on_semaphore(p, s, t, o);
	else if (o->what <= OP_COND_DESTROY)
		state_on_condition(p, s, t, o);
	else if (o->what <= OP_BARRIER_DESTROY)
		state_on_barrier(p, s, t, o);
	else if (o->what == OP_ONCE)
		state_on_once(s, t);
	else if (o->what <= OP_FUTEX_WAKE_OP)
		state_on_futex(p, s, t, o);
	else if (o->what <= OP_NAMED_UNLINK)
		state_on_named(s, t, o);
	else if (o->what <= OP_HEAP_GROW)
		state_on_heap(p, s, t, o);
	else if (o->what <= OP_CHANNEL_COUNT)
		state_on_channel(p, s, t, o);
	else if (o->what <= OP_NUMBER_CLOSE)
		state_on_descriptor(p, s, t, o);
	else if (o->what <= OP_FLOCK_UNLOCK)
		state_on_flock(p, s, t, o);
	else if (o->what <= OP_STREAM_UNLOCK)
		state_on_lock(p, s, t, o);
	else if (o->what <= OP_SIGNAL_PENDING)
		state_on_signal(p, s, t, o);
	else if (o->what <= OP_CANCEL_TEST)
		state_on_sent(p, s, t, o);
	else if (o->what <= OP_FENCE)
		state_result(s, t, 0);
	else
		end_if(s, t, o);
}

/* The one that sends a signal is set for a shorter time. The main thread, which is there to the end, gets that. */
bool state_time(const struct program *p, struct state *s)
{
	if (s->over || !(s->alarm_set || s->timer_set))
		return false;
	if (s->alarm_set) {
		s->alarm_set = 0;
		s->alarmed = 1;
	} else {
		s->timer_set = 0;
		s->timer_out = 1;
	}
	settle(p, s);
	return true;
}

void state_step(const struct program *p, struct state *s, unsigned t)
{
	if (state_takes(p, s, t))
		state_take(p, s, t);
	else if (s->handling[t])
		state_handler(p, s, t);
	else if (s->ending[t] == CLEANS_UP)
		state_cleanup(p, s, t);
	else
		one_step(p, s, t, state_next(p, s, t));
	settle(p, s);
	if (!s->over && s->life[t] == RUNS && !s->phase[t])
		s->register_[t] = 0;
}
