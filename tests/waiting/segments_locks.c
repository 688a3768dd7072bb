/* SPDX-License-Identifier: MIT
 *
 * Locks made of atomic operations, mutexes that are tried, and what is tried again if it failed.
 */
#include "segments_private.h"

static void free_spin_lock(struct writer *w)
{
	if (!draw_slip(w))
		write_store(w, draw(w->random, 16) ? SPIN_LOCK : FLAG, constant(0));
}

void segment_test_and_set(struct writer *w)
{
	unsigned top = write_here(w);

	write_access(w, OP_EXCHANGE, 0, SPIN_LOCK, constant(1), constant(0));
	write_pause(w);
	write_jump_if(w, OP_JUMP_NE, 0, 0, top);
	write_any(w, draw_datum(w));
	free_spin_lock(w);
}

void segment_test_test_and_set(struct writer *w)
{
	unsigned top = write_here(w);

	write_load(w, 0, SPIN_LOCK);
	write_pause(w);
	write_jump_if(w, OP_JUMP_NE, 0, 0, top);
	if (draw(w->random, 2)) {
		write_access(w, OP_CAS, 0, SPIN_LOCK, constant(0), constant(1));
		write_jump_if(w, OP_JUMP_EQ, 0, 0, top);
	} else {
		write_access(w, OP_EXCHANGE, 0, SPIN_LOCK, constant(1), constant(0));
		write_jump_if(w, OP_JUMP_NE, 0, 0, top);
	}
	write_any(w, draw_datum(w));
	free_spin_lock(w);
}

void segment_ticket(struct writer *w)
{
	unsigned top;

	write_add(w, 0, DATA, 1);
	top = write_here(w);
	write_load(w, 1, TURN);
	write_pause(w);
	write_test(w, OP_JUMP_NE, reg(1), reg(0), top);
	write_any(w, draw_datum(w));
	write_local(w, OP_SUM, 0, reg(0), constant(draw_slip(w) ? 2 : 1));
	write_store(w, TURN, reg(0));
}

void segment_locked(struct writer *w)
{
	unsigned m = M0 + draw_datum(w);

	write_lock(w, m);
	write_any(w, draw_datum(w));
	if (!draw(w->random, 3))
		write_any(w, draw_datum(w));
	if (!draw_slip(w))
		write_unlock(w, m);
}

void segment_try_once(struct writer *w)
{
	unsigned m = M0 + draw_datum(w), failed;

	write_try(w, 3, m);
	failed = write_jump_if(w, OP_JUMP_EQ, 3, 0, 0);
	write_any(w, draw_datum(w));
	write_unlock(w, m);
	write_land(w, failed);
}

/* Takes one mutex, tries one or two others; gives all back and starts again if one is taken. */
void segment_back_off(struct writer *w)
{
	unsigned n = 1 + draw(w->random, 3), first = draw(w->random, 3), top = write_here(w);
	unsigned failed[3], m[3], out;
	bool down = draw(w->random, 2);

	for (unsigned k = 0; k < n; k++) {
		m[k] = M0 + (first + (down ? 3 - k : k)) % 3;
		if (k == 0 && n > 1) {
			write_lock(w, m[0]);
			continue;
		}
		write_try(w, 0, m[k]);
		failed[k] = write_jump_if(w, OP_JUMP_EQ, 0, 0, 0);
	}
	write_any(w, draw_datum(w));
	for (unsigned k = n; k-- > 0;)
		if (!draw_slip(w))
			write_unlock(w, m[k]);
	out = write_jump(w, 0);
	for (unsigned k = n; k-- > 0;) {
		if (k > 0 || n == 1)
			write_land(w, failed[k]);
		if (k > 0)
			write_unlock(w, m[k - 1]);
	}
	write_pause(w);
	write_jump(w, top);
	write_land(w, out);
}

void segment_growing_back_off(struct writer *w)
{
	unsigned top, got;

	write_local(w, OP_SET, 5, constant(1), constant(0));
	top = write_here(w);
	write_try(w, 0, M0);
	got = write_jump_if(w, OP_JUMP_NE, 0, 0, 0);
	write_pause(w);
	write_local(w, OP_SUM, 5, reg(5), draw(w->random, 2) ? reg(5) : constant(1));
	write_jump(w, top);
	write_land(w, got);
	write_any(w, draw_datum(w));
	if (!draw_slip(w))
		write_unlock(w, M0);
}

void segment_statistics(struct writer *w)
{
	unsigned top = write_here(w), got;

	write_access(w, OP_EXCHANGE, 0, SPIN_LOCK, constant(1), constant(0));
	got = write_jump_if(w, OP_JUMP_EQ, 0, 0, 0);
	write_add(w, NO_REGISTER, TURN, 1);
	write_pause(w);
	write_jump(w, top);
	write_land(w, got);
	write_any(w, draw_datum(w));
	free_spin_lock(w);
}

void segment_increment(struct writer *w)
{
	unsigned x = draw_datum(w), top = write_here(w);

	write_load(w, 0, x);
	write_local(w, OP_SUM, 1, reg(0), constant(1));
	write_access(w, OP_CAS, 4, x, reg(0), reg(1));
	write_jump_if(w, OP_JUMP_EQ, 4, 0, top);
}

void segment_seqlock_read(struct writer *w)
{
	unsigned top = write_here(w);

	write_load(w, 0, TURN);
	write_jump_if(w, OP_JUMP_EQ, 0, 1, top);
	write_jump_if(w, OP_JUMP_EQ, 0, 3, top);
	write_load(w, 2, X0);
	write_load(w, 3, X1);
	write_load(w, 1, TURN);
	write_pause(w);
	write_test(w, OP_JUMP_NE, reg(0), reg(1), top);
}

void segment_seqlock_write(struct writer *w)
{
	unsigned top = write_here(w);

	write_load(w, 0, TURN);
	write_jump_if(w, OP_JUMP_EQ, 0, 1, top);
	write_jump_if(w, OP_JUMP_EQ, 0, 3, top);
	write_local(w, OP_SUM, 1, reg(0), constant(1));
	write_access(w, OP_CAS, 4, TURN, reg(0), reg(1));
	write_jump_if(w, OP_JUMP_EQ, 4, 0, top);
	write_store(w, X0, constant(w->who + 1));
	write_store(w, X1, constant(w->who + 1));
	write_local(w, OP_SUM, 1, reg(1), constant(draw_slip(w) ? 2 : 1));
	write_store(w, TURN, reg(1));
}
