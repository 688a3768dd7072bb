/* SPDX-License-Identifier: MIT
 *
 * Locks in the model: mutexes, read-write locks, spin locks, and those of streams.
 */
#include "model_steps.h"

void mutex_release(struct state *s, unsigned k)
{
	s->owner[k] = s->count[k] = 0;
	if (s->robust[k] == DIED)
		s->robust[k] = LOST; /* nobody has said that it is consistent */
}

unsigned mutex_of_ended(const struct program *p, const struct state *s, unsigned t)
{
	for (unsigned k = 0; k < 2; k++)
		if (p->mutex_type[k] == ROBUST && s->owner[k] == t + 1)
			return k + 1;
	return 0;
}

/* What a thread finds out by itself: it holds the lock, or it does not. */
bool state_lock_local(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	uint8_t k = o->object & 1, me = (uint8_t)(t + 1), type = p->mutex_type[k];

	switch (o->what) {
	case OP_MUTEX_LOCK:
	case OP_MUTEX_TRY:
	case OP_MUTEX_TIMED:
		return s->owner[k] == me && (type == RECURSIVE || type == ERROR_CHECKING);
	case OP_MUTEX_UNLOCK:
		return type == ERROR_CHECKING ? s->owner[k] != me : !s->held[k][t] || s->count[k] > 1;
	case OP_MUTEX_CONSISTENT:
		return true;
	case OP_RW_UNLOCK:
		return !s->rheld[t];
	case OP_SPIN_UNLOCK:
		return !s->spin_held[t];
	case OP_STREAM_LOCK:
	case OP_STREAM_TRY:
		return s->stream == me;
	case OP_STREAM_UNLOCK:
		return s->stream != me || s->stream_count > 1;
	default:
		return o->what >= OP_RW_READ && o->what <= OP_RW_TIMED_WRITE && s->writer == me;
	}
}

bool state_lock_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_MUTEX_LOCK:
		return !s->owner[o->object & 1];
	case OP_RW_READ:
		return !s->writer && !s->coming;
	case OP_RW_WRITE:
		return (p->writers_first && !s->phase[t]) || (!s->writer && !s->readers);
	case OP_SPIN_LOCK:
		return !s->spin;
	case OP_STREAM_LOCK:
		return !s->stream;
	default:
		return true;
	}
}

static void mutex_unlock(const struct program *p, struct state *s, unsigned t, unsigned k)
{
	if (!s->held[k][t] && p->mutex_type[k] != ERROR_CHECKING) {
		state_result(s, t, 9);
	} else if (s->owner[k] != t + 1) {
		state_result(s, t, 1);
	} else {
		if (--s->count[k] == 0)
			mutex_release(s, k);
		--s->held[k][t];
		state_result(s, t, 0);
	}
}

static void on_mutex(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	uint8_t k = o->object & 1, me = (uint8_t)(t + 1);
	bool mine = s->owner[k] == me;

	switch (o->what) {
	case OP_MUTEX_INIT:
		s->owner[k] = s->count[k] = s->robust[k] = 0;
		state_result(s, t, 0);
		return;
	case OP_MUTEX_CONSISTENT:
		state_result(s, t, mine && s->robust[k] == DIED ? 0 : 9);
		if (mine && s->robust[k] == DIED)
			s->robust[k] = CONSISTENT;
		return;
	case OP_MUTEX_UNLOCK:
		mutex_unlock(p, s, t, k);
		return;
	default:
		break;
	}
	if (s->robust[k] == LOST) {
		state_result(s, t, NOT_RECOVERABLE);
	} else if (!s->owner[k] || (mine && p->mutex_type[k] == RECURSIVE)) {
		s->owner[k] = me;
		++s->count[k];
		++s->held[k][t];
		state_result(s, t, s->robust[k] == DIED ? OWNER_DIED : 0);
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

/* Who holds it may take it again. */
static void on_stream(struct state *s, unsigned t, const struct op *o)
{
	bool mine = s->stream == t + 1, done = o->what == OP_STREAM_UNLOCK ? mine : mine || !s->stream;

	if (!done) {
		state_result(s, t, o->what == OP_STREAM_UNLOCK ? 9 : 1);
		return;
	}
	if (o->what != OP_STREAM_UNLOCK)
		s->stream_count++;
	else
		s->stream_count--;
	s->stream = s->stream_count ? (uint8_t)(t + 1) : 0;
	state_result(s, t, 0);
}

void state_on_lock(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	if (o->what <= OP_MUTEX_DESTROY)
		on_mutex(p, s, t, o);
	else if (o->what <= OP_RW_DESTROY)
		on_rwlock(p, s, t, o);
	else if (o->what <= OP_SPIN_DESTROY)
		on_spin(s, t, o);
	else
		on_stream(s, t, o);
}
