/* SPDX-License-Identifier: MIT
 *
 * The steps of the model that are about channels, and about signals that all threads block.
 */
#include "model_steps.h"

#include <stddef.h>

static bool is_ready(const struct state *s, unsigned channel)
{
	return channel ? s->event : s->npipe || s->closed;
}

/* The one that thread t would get: its own before that of the process; NULL. */
static uint8_t *signal_for(struct state *s, unsigned t)
{
	return !t && s->pending[0] ? &s->pending[0] : s->pending[1] ? &s->pending[1] : NULL;
}

bool state_channel_allows(const struct state *s, unsigned t, const struct op *o)
{
	switch (o->what) {
	case OP_CHANNEL_GET:
		return is_ready(s, o->object);
	case OP_CHANNEL_EITHER:
		return is_ready(s, 0) || is_ready(s, 1);
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

	switch (o->what) {
	case OP_CHANNEL_PUT:
		state_result(s, t, put(s, o));
		break;
	case OP_CHANNEL_GET:
		state_result(s, t, get(p, s, o->object));
		break;
	case OP_CHANNEL_READY:
		state_result(s, t, is_ready(s, o->object));
		break;
	case OP_CHANNEL_EITHER:
		state_result(s, t, is_ready(s, 0) | (unsigned)is_ready(s, 1) << 1);
		break;
	case OP_CHANNEL_CLOSE:
		s->closed = 1;
		state_result(s, t, closed ? 9 : 0);
		break;
	default:
		state_result(s, t, s->npipe);
	}
}

void state_on_signal(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *mine = signal_for(s, t);
	bool any = mine != NULL;

	if (o->what == OP_SIGNAL_SEND) {
		s->pending[o->object] = 1; /* however often */
		state_result(s, t, 0);
		return;
	}
	if (any && o->what != OP_SIGNAL_PENDING)
		*mine = 0;
	state_result(s, t, o->what == OP_SIGNAL_WAIT || any);
}
