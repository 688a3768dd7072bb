/* SPDX-License-Identifier: MIT
 *
 * Strings that functions of libc read. How much that is depends on what is there: up to its end, or up to where it
 * differs from another one. So the size of such a step is found again whenever another thread has written in what it was
 * to read: a string is read in one step, and what that touches follows from what happens before it, whenever it was
 * announced.
 */
#include "../interpose/interpose.h"
#include "event.h"
#include "libc.h"

struct text_read {
	const char *s;
	size_t most;
	const char *like; /* the bytes that it is compared with, up to a difference; or NULL */
	char c;
	bool zero_ends;
	uint32_t seen; /* of the log */
	uint32_t size; /* as found then; that of the step may be an older one, if a handler has run instead */
};

/* By fiber: what it is about to read, while its bit in rt->reading_text is set; a handler may read something else meanwhile. */
static struct text_read *reads[MAX_FIBERS];

/* Has the byte i of it ended it? */
static bool ends(const struct text_read *r, size_t i)
{
	const char c = r->s[i];

	return r->like ? c != r->like[i] || !c : c == r->c || (r->zero_ends && !c);
}

/* How many bytes up to and including the one that ends it; at most as many as are to be read. */
static size_t up_to(const struct text_read *r)
{
	size_t i = 0;

	libc_access();
	while (i < r->most && !ends(r, i))
		i++;
	rt->accessing = 0;
	return i + (i < r->most);
}

/* The same for another thread, which is to crash itself where no memory is. */
static size_t up_to_of_other(const struct text_read *r)
{
	size_t i = 0;

	for (; i < r->most; i++) {
		if ((!i || !((uintptr_t)(r->s + i) & (PAGE - 1))) &&
		    !can_be_read((uintptr_t)(r->s + i)))
			break;
		if (ends(r, i))
			return i + 1;
	}
	return i ? i : 1;
}

static uint32_t size_of_step(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void text_refresh(struct fiber *f)
{
	struct text_read *r = reads[f->id];
	struct pending *p = &f->pending;

	if (!p->measured)
		return;
	for (; r->seen < rt->n; r->seen++) {
		const struct event *e = &rt->log[r->seen];

		if (e->kind > LP_EV_LAST_STEP || lp_kind_access(e->kind) <= LP_READS ||
		    e->addr >= p->addr + r->size || p->addr >= e->addr + e->size)
			continue;
		r->size = size_of_step(up_to_of_other(r));
		r->seen = rt->n;
		break;
	}
	p->size = r->size;
}

/* A step, if others can see it: how many bytes it reads. */
static size_t read_step(const char *s, size_t most, const char *like, char c, bool zero_ends)
{
	const uint64_t me = bit(rt->cur->id);
	struct text_read r = { s, most, like, c, zero_ends, rt->n, 0 }, **mine = &reads[rt->cur->id];
	struct text_read *interrupted = rt->reading_text & me ? *mine : NULL;
	size_t n = up_to(&r);

	r.size = size_of_step(n);
	*mine = &r;
	rt->reading_text |= me;
	n = libc_range_read(s, n);
	*mine = interrupted;
	if (!interrupted)
		rt->reading_text &= ~me;
	return n;
}

size_t libc_read_string(const char *s, size_t most, char c, bool zero_ends, bool *found)
{
	size_t done = 0;

	*found = false;
	/* Again only if there is no memory behind it, so that it crashes there. */
	while (!*found && done < most) {
		size_t n = read_step(s + done, most - done, NULL, c, zero_ends);
		uint8_t *saved = saved_bytes(done + n);

		libc_fetch(saved + done, s + done, n);
		done += n;
		*found = (char)saved[done - 1] == c || (zero_ends && !saved[done - 1]);
	}
	return done;
}

void libc_look_at(const char *s, size_t most)
{
	read_step(s, most, NULL, 0, true);
}

int libc_compare_strings(const char *a, const char *b, size_t most)
{
	bool found;
	size_t n = libc_read_string(a, most, 0, true, &found);
	const uint8_t *saved = saved_bytes(n);
	size_t m = read_step(b, n, (const char *)saved, 0, true);

	libc_access();
	n = m ? saved[m - 1] - (uint8_t)b[m - 1] : 0;
	rt->accessing = 0;
	return (int)n;
}
