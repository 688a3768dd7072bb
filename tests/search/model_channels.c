/* SPDX-License-Identifier: MIT
 *
 * The steps of the model that are about channels, locks of files, and signals that all threads block.
 */
#include "model_steps.h"

#include <stddef.h>

bool channel_is_ready(const struct state *s, unsigned channel)
{
	return channel ? s->event : s->npipe || s->closed;
}

/* The one that thread t would get: its own before that of the process; NULL. */
static uint8_t *signal_for(struct state *s, unsigned t)
{
	return !t && s->pending[0] ? &s->pending[0] : s->pending[1] ? &s->pending[1] : NULL;
}

bool state_channel_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	if (is_sent(p) && !s->phase[t] && o->what != OP_SIGNAL_WAIT)
		return true;
	switch (o->what) {
	case OP_CHANNEL_GET:
		return channel_is_ready(s, o->object);
	case OP_CHANNEL_EITHER:
		return channel_is_ready(s, 0) || channel_is_ready(s, 1);
	default:
		return s->pending[1] || (!t && s->pending[0]);
	}
}

static unsigned get(const struct program *p, struct state *s, unsigned channel)
{
	unsigned first = channel ? s->event : s->pipe[0];

	if (channel && p->event_counts) {
		s->event = 0;
		return first;
	}
	if (channel) {
		s->event--;
		return 1;
	}
	if (!s->npipe)
		return 8;
	s->npipe--;
	for (unsigned i = 0; i < s->npipe; i++)
		s->pipe[i] = s->pipe[i + 1];
	s->pipe[s->npipe] = 0;
	return first;
}

static unsigned put(struct state *s, const struct op *o)
{
	if (o->object)
		s->event++;
	else if (s->closed)
		return 9;
	else
		s->pipe[s->npipe++] = (uint8_t)(o->value + 1);
	return 0;
}

void state_on_channel(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned closed = s->closed;

	if (o->what <= OP_CHANNEL_EITHER && state_before_call(p, s, t))
		return;
	switch (o->what) {
	case OP_CHANNEL_PUT:
		state_result(s, t, put(s, o));
		break;
	case OP_CHANNEL_GET:
		state_result(s, t, get(p, s, o->object));
		break;
	case OP_CHANNEL_READY:
		state_result(s, t, channel_is_ready(s, o->object));
		break;
	case OP_CHANNEL_EITHER:
		state_result(s, t, channel_is_ready(s, 0) | (unsigned)channel_is_ready(s, 1) << 1);
		break;
	case OP_CHANNEL_CLOSE:
		s->closed = 1;
		state_result(s, t, closed ? 9 : 0);
		break;
	default:
		state_result(s, t, s->npipe);
	}
}

void state_on_signal(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	uint8_t *mine = signal_for(s, t);
	bool any = mine != NULL;

	if (o->what == OP_SIGNAL_TIMED && state_before_call(p, s, t))
		return;
	if (o->what == OP_SIGNAL_SEND) {
		s->pending[o->object] = 1; /* however often */
		state_result(s, t, 0);
		return;
	}
	if (any && o->what != OP_SIGNAL_PENDING)
		*mine = 0;
	state_result(s, t, o->what == OP_SIGNAL_WAIT || any);
}

/* As the kernel does it: what is held as another kind is given back first. */
static bool gives_back(const struct state *s, unsigned t, const struct op *o)
{
	return s->flock[t] && s->flock[t] != o->value + 1;
}

static bool may_lock(const struct state *s, unsigned t, const struct op *o)
{
	for (unsigned i = 0; i < MOST_THREADS; i++)
		if (i != t && s->flock[i] && (o->value || s->flock[i] == 2))
			return false;
	return true;
}

bool state_flock_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	return o->what != OP_FLOCK || gives_back(s, t, o) || (is_sent(p) && !s->phase[t]) ||
	       may_lock(s, t, o);
}

void state_on_flock(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	if (o->what == OP_FLOCK_UNLOCK) {
		s->flock[t] = 0;
		state_result(s, t, 0);
	} else if (gives_back(s, t, o)) {
		s->flock[t] = 0;
	} else if (o->what == OP_FLOCK && state_before_call(p, s, t)) {
		return;
	} else if (!may_lock(s, t, o)) {
		state_result(s, t, 1);
	} else {
		s->flock[t] = o->value + 1;
		state_result(s, t, 0);
	}
}
