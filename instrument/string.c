/* SPDX-License-Identifier: MIT
 *
 * String instructions, also repeated: their accesses are to ranges. An instruction that reads and
 * then writes, or reads twice, takes two steps. The instruction itself is executed after the last
 * step. If other threads have meanwhile changed what the first step read, the instruction would
 * read other values than the step did; then the runtime does its work with the values that were
 * read, and the copy continues after it.
 *
 * How far a comparison or scan goes is known only when it reads. Each step takes the elements up to
 * where it would have stopped when it was announced; if it does not stop there, another step
 * follows.
 */
#include "../runtime/memory.h"
#include "../runtime/sched.h"
#include "event.h"

#define DIRECTION_FLAG 0x400

struct string {
	const struct site *s;
	uint64_t *r, *entry;
	uint64_t from, to; /* the next elements */
	uint64_t base;     /* of the segment of `from` */
	uint64_t count;    /* how many are left */
	uint64_t step;     /* distance from one to the next */
	unsigned flags;    /* of the last comparison, as lahf and seto give them */
};

/* What a fiber has read and will write or compare: one for each, in memory of the runtime. */
static struct saved {
	uint8_t *data;
	uint64_t size;
} * saved_of;

void saved_init(void)
{
	saved_of = memory_get(MAX_FIBERS * sizeof *saved_of);
}

uint8_t *saved_bytes(uint64_t n)
{
	struct saved *s = &saved_of[rt->cur->id];
	uint64_t size = s->size;
	uint8_t *grown;

	if (n <= size)
		return s->data;
	while (size < n)
		size = size ? size * 2 : 4096;
	grown = memory_get(size);
	if (s->size)
		copy(grown, s->data, s->size);
	s->data = grown;
	s->size = size;
	return grown;
}

/* Until rt->accessing is 0 again, a crash in the runtime counts as a crash of the site. */
static void access_for(const struct string *w)
{
	rt->cur->pending.pc = w->s->pc;
	rt->accessing = 1;
}

static void move_bytes(void *to, const void *from, uint64_t n)
{
	rt->accessing = 1;
	copy(to, from, n);
	rt->accessing = 0;
}

static bool unchanged(const void *saved, uint64_t at, uint64_t n)
{
	bool yes;

	rt->accessing = 1;
	yes = same(saved, (const void *)at, n);
	rt->accessing = 0;
	return yes;
}

/* The range of n elements; the first is at `at`. */
static uint64_t lowest(const struct string *w, uint64_t at, uint64_t n)
{
	return w->step >> 63 ? at - (n - 1) * w->s->size : at;
}

/* A step if others could see the range. */
static bool range_step(const struct string *w, bool write, uint64_t at, uint64_t n)
{
	uint64_t size = n * w->s->size;

	at = lowest(w, at, n);
	if (!n || n > UINT32_MAX / w->s->size || !of_interest(at, (uint32_t)size, write))
		return false;
	rt->entry = w->entry;
	if (write)
		write_event(at, (uint32_t)size, w->s->pc);
	else
		read_event(at, (uint32_t)size, w->s->pc);
	rt->entry = w->entry;
	return true;
}

/* Element by element, as the instruction does it: if the ranges overlap it reads what it has
 * written. `saved` is the source; its lowest byte was at `low`. */
static void move_saved(const struct string *w, uint8_t *saved, uint64_t low, uint64_t n)
{
	uint32_t size = w->s->size;
	uint64_t to = w->to, end = low + n * size, lowest_to = lowest(w, to, n);

	if (lowest_to >= end || lowest_to + n * size <= low) {
		move_bytes((void *)lowest_to, saved, n * size);
		return;
	}
	for (uint64_t k = 0, from = w->from; k < n; k++, from += w->step, to += w->step) {
		uint8_t element[8];

		copy(element, saved + (from - low), size);
		move_bytes((void *)to, element, size);
		for (uint32_t b = 0; b < size; b++)
			if (to + b >= low && to + b < end)
				saved[to + b - low] = element[b];
	}
}

/* The registers as they are after n elements. */
static uint64_t done(struct string *w, uint64_t n)
{
	const struct site *s = w->s;
	uint64_t rax = register_value(s, w->r, RAX);

	if (s->reg != STRING_SCAN)
		w->r[R_RSI] = w->from - w->base + n * w->step;
	w->r[R_RDI] = w->to + n * w->step;
	if (s->repeat)
		w->r[R_RCX] = w->count - n;
	if (s->narrow) {
		w->r[R_RSI] = s->reg == STRING_SCAN ? w->r[R_RSI] : (uint32_t)w->r[R_RSI];
		w->r[R_RDI] = (uint32_t)w->r[R_RDI];
		w->r[R_RCX] = s->repeat ? (uint32_t)w->r[R_RCX] : w->r[R_RCX];
	}
	if (!s->flags)
		w->r[R_SAVED_RAX] = rax;
	if (s->reg != STRING_MOVE)
		w->r[R_AX] = w->flags;
	return s->after;
}

static uint64_t move_event(struct string *w)
{
	uint64_t n = w->count, size = n * w->s->size, low = lowest(w, w->from, n);
	uint8_t *saved;

	if (!range_step(w, false, w->from, n)) {
		range_step(w, true, w->to, n);
		return w->s->resume;
	}
	saved = saved_bytes(size);
	move_bytes(saved, (void *)low, size);
	if (!range_step(w, true, w->to, n) || unchanged(saved, low, size))
		return w->s->resume;
	move_saved(w, saved, low, n);
	return done(w, n);
}

/* The flags that `cmp` sets, in the form of lahf and seto. */
static unsigned compared_flags(uint64_t x, uint64_t y, uint32_t size)
{
	unsigned flags;

#define COMPARE(suffix)                                                                            \
	__asm__("cmp %" suffix "2, %" suffix "1\n\tlahf\n\tseto %%al"                              \
		: "=a"(flags)                                                                      \
		: "d"(x), "c"(y)                                                                   \
		: "cc")
	switch (size) {
	case 1:
		COMPARE("b");
		break;
	case 2:
		COMPARE("w");
		break;
	case 4:
		COMPARE("k");
		break;
	default:
		COMPARE("q");
	}
#undef COMPARE
	return flags & 0xffff;
}

/* How many of the next n elements are read, and whether the last of them ends the instruction.
 * The source is rax, or `saved` if that is not NULL: all elements, from the lowest address. */
static uint64_t look(struct string *w, const uint8_t *saved, uint64_t most, bool *ends)
{
	uint32_t size = w->s->size;
	uint64_t n = 0, x = low_bytes(register_value(w->s, w->r, RAX), size), y;
	uint64_t from = saved ? (uint64_t)saved + (w->from - lowest(w, w->from, most)) : w->from;

	*ends = false;
	access_for(w);
	while (n < most && !*ends) {
		if (w->s->reg == STRING_COMPARE)
			x = peek(from + n * w->step, size);
		y = peek(w->to + n * w->step, size);
		n++;
		*ends = !w->s->repeat || (x == y) == (w->s->repeat == 2);
		if (*ends || n == most)
			w->flags = compared_flags(x, y, size);
	}
	rt->accessing = 0;
	return n;
}

static uint64_t compare_event(struct string *w)
{
	bool two = w->s->reg == STRING_COMPARE, ends, again = false;

	while (w->count) {
		uint64_t n = look(w, NULL, w->count, &ends), size = n * w->s->size, looked;
		uint64_t low = lowest(w, w->from, n);
		uint8_t *saved = NULL;
		bool first = two && range_step(w, false, w->from, n), second;

		if (first) {
			saved = saved_bytes(size);
			move_bytes(saved, (void *)low, size);
		}
		second = range_step(w, false, w->to, n);
		looked = look(w, saved, n, &ends);
		ends |= looked == w->count || !(first || second);
		if (!again && ends && (!first || unchanged(saved, low, size)))
			return w->s->resume;
		if (ends)
			return done(w, looked);
		again = true;
		w->from += looked * w->step;
		w->to += looked * w->step;
		w->count -= looked;
	}
	return w->s->resume;
}

uint64_t string_event(const struct site *s, uint64_t *r, uint64_t *entry)
{
	struct string w = { .s = s, .r = r, .entry = entry, .from = r[R_RSI], .to = r[R_RDI] };

	w.count = s->repeat ? register_value(s, r, RCX) : 1;
	w.step = r[R_FLAGS] & DIRECTION_FLAG ? -(uint64_t)s->size : s->size;
	if (s->narrow) {
		w.from = (uint32_t)w.from;
		w.to = (uint32_t)w.to;
		w.count = (uint32_t)w.count;
	}
	w.base = s->own ? rt->fs_now : 0;
	w.from += w.base;
	switch (s->reg) {
	case STRING_MOVE:
		return move_event(&w);
	case STRING_STORE:
		range_step(&w, true, w.to, w.count);
		return s->resume;
	case STRING_LOAD:
		range_step(&w, false, w.from, w.count);
		return s->resume;
	default:
		return compare_event(&w);
	}
}

/* movdir64b */
uint64_t direct_event(const struct site *s, uint64_t addr, uint64_t *r, uint64_t *entry)
{
	struct string w = { .s = s, .r = r, .entry = entry, .from = addr, .count = 1 };
	uint8_t *saved;

	w.to = register_value(s, r, s->reg);
	w.to = s->narrow ? (uint32_t)w.to : w.to;
	w.step = s->size;
	if (!range_step(&w, false, w.from, 1)) {
		range_step(&w, true, w.to, 1);
		return s->resume;
	}
	saved = saved_bytes(s->size);
	move_bytes(saved, (void *)addr, s->size);
	if (!range_step(&w, true, w.to, 1) || unchanged(saved, addr, s->size))
		return s->resume;
	move_bytes((void *)w.to, saved, s->size);
	if (!s->flags)
		r[R_SAVED_RAX] = register_value(s, r, RAX);
	return s->after;
}
