/* SPDX-License-Identifier: MIT
 *
 * Futexes in the model: two words, each with a queue.
 */
#include "model_steps.h"

#define ANY 3 /* the masks have two bits */

static bool waits(const struct op *o)
{
	return o->what == OP_FUTEX_WAIT || o->what == OP_FUTEX_TIMED || o->what == OP_FUTEX_WAIT_MASK;
}

bool state_futex_allows(const struct state *s, unsigned t, const struct op *o)
{
	return o->what == OP_FUTEX_TIMED || !waits(o) || !s->phase[t] || s->woken[t];
}

static void unqueue(struct state *s, unsigned q, unsigned at)
{
	for (s->nqueue[q]--; at < s->nqueue[q]; at++)
		s->queue[q][at] = s->queue[q][at + 1];
	s->queue[q][s->nqueue[q]] = 0;
}

/* To go on is a step only for those who might have left otherwise. */
static unsigned wake(const struct program *p, struct state *s, unsigned q, unsigned most, unsigned mask)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nqueue[q] && n < most;) {
		unsigned t = s->queue[q][i];

		if (!(s->mask[t] & mask)) {
			i++;
			continue;
		}
		unqueue(s, q, i);
		n++;
		if (state_next(p, s, t)->what != OP_FUTEX_TIMED && !is_sent(p))
			state_result(s, t, 0);
		else
			s->woken[t] = 1;
	}
	return n;
}

static unsigned move(struct state *s, unsigned from)
{
	unsigned n = 0;

	for (; s->nqueue[from]; n++) {
		s->queue[1 - from][s->nqueue[1 - from]++] = s->queue[from][0];
		unqueue(s, from, 0);
	}
	return n;
}

void futex_left(struct state *s, unsigned t)
{
	for (unsigned q = 0; q < 2; q++)
		for (unsigned i = 0; i < s->nqueue[q]; i++)
			if (s->queue[q][i] == t)
				unqueue(s, q, i);
}

/* It was woken, or its time is up. */
static void leave(struct state *s, unsigned t)
{
	futex_left(s, t);
	state_result(s, t, s->woken[t] ? 0 : 2);
	s->woken[t] = 0;
}

static void wait_on(struct state *s, unsigned t, const struct op *o)
{
	unsigned q = o->object & 1, expected = o->what == OP_FUTEX_WAIT_MASK ? 0 : o->value;

	if (s->phase[t]) {
		leave(s, t);
	} else if (s->futex[q] != expected) {
		state_result(s, t, 1);
	} else {
		s->queue[q][s->nqueue[q]++] = (uint8_t)t;
		s->mask[t] = o->what == OP_FUTEX_WAIT_MASK ? o->value : ANY;
		s->phase[t] = 1;
	}
}

/* The word, then the waiters of one, then, if the word was as given, those of the other. */
static void wake_op(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned q = o->object & 1;

	switch (s->phase[t]++) {
	case 0:
		s->register_[t] = s->futex[1 - q]++ == o->value ? 0x80 : 0;
		return;
	case 1:
		s->register_[t] = (uint8_t)(s->register_[t] + wake(p, s, q, 1, ANY));
		if (s->register_[t] & 0x80)
			return;
		break;
	default:
		s->register_[t] = (uint8_t)(s->register_[t] + wake(p, s, 1 - q, 1, ANY));
	}
	state_result(s, t, s->register_[t] & 0x7f);
}

void state_on_futex(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	unsigned q = o->object & 1, n;

	switch (o->what) {
	case OP_FUTEX_SET:
		s->futex[q] = o->value;
		state_result(s, t, 0);
		break;
	case OP_FUTEX_WAKE:
		n = wake(p, s, q, o->value, ANY);
		state_result(s, t, n);
		break;
	case OP_FUTEX_WAKE_MASK:
		n = wake(p, s, q, MOST_THREADS, o->value);
		state_result(s, t, n);
		break;
	case OP_FUTEX_REQUEUE:
		if (s->futex[q] != o->value) {
			state_result(s, t, 9);
			break;
		}
		/* fall through */
	case OP_FUTEX_MOVE:
		n = wake(p, s, q, 1, ANY);
		state_result(s, t, n + move(s, q));
		break;
	case OP_FUTEX_WAKE_OP:
		wake_op(p, s, t, o);
		break;
	default:
		wait_on(s, t, o);
	}
}
