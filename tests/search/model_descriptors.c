/* SPDX-License-Identifier: MIT
 *
 * Timers that are descriptors, epoll, and the numbers of descriptors, in the model.
 */
#include "model_steps.h"

enum watched { NOT_WATCHED = 0, WATCHED, ONCE, ONCE_OVER };

/* The channels that epoll would report. */
static unsigned reported(const struct state *s)
{
	unsigned set = 0;

	for (unsigned i = 0; i < 2; i++)
		if ((s->watched[i] == WATCHED || s->watched[i] == ONCE) && channel_is_ready(s, i))
			set |= 1U << i;
	return set;
}

bool state_descriptor_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o)
{
	if (is_sent(p) && !s->phase[t])
		return true;
	if (o->what == OP_EPOLL_WAIT)
		return !o->value || reported(s);
	return o->what != OP_TIMER_GET || s->timer_out;
}

static void on_timer(struct state *s, unsigned t, const struct op *o)
{
	s->timer_out = 0;
	if (o->what == OP_TIMER_SET)
		s->timer_set = o->value;
	state_result(s, t, o->what == OP_TIMER_GET);
}

static void on_epoll(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *watched = &s->watched[o->object];
	unsigned set = reported(s);

	if (o->what == OP_EPOLL_WAIT) {
		for (unsigned i = 0; i < 2; i++)
			if (set >> i & 1 && s->watched[i] == ONCE)
				s->watched[i] = ONCE_OVER;
		state_result(s, t, set);
	} else if ((*watched == NOT_WATCHED) != (o->what == OP_EPOLL_ADD)) {
		state_result(s, t, 9);
	} else {
		*watched = o->what == OP_EPOLL_DEL ? NOT_WATCHED : o->value ? ONCE : WATCHED;
		state_result(s, t, 0);
	}
}

static uint8_t lowest_free(struct state *s)
{
	uint8_t n = 0;

	while (s->number[n])
		n++;
	s->number[n] = 1;
	return n;
}

static void on_number(struct state *s, unsigned t, const struct op *o)
{
	uint8_t *number = &s->number[o->object + 2 * o->value];
	unsigned n = o->object + 2U * o->value;

	switch (o->what) {
	case OP_NUMBER_DUP:
		n = lowest_free(s);
		break;
	case OP_NUMBER_PIPE:
		n = lowest_free(s);
		lowest_free(s);
		break;
	case OP_NUMBER_TAKE:
		*number = 1;
		break;
	default:
		n = *number ? 0 : 9;
		*number = 0;
	}
	state_result(s, t, n);
}

void state_on_descriptor(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	if ((o->what == OP_TIMER_GET || o->what == OP_EPOLL_WAIT) && state_before_call(p, s, t))
		return;
	if (o->what <= OP_TIMER_GET)
		on_timer(s, t, o);
	else if (o->what <= OP_EPOLL_WAIT)
		on_epoll(s, t, o);
	else
		on_number(s, t, o);
}
