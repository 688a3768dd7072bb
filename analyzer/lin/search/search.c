/* SPDX-License-Identifier: MIT
 *
 * General search: Wing and Gong's (JPDC 1993) with Lowe's memoization (CCPE 2017).
 *
 * The events that are not linearized yet are a doubly linked list in order of time. Every operation
 * called before the first return in the list may come next; it is tried on the state, lifted out of
 * the list, and put back when nothing follows. What makes it fast:
 *
 *  - The key of a configuration is its *frontier* (the first return in the list), which of the
 *    operations running there are linearized (everything that returned before is), and the state,
 *    unless those determine it.
 *  - An operation whose result says that it leaves the state as it is (OP_OBSERVER) is taken as
 *    soon as it is legal and never given up: in any linearization that has it later it can be
 *    moved here. That does not hold for, say, a write of the value that is there, which could be
 *    of use later.
 *  - Of two equal operations of which one is called first and returns first, that one goes first:
 *    they can be swapped.
 *  - Operations that never returned are tried last, and only if they change the state.
 *
 * Configurations are remembered when they have failed, not when they are entered. The graph of
 * configurations has no cycles, so this prunes as much; and several workers that take the
 * alternatives in different orders can share the table: a configuration in it has failed for
 * everybody.
 *
 * Cost: exponential in the number of operations that run at the same time, in the worst case;
 * linear when there are few.
 */
#include "base/budget.h"
#include "lin/plugin.h"
#include "lin/search/private.h"

#include <stdlib.h>
#include <string.h>

static void take(struct search *s, uint32_t op)
{
	const struct lin_op *o = &s->part->ops[op];
	uint32_t slot = s->slot[op];
	uint64_t h = hash_mix(0x452821e638d01377ULL, op + 1ULL);

	s->next[s->previous[o->call]] = s->next[o->call];
	s->previous[s->next[o->call]] = s->previous[o->call];
	if (o->ret != RANK_PENDING) {
		s->next[s->previous[o->ret]] = s->next[o->ret];
		s->previous[s->next[o->ret]] = s->previous[o->ret];
	}
	s->done[op] = true;
	s->mask[slot / 64] ^= 1ULL << slot % 64;
	s->hash[0] ^= h;
	s->hash[1] ^= hash_mix(h, 0xbe5466cf34e90c6cULL);
}

static void put_back(struct search *s, uint32_t op)
{
	const struct lin_op *o = &s->part->ops[op];
	uint32_t slot = s->slot[op];
	uint64_t h = hash_mix(0x452821e638d01377ULL, op + 1ULL);

	if (o->ret != RANK_PENDING) {
		s->next[s->previous[o->ret]] = o->ret;
		s->previous[s->next[o->ret]] = o->ret;
	}
	s->next[s->previous[o->call]] = o->call;
	s->previous[s->next[o->call]] = o->call;
	s->done[op] = false;
	s->mask[slot / 64] ^= 1ULL << slot % 64;
	s->hash[0] ^= h;
	s->hash[1] ^= hash_mix(h, 0xbe5466cf34e90c6cULL);
}

static struct memo_key key_of(const struct search *s, uint32_t frontier)
{
	bool state = !s->determined;

	return (struct memo_key){
		.hash = { s->hash[0] + (state ? s->state.hash[0] : 0),
			  s->hash[1] + (state ? s->state.hash[1] : 0) },
		.head = (uint64_t)frontier << 32 | (state ? s->state.n : 0),
		.mask = s->mask,
		.nmask = s->nmask,
		.words = state && s->state.w ? s->state.w + s->state.head : NULL,
		.nwords = state ? state_size(&s->state) : 0,
	};
}

/* Keeps the longest partial order so far. Only what changed since the last copy is copied. */
static void keep_deepest(struct search *s)
{
	if (s->depth <= s->deepest) {
		if (s->depth < s->common)
			s->common = s->depth;
		return;
	}
	for (uint32_t i = s->common; i < s->depth; i++)
		s->best[i] = s->frames[i].op;
	s->common = s->deepest = s->depth;
}

/* Linearizes every legal operation that cannot change the state; returns the frontier. */
static uint32_t take_observers(struct search *s)
{
	const uint32_t *events = s->part->events;
	const uint32_t end = s->part->nevents;
	uint32_t e = s->next[end];

	for (; e != end && !(events[e] & 1); e = s->next[e]) {
		uint32_t op = events[e] / 2;
		const struct lin_op *o = &s->part->ops[op];

		if (!(o->flags & OP_OBSERVER) || s->step(&s->state, o) == STEP_ILLEGAL)
			continue;
		s->frames[s->depth++] = (struct frame){ .op = op, .kind = FRAME_FORCED };
		take(s, op);
		/* The event after the call may have been its own return, which is no longer in the
		 * list. */
		if (s->next[e] == o->ret)
			e = o->ret;
	}
	return e;
}

/* Tries an operation in the frame's configuration: true if it was linearized. */
static bool try(struct search *s, struct frame *f, uint32_t op, bool pending)
{
	const struct lin_op *o = &s->part->ops[op];
	enum step step;

	if (o->flags & OP_OBSERVER)
		return false;
	if (s->prior[op] != NONE && !s->done[s->prior[op]])
		return false;
	f->mark = s->state.nlog;
	step = s->step(&s->state, o);
	if (step == STEP_CHANGED || (step == STEP_SAME && !pending)) {
		f->op = op;
		take(s, op);
		return true;
	}
	state_undo(&s->state, f->mark);
	return false;
}

/* Goes on with the next alternative of the frame: false if there is none left. */
static bool advance(struct search *s, struct frame *f)
{
	const uint32_t *events = s->part->events;
	const uint32_t end = s->part->nevents;

	while (f->phase < 2) {
		bool pending = (f->phase == 1) != s->pending_first;
		uint32_t *link = s->backwards ? s->previous : s->next;
		uint32_t sentinel = end + pending;

		while (f->cursor != sentinel && f->cursor != f->frontier) {
			uint32_t e = f->cursor;

			/* Pending calls behind the frontier are not possible yet. */
			if (pending && e > f->frontier) {
				if (!s->backwards)
					break;
				f->cursor = link[e];
				continue;
			}
			f->cursor = link[e];
			if (try(s, f, events[e] / 2, pending))
				return true;
		}
		f->phase++;
		start_phase(s, f);
	}
	return false;
}

/* Sets the cursor to the first alternative of the frame's phase. */
void start_phase(struct search *s, struct frame *f)
{
	uint32_t end = s->part->nevents;
	bool pending = (f->phase == 1) != s->pending_first;

	if (pending)
		f->cursor = s->backwards ? s->previous[end + 1] : s->next[end + 1];
	else
		f->cursor = s->backwards ? s->previous[f->frontier] : s->next[end];
}

/* Undoes the frame's operation. */
static void retract(struct search *s, struct frame *f)
{
	if (f->kind != FRAME_FORCED)
		state_undo(&s->state, f->mark);
	put_back(s, f->op);
}

/* Back to the last frame with an alternative; false if there is none. */
static bool backtrack(struct search *s)
{
	keep_deepest(s);
	while (s->depth) {
		struct frame *f = &s->frames[s->depth - 1];
		struct memo_key key;

		retract(s, f);
		s->depth--;
		if (s->depth < s->common)
			s->common = s->depth;
		if (f->kind == FRAME_FORCED)
			continue;
		if (advance(s, f)) {
			s->depth++;
			return true;
		}
		key = key_of(s, f->frontier);
		if (!lin_memo_add(s->memo, &key)) {
			s->out_of_memory = true;
			return true;
		}
	}
	return false;
}

static bool must_stop(struct search *s)
{
	if (s->out_of_memory || (s->pool && plugin_pool_failed(s->pool)))
		return true;
	if (++s->steps & 255)
		return false;
	if (s->run->step_limit && s->steps > s->run->step_limit)
		return true;
	if (__atomic_load_n(&s->run->stop, __ATOMIC_RELAXED) ||
	    (s->stop && __atomic_load_n(s->stop, __ATOMIC_RELAXED)))
		return true;
	if (budget_phase_over())
		return true;
	return s->run->deadline && !(s->steps & 1023) && now_seconds() > s->run->deadline;
}

enum search_end search_go(struct search *s, size_t budget)
{
	const uint32_t end = s->part->nevents;

	while (!must_stop(s)) {
		uint32_t frontier = take_observers(s);
		struct memo_key key;
		struct frame *f;

		if (frontier == end)
			return SEARCH_FOUND;
		f = &s->frames[s->depth];
		*f = (struct frame){ .frontier = frontier, .kind = FRAME_CHOICE };
		key = key_of(s, frontier);
		if (!lin_memo_has(s->memo, &key)) {
			start_phase(s, f);
			if (advance(s, f)) {
				s->depth++;
				continue;
			}
			if (!lin_memo_add(s->memo, &key))
				break;
		}
		if (!backtrack(s))
			return s->pool && plugin_pool_failed(s->pool) ? SEARCH_STOPPED
								      : SEARCH_NONE;
		if (s->steps > budget)
			return SEARCH_BUDGET;
	}
	keep_deepest(s);
	return SEARCH_STOPPED;
}
