/* SPDX-License-Identifier: MIT
 *
 * What threads send to each other, in the model: signals that have a handler, and cancellation. Whoever gets one
 * takes it instead of what he would have done next.
 */
#include "model_steps.h"

/* Phases of sigsuspend. */
enum { SUSPENDED = 1, WAS_SUSPENDED };

/* Could another thread send one, or one wait? Then it may also come before a call, and before a thread ends. */
bool is_sent(const struct program *p)
{
	return program_has(p, OP_KILL, OP_KILL) || program_has(p, OP_PAUSE, OP_ALARM);
}

bool has_cancel(const struct program *p)
{
	return program_has(p, OP_CANCEL, OP_CANCEL_TEST);
}

/* Calls that a handler interrupts, and that are cancellation points; of a condition only the latter. */
static bool may_wait(const struct op *o)
{
	return o->what == OP_SEM_WAIT || o->what == OP_SEM_TIMED || o->what == OP_SIGNAL_TIMED ||
	       (o->what >= OP_CHANNEL_PUT && o->what <= OP_CHANNEL_EITHER) || o->what == OP_TIMER_GET ||
	       o->what == OP_EPOLL_WAIT || o->what == OP_PAUSE || o->what == OP_SUSPEND;
}

static bool is_point(const struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_COND_WAIT || o->what == OP_COND_TIMED)
		return s->phase[t] < 2;
	if (o->what == OP_SUSPEND)
		return s->phase[t] == SUSPENDED;
	return may_wait(o) || o->what == OP_JOIN || o->what == OP_JOIN_TIMED || o->what == OP_SIGNAL_WAIT ||
	       o->what == OP_CHANNEL_CLOSE || o->what == OP_NUMBER_CLOSE || o->what == OP_CANCEL_TEST;
}

static bool is_cancelled(const struct program *p, const struct state *s, unsigned t)
{
	return s->cancelled[t] && !s->cancel_off[t] && !s->ending[t] &&
	       (s->cancel_async[t] || (!s->handling[t] && is_point(s, t, state_next(p, s, t))));
}

static bool is_futex_wait(const struct op *o)
{
	return o->what == OP_FUTEX_WAIT || o->what == OP_FUTEX_TIMED || o->what == OP_FUTEX_WAIT_MASK;
}

bool state_takes(const struct program *p, const struct state *s, unsigned t)
{
	return s->life[t] == RUNS &&
	       (is_cancelled(p, s, t) || (s->killed[t] && !s->masked[t] && !s->handling[t]) || (s->alarmed && !t));
}

/* Not of one that has found before its call that it need not wait. */
static bool is_interrupted(const struct program *p, const struct state *s, unsigned t)
{
	const struct op *o = state_next(p, s, t);

	if (!s->phase[t])
		return false;
	if (p->restarts && (o->what == OP_SEM_WAIT || o->what == OP_CHANNEL_PUT || o->what == OP_CHANNEL_GET ||
			    o->what == OP_TIMER_GET || o->what == OP_FLOCK))
		return false;
	return may_wait(o) || o->what == OP_FLOCK || is_futex_wait(o) || (o->what >= OP_KILL && o->what <= OP_MASK);
}

void state_leaves(struct state *s, unsigned t, uint8_t retval)
{
	s->ending[t] = CLEANS_UP;
	s->cancel_off[t] = 1;
	s->retval[t] = retval;
	s->handling[t] = s->interrupted[t] = s->phase[t] = 0;
}

void state_take(const struct program *p, struct state *s, unsigned t)
{
	if (!is_cancelled(p, s, t)) {
		*(s->alarmed && !t ? &s->alarmed : &s->killed[t]) = 0;
		s->handling[t] = 1;
		s->interrupted[t] = is_interrupted(p, s, t);
		futex_left(s, t);
	} else if (state_next(p, s, t)->what >= OP_COND_WAIT && state_next(p, s, t)->what <= OP_COND_TIMED &&
		   s->phase[t] == 1) {
		condition_left(s, t); /* and takes the mutex first */
		s->ending[t] = LOCKS_FIRST;
		s->phase[t] = 2;
	} else {
		bool without = state_next(p, s, t)->what == OP_END && s->phase[t];

		state_leaves(s, t, JOINED_CANCELLED);
		s->ending[t] = without ? GONE : CLEANS_UP;
	}
}

bool state_before_call(const struct program *p, struct state *s, unsigned t)
{
	return is_sent(p) && !s->phase[t]++;
}

/* What an interrupted call returns; others go on as if nothing had been. */
static unsigned interrupted(struct state *s, unsigned t, const struct op *o)
{
	bool woken = s->woken[t];

	s->woken[t] = 0;
	switch (o->what) {
	case OP_FUTEX_WAIT:
	case OP_FUTEX_TIMED:
	case OP_FUTEX_WAIT_MASK:
		return !woken;
	case OP_SEM_WAIT:
	case OP_SEM_TIMED:
	case OP_FLOCK:
		return 1;
	case OP_CHANNEL_READY:
	case OP_EPOLL_WAIT:
		return 7;
	case OP_TIMER_GET:
	case OP_CHANNEL_PUT:
	case OP_CHANNEL_GET:
		return 9;
	default:
		return 0;
	}
}

void state_handler(const struct program *p, struct state *s, unsigned t)
{
	const struct op *o = state_next(p, s, t);
	bool over = s->interrupted[t];

	s->value[1]++;
	s->handling[t] = s->interrupted[t] = 0;
	if (over && p->restarts && is_futex_wait(o) && o->what != OP_FUTEX_TIMED && !s->woken[t])
		s->phase[t] = 0; /* it looks at the word again */
	else if (over && o->what == OP_SUSPEND)
		s->phase[t] = WAS_SUSPENDED;
	else if (over)
		state_result(s, t, interrupted(s, t, o));
}

void state_cleanup(const struct program *p, struct state *s, unsigned t)
{
	s->value[1]++;
	s->ending[t] = GONE;
	s->pc[t] = p->n[t];
}

bool state_sent_allows(const struct state *s, unsigned t, const struct op *o)
{
	return (o->what != OP_PAUSE || !s->phase[t]) && (o->what != OP_SUSPEND || s->phase[t] != SUSPENDED);
}

bool state_sent_local(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_RAISE:
		return !s->phase[t];
	case OP_KILL:
		return o->object % p->nthreads == t && !s->phase[t];
	case OP_CANCEL_STATE:
	case OP_CANCEL_TYPE:
		return !s->cancel_async[t] || s->cancel_off[t];
	case OP_CANCEL_TEST:
		return s->cancel_off[t];
	case OP_MASK:
		return !s->phase[t] && !is_sent(p);
	default:
		return false;
	}
}

static unsigned send(struct state *s, unsigned to, uint8_t *what)
{
	if (s->joined[to])
		return 1;
	if (s->life[to] == RUNS)
		what[to] = 1;
	return 0;
}

static void set_cancel(struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_CANCEL_STATE)
		s->cancel_off[t] = o->value;
	else
		s->cancel_async[t] = o->value;
	state_result(s, t, 0);
	if (s->cancelled[t] && s->cancel_async[t] && !s->cancel_off[t]) {
		s->record.result[t][s->pc[t] - 1] = 0; /* it has not returned */
		state_leaves(s, t, JOINED_CANCELLED);
	}
}

/* Before the call returns the handler has run, unless it is blocked. */
static void send_itself(struct state *s, unsigned t)
{
	s->killed[t] = 1;
	if (s->masked[t])
		state_result(s, t, 0);
	else
		s->phase[t] = 1;
}

static void set_mask(struct state *s, unsigned t, const struct op *o)
{
	s->masked[t] = o->value;
	if (s->killed[t] && !s->masked[t])
		s->phase[t] = 1;
	else
		state_result(s, t, 0);
}

/* The mask is another one until a handler has run. */
static void suspend(struct state *s, unsigned t, const struct op *o)
{
	if (s->phase[t]) {
		s->masked[t] = s->suspended[t];
		s->suspended[t] = 0;
		state_result(s, t, 0);
		return;
	}
	s->suspended[t] = s->masked[t];
	s->masked[t] = o->value;
	s->phase[t] = SUSPENDED;
}

static void cancel(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned to = o->object % p->nthreads, r = send(s, to, s->cancelled);

	if (to == t && s->cancel_async[t] && !s->cancel_off[t])
		state_leaves(s, t, JOINED_CANCELLED);
	else
		state_result(s, t, r);
}

void state_on_sent(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned to = o->object % p->nthreads;

	switch (o->what) {
	case OP_KILL:
		if (to != t)
			state_result(s, t, send(s, to, s->killed));
		else
			send_itself(s, t);
		break;
	case OP_RAISE:
		send_itself(s, t);
		break;
	case OP_MASK:
		set_mask(s, t, o);
		break;
	case OP_PAUSE:
		state_before_call(p, s, t);
		break;
	case OP_SUSPEND:
		suspend(s, t, o);
		break;
	case OP_ALARM:
		state_result(s, t, s->alarm_set);
		s->alarm_set = o->value;
		break;
	case OP_CANCEL:
		cancel(p, s, t, o);
		break;
	case OP_CANCEL_STATE:
	case OP_CANCEL_TYPE:
		set_cancel(s, t, o);
		break;
	default:
		state_result(s, t, 0);
	}
}
