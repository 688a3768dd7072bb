/* SPDX-License-Identifier: MIT
 *
 * Functions of libc and libstdc++ that are not interposed but work on memory that they are given.
 * That is of no account if nobody else touches that memory, or only before or after, as under one
 * lock. Otherwise a race is not seen; it is named, and the search is not complete.
 *
 * A call is compared with the steps of other threads by the clocks of the search: with those so far
 * when it is made, with later ones at the end of the execution. Two are ordered if one happens
 * before the other (Lamport, "Time, clocks, and the ordering of events", 1978) by the conflicts that
 * were seen. In another execution the order may be another one, but in all of them there is one.
 */
#include "../runtime/shadow.h"
#include "../runtime/trace.h"
#include "../runtime/unseen.h"
#include "closings.h"
#include "interpose.h"

#define MAX_CALLS 4096
#define MOST_FILES (1UL << 30) /* by a hash */

/* What has no address: numbers of 8 bytes from FILES on. */
#define FILE_OF(hash)     (FILES + 8 * ((hash) % MOST_FILES))
#define OFFSET_OF(hash)   (FILES + 8 * (MOST_FILES + (hash) % MOST_FILES))
#define STREAM_OF(hash)   (FILES + 8 * (2 * MOST_FILES + (hash) % MOST_FILES))
#define DESCRIPTOR(hash)  (FILES + 8 * (3 * MOST_FILES + (hash) % MOST_FILES))
#define LIBC_STATE(c)     (FILES + 8 * (4 * MOST_FILES + (uint8_t)(c)))
#define KEY(k)            (FILES + 8 * (5 * MOST_FILES + (k) % MOST_FILES))

/* What a call of this execution was given. */
struct given {
	uintptr_t addr;
	size_t size;
	const char *name;
	uint64_t pc;
	uint32_t context;
	uint32_t index; /* of the log when it was called */
	uint32_t seq;   /* of the thread's steps */
	uint8_t thread, access; /* enum lp_access */
};

static struct given calls[MAX_CALLS];
static unsigned ncalls;

static bool has_no_address(uintptr_t addr)
{
	return addr - FILES < FILES_SIZE;
}

static void race(const struct given *c)
{
	struct event e = { .kind = LP_EV_NONE, .pc = c->pc, .context = c->context };

	if (!has_no_address(c->addr))
		limit_named(LP_LIMIT_UNSEEN_MEMORY, &e, c->name);
	else if (c->addr >= DESCRIPTOR(0) && c->addr < LIBC_STATE(0))
		unseen("a thread closes a descriptor while another uses or closes it (", c->name,
		       "): which of the two comes first is not explored", NULL);
	else if (c->addr >= STREAM_OF(0))
		limit_named(LP_LIMIT_UNSEEN_STATE, &e, c->name);
	else
		unseen("what ", c->name,
		       " reads and writes is not seen, and another thread reads or writes the same file at the same time",
		       NULL);
}

/* Does another thread use it, at the same time? */
static void race_with_earlier(const struct given *now)
{
	const struct fiber *f = rt->cur;
	uint32_t conflicts[MAX_FIBERS];
	unsigned n = 0;

	/* What comes again was looked at before, and the shadow is ahead of it. */
	if (rt->n < rt->entered)
		return;
	shadow_access(now->addr, now->size, now->access, NO_EVENT, f->id, conflicts, &n);
	for (unsigned i = 0; i < n; i++) {
		const struct event *e = &rt->log[conflicts[i]];

		if (f->clock[e->thread] < e->seq)
			race(now);
	}
}

/* Was the call before what this thread did when the log had `until` events and it knew the steps that `clock` says?
 * Then it knows a later step of the caller; or of who was made, or has joined, after the call: these are no steps, and
 * no clock tells on which side of them the call was. */
static bool ordered(const struct given *c, unsigned thread, const uint32_t *clock, uint32_t until)
{
	uint32_t made[MAX_FIBERS] = { 0 }, after[MAX_FIBERS];

	if (clock[c->thread] > c->seq)
		return true;
	for (unsigned i = 0; i < MAX_FIBERS; i++)
		after[i] = UINT32_MAX;
	after[c->thread] = c->seq;
	for (uint32_t i = 0; i < until; i++) {
		const struct event *e = &rt->log[i];

		if (event_is_step(e))
			made[e->thread] = e->seq;
		if (i < c->index)
			continue;
		if (e->kind == LP_EV_CREATE && after[e->thread] != UINT32_MAX)
			after[e->other] = made[e->other];
		if (e->kind == LP_EV_JOIN && after[e->other] != UINT32_MAX && after[e->thread] == UINT32_MAX)
			after[e->thread] = made[e->thread];
	}
	for (unsigned i = 0; i < MAX_FIBERS; i++)
		if (after[i] != UINT32_MAX && (i == thread ? i != c->thread : clock[i] > after[i]))
			return true;
	return false;
}

/* With the calls of others so far. */
static void compare_calls(const struct given *now, const struct fiber *f)
{
	for (unsigned i = 0; i < ncalls; i++) {
		const struct given *c = &calls[i];

		if (c->thread != now->thread && lp_access_conflict(c->access, now->access) &&
		    c->addr < now->addr + now->size && now->addr < c->addr + c->size &&
		    !ordered(c, f->id, f->clock, rt->n))
			race(now);
	}
}

/* What no step touches is known by the latest call of each thread, for all its calls before were compared already. */
static struct given *place_of(const struct given *now)
{
	for (unsigned i = 0; has_no_address(now->addr) && i < ncalls; i++)
		if (calls[i].addr == now->addr && calls[i].thread == now->thread && calls[i].access == now->access)
			return &calls[i];
	return ncalls < MAX_CALLS ? &calls[ncalls++] : NULL;
}

static void give(const char *name, uint64_t pc, uintptr_t addr, size_t size, int access)
{
	const struct fiber *f = rt->cur;
	struct given now, *to;

	if (addr < PAGE || addr >= 1UL << 47 || !size || !rt->tracing || !visible(addr, size))
		return;
	now = (struct given){ addr, size, name, pc, f->context, rt->n, f->seq, f->id, (uint8_t)access };
	race_with_earlier(&now);
	compare_calls(&now, f);
	to = place_of(&now);
	if (to)
		*to = now;
	else
		unseen("an execution makes more calls that are given shared memory than are looked at", NULL);
}

static int access_of(bool writes)
{
	return writes ? LP_WRITES : LP_READS;
}

void unseen_memory_at(const char *name, uint64_t pc, uintptr_t addr, size_t size, bool writes)
{
	settle();
	give(name, pc, addr, size, access_of(writes));
}

void unseen_memory(const char *name, uintptr_t addr, size_t size, bool writes)
{
	unseen_memory_at(name, call_pc() - 1, addr, size, writes);
}

/* In which order output comes to a file is nothing that a thread sees, unless it reads it. So writing only shares
 * the file; reading at the descriptor's offset changes that. */
void unseen_file(const char *name, uint64_t device, uint64_t number, const uint64_t *descriptor, bool writes)
{
	const uint64_t pc = call_pc() - 1;

	settle();
	give(name, pc, FILE_OF(file_now(device, number)), 1, writes ? LP_SHARES : LP_READS);
	if (descriptor)
		give(name, pc, OFFSET_OF(*descriptor), 1, writes ? LP_SHARES : LP_WRITES);
}

void unseen_descriptor(const char *name, uint64_t descriptor, bool closes)
{
	settle();
	give(name, call_pc() - 1, DESCRIPTOR(descriptor), 1, access_of(closes));
}

void unseen_stream(const char *name, uint64_t pc, const FILE *stream, bool writes)
{
	settle();
	give(name, pc, STREAM_OF(stream_now(stream)), 1, writes ? LP_SHARES : LP_WRITES);
}

void unseen_state(const char *name, uint64_t pc, char which, bool writes)
{
	settle();
	give(name, pc, LIBC_STATE(which), 1, access_of(writes));
}

void unseen_key(const char *name, uint64_t pc, unsigned key, bool deletes)
{
	settle();
	give(name, pc, KEY(key), 1, access_of(deletes));
}

/* The steps since the call. */
static void compare(const struct given *c)
{
	for (uint32_t i = c->index; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		int access = e->kind <= LP_EV_LAST_STEP ? e->access : 0;

		if (e->thread != c->thread &&
		    lp_access_conflict(c->access, access) &&
		    e->addr < c->addr + c->size && c->addr < e->addr + e->size &&
		    !ordered(c, e->thread, rt->clocks[i], i)) {
			race(c);
			return;
		}
	}
}

void unseen_end(void)
{
	for (; ncalls; ncalls--)
		compare(&calls[ncalls - 1]);
}
