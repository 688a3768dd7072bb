/* SPDX-License-Identifier: MIT */
#include "segments.h"
#include "segments_private.h"

static void await(struct writer *w)
{
	unsigned top = write_here(w), x = draw(w->random, 4) ? draw_datum(w) : FLAG;

	write_load(w, 2, x);
	write_pause(w);
	write_until(w, top);
}

static void await_two(struct writer *w)
{
	unsigned top = write_here(w), out;

	write_load(w, 2, X0);
	write_load(w, 3, draw(w->random, 2) ? X1 : FLAG);
	write_pause(w);
	if (draw(w->random, 2)) { /* either */
		out = write_jump_if(w, OP_JUMP_NE, 2, 0, 0);
		write_jump_if(w, OP_JUMP_EQ, 3, 0, top);
		write_land(w, out);
	} else {
		write_jump_if(w, OP_JUMP_EQ, 3, 0, top);
	}
}

static void poll_locked(struct writer *w)
{
	unsigned top = write_here(w), m = M0 + draw_datum(w);

	write_lock(w, m);
	write_load(w, 2, draw(w->random, 3) ? draw_datum(w) : FLAG);
	write_unlock(w, m);
	write_pause(w);
	write_until(w, top);
}

static void poll_writing(struct writer *w)
{
	unsigned top = write_here(w), x = draw(w->random, 2) ? draw_datum(w) : FLAG;

	if (draw(w->random, 2)) {
		write_add(w, 2, x, 0);
		write_pause(w);
		write_until(w, top);
	} else {
		unsigned n = draw(w->random, 3);

		write_access(w, OP_CAS, 2, x, constant(n),
			     constant(draw(w->random, 2) ? n : draw(w->random, 3)));
		write_pause(w);
		write_jump_if(w, OP_JUMP_EQ, 2, 0, top);
	}
}

/* Counts in r5 down from two or three. */
static unsigned count_from(struct writer *w)
{
	write_local(w, OP_SET, 5, constant(2 + draw(w->random, 2)), constant(0));
	return write_here(w);
}

static void count(struct writer *w, unsigned top)
{
	write_local(w, OP_SUM, 5, reg(5), constant(MODULUS - 1));
	write_jump_if(w, OP_JUMP_NE, 5, 0, top);
}

static void counted(struct writer *w)
{
	unsigned x = draw(w->random, 2) ? draw_datum(w) : FLAG, top = count_from(w), out;

	write_load(w, 2, x);
	out = write_jump_if(w, OP_JUMP_NE, 2, 0, 0);
	write_pause(w);
	count(w, top);
	write_land(w, out);
}

static void counted_try(struct writer *w)
{
	unsigned m = M0 + draw_datum(w), top, failed, next;

	write_local(w, OP_SET, 3, constant(0), constant(0));
	top = count_from(w);
	write_try(w, 0, m);
	failed = write_jump_if(w, OP_JUMP_EQ, 0, 0, 0);
	write_unlock(w, m);
	next = write_jump(w, 0);
	write_land(w, failed);
	write_local(w, OP_SUM, 3, reg(3), constant(1));
	write_land(w, next);
	write_pause(w);
	count(w, top);
}

static void toggle(struct writer *w)
{
	unsigned x = draw_datum(w), top = write_here(w);

	write_add(w, NO_REGISTER, x, 1);
	if (draw(w->random, 2))
		write_load(w, 2, 1 - x);
	write_add(w, NO_REGISTER, x, MODULUS - 1);
	write_pause(w);
	write_load(w, 2, draw(w->random, 2) ? FLAG : 1 - x);
	write_jump_if(w, OP_JUMP_EQ, 2, 0, top);
}

/* Says in each round that it looks. */
static void announce(struct writer *w)
{
	unsigned own = w->who % 2 ? X1 : X0, top = write_here(w);

	write_store(w, own, constant(1));
	write_load(w, 2, draw(w->random, 2) ? FLAG : 1 - own);
	if (draw(w->random, 2))
		write_store(w, own, constant(0));
	write_pause(w);
	write_jump_if(w, OP_JUMP_EQ, 2, 0, top);
}

static void worker(struct writer *w)
{
	unsigned x = draw_datum(w), top = write_here(w), out;

	write_load(w, 0, FLAG);
	out = write_jump_if(w, OP_JUMP_NE, 0, 0, 0);
	switch (draw(w->random, 4)) {
	case 0:
		write_access(w, OP_EXCHANGE, 2, x, constant(1), constant(0));
		break;
	case 1:
		write_lock(w, M0);
		write_load(w, 2, x);
		write_unlock(w, M0);
		break;
	case 2:
		write_try(w, 1, M0);
		{
			unsigned failed = write_jump_if(w, OP_JUMP_EQ, 1, 0, 0);

			write_load(w, 2, x);
			write_unlock(w, M0);
			write_land(w, failed);
		}
		break;
	case 3:
		write_add(w, NO_REGISTER, x, 1);
		break;
	}
	write_pause(w);
	write_jump(w, top);
	write_land(w, out);
}

static void handshake(struct writer *w)
{
	unsigned x = draw_datum(w), top;
	bool first = draw(w->random, 2);

	if (first)
		write_store(w, x, constant(1));
	top = write_here(w);
	write_load(w, 2, 1 - x);
	write_pause(w);
	write_jump_if(w, OP_JUMP_EQ, 2, 0, top);
	if (!first)
		write_store(w, x, constant(1));
}

static void nested(struct writer *w)
{
	unsigned x = draw_datum(w), top = write_here(w), inner = write_here(w);

	write_load(w, 0, draw(w->random, 2) ? SPIN_LOCK : FLAG);
	write_pause(w);
	write_jump_if(w, OP_JUMP_NE, 0, 0, inner);
	switch (draw(w->random, 3)) {
	case 0:
		write_load(w, 2, x);
		break;
	case 1:
		write_lock(w, M0);
		write_load(w, 2, x);
		write_unlock(w, M0);
		break;
	case 2:
		write_access(w, OP_EXCHANGE, 2, x, constant(1), constant(0));
		break;
	}
	write_until(w, top);
}

static void any(struct writer *w)
{
	for (unsigned k = 1 + draw(w->random, 2); k--;)
		write_any(w, draw_datum(w));
}

static void assertion(struct writer *w)
{
	if (w->thread->n == 0 || draw(w->random, 2))
		write_load(w, 2, draw_datum(w));
	write_test(w, draw(w->random, 4) ? OP_ASSERT_NE : OP_ASSERT_EQ, reg(2),
		   constant(draw(w->random, 3)), 0);
}

static const char *const names[SEGMENTS] = {
	[SEGMENT_ANY] = "any",
	[SEGMENT_SET_FLAG] = "set-flag",
	[SEGMENT_ASSERT] = "assert",
	[SEGMENT_LOCKED] = "locked",
	[SEGMENT_TRY_ONCE] = "try-once",
	[SEGMENT_AWAIT] = "await",
	[SEGMENT_AWAIT_TWO] = "await-two",
	[SEGMENT_TAS] = "tas",
	[SEGMENT_TTAS] = "ttas",
	[SEGMENT_TICKET] = "ticket",
	[SEGMENT_POLL_LOCKED] = "poll-locked",
	[SEGMENT_POLL_WRITING] = "poll-writing",
	[SEGMENT_BACK_OFF] = "back-off",
	[SEGMENT_GROWING_BACK_OFF] = "growing-back-off",
	[SEGMENT_INCREMENT] = "increment",
	[SEGMENT_COUNTED] = "counted",
	[SEGMENT_COUNTED_TRY] = "counted-try",
	[SEGMENT_TOGGLE] = "toggle",
	[SEGMENT_ANNOUNCE] = "announce",
	[SEGMENT_WORKER] = "worker",
	[SEGMENT_STATISTICS] = "statistics",
	[SEGMENT_SEQLOCK_READ] = "seqlock-read",
	[SEGMENT_SEQLOCK_WRITE] = "seqlock-write",
	[SEGMENT_HANDSHAKE] = "handshake",
	[SEGMENT_NESTED] = "nested",
};

const char *segment_name(unsigned segment)
{
	return names[segment];
}

static void set_flag(struct writer *w)
{
	write_store(w, draw_slip(w) ? DATA : FLAG, constant(1));
}

void write_segment(struct writer *w, unsigned segment)
{
	static void (*const writers[SEGMENTS])(struct writer *) = {
		[SEGMENT_ANY] = any,
		[SEGMENT_SET_FLAG] = set_flag,
		[SEGMENT_ASSERT] = assertion,
		[SEGMENT_LOCKED] = segment_locked,
		[SEGMENT_TRY_ONCE] = segment_try_once,
		[SEGMENT_AWAIT] = await,
		[SEGMENT_AWAIT_TWO] = await_two,
		[SEGMENT_TAS] = segment_test_and_set,
		[SEGMENT_TTAS] = segment_test_test_and_set,
		[SEGMENT_TICKET] = segment_ticket,
		[SEGMENT_POLL_LOCKED] = poll_locked,
		[SEGMENT_POLL_WRITING] = poll_writing,
		[SEGMENT_BACK_OFF] = segment_back_off,
		[SEGMENT_GROWING_BACK_OFF] = segment_growing_back_off,
		[SEGMENT_INCREMENT] = segment_increment,
		[SEGMENT_COUNTED] = counted,
		[SEGMENT_COUNTED_TRY] = counted_try,
		[SEGMENT_TOGGLE] = toggle,
		[SEGMENT_ANNOUNCE] = announce,
		[SEGMENT_WORKER] = worker,
		[SEGMENT_STATISTICS] = segment_statistics,
		[SEGMENT_SEQLOCK_READ] = segment_seqlock_read,
		[SEGMENT_SEQLOCK_WRITE] = segment_seqlock_write,
		[SEGMENT_HANDSHAKE] = handshake,
		[SEGMENT_NESTED] = nested,
	};

	writers[segment](w);
}

/* May the thread jump back to `top` without taking a mutex twice or giving back one that it has
 * not? Only if what lies between locks as often as it unlocks. */
static bool balanced(const struct thread *t, unsigned top)
{
	int held = 0;

	for (unsigned k = top; k < t->n && held >= 0; k++)
		held += (t->code[k].op == OP_LOCK) - (t->code[k].op == OP_UNLOCK);
	return held == 0;
}

void write_wild(struct writer *w, unsigned n)
{
	unsigned accesses[MOST_CODE], done = 0;
	bool held = false;

	while (done < n) {
		accesses[done++] = write_here(w);
		if (draw(w->random, 9) == 0) {
			held ? write_unlock(w, M0) : write_lock(w, M0);
			held = !held;
		} else {
			write_any(w, draw(w->random, 3));
		}
		if (draw(w->random, 3) == 0 && !held) {
			unsigned back = draw(w->random, done < 3 ? done : 3);
			unsigned top = accesses[done - 1 - back];

			write_pause(w);
			if (balanced(w->thread, top))
				write_jump_if(w, draw_test(w), 2 + draw(w->random, 2),
					      draw(w->random, 2), top);
		}
	}
	if (held)
		write_unlock(w, M0);
}
