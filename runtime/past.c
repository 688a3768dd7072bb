/* SPDX-License-Identifier: MIT
 *
 * Of the past of an execution, a check asks (alike.c, and analyzer/judge/class.c):
 *
 *	none     nothing: all that counts is in the state
 *	outcome  which operations each thread has done, with their values
 *	lin      also which calls happen before which returns
 *
 * Which calls will happen before a return that is yet to come follows from what a thread knows of others by
 * then: it has seen a step behind the call. It learns that from steps that conflict with its own. So what each
 * thread knows now is a part of the past, and so is what every access knew that a later one may conflict
 * with. Clocks count steps; of these, only how many calls lie before them is of interest. Knowledge that
 * every thread has already can teach nobody anything.
 */
#include "past.h"
#include "alike.h"
#include "shadow.h"
#include "state.h"
#include "words.h"

#define MOST 64 /* accesses to 8 bytes that are summed up at once */
enum { BYTES = 8, KINDS = 4 };

static struct {
	uint32_t common[MAX_FIBERS]; /* of each thread's calls so many are known to all that live */
	uint64_t sum;
	/* Of the 8 bytes at hand: */
	uint64_t key;
	struct access {
		uint32_t index;
		uint8_t mask, access;
	} list[MOST];
	unsigned n;
} past;

typedef uint32_t knowing[MAX_FIBERS];

/* What is learned of the accesses of one kind among these; false: nothing that is not known to all. */
static bool learn(knowing *k, uint64_t which, unsigned kind)
{
	bool news = false;

	copy(*k, past.common, rt->nfibers * sizeof past.common[0]);
	for (; which; which &= which - 1) {
		const struct access *a = &past.list[__builtin_ctzll(which)];

		for (unsigned i = 0; a->access == kind && i < rt->nfibers; i++) {
			uint32_t here = alike_known(i, rt->clocks[a->index][i]);

			if (here > (*k)[i]) {
				(*k)[i] = here;
				news = true;
			}
		}
	}
	return news;
}

static bool within(knowing *a, knowing *b)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if ((*a)[i] > (*b)[i])
			return false;
	return true;
}

/* Whoever conflicts with an access of another kind conflicts with the writes, too: what is known of those
 * need not be learned twice. 0: nothing. */
static uint64_t hash_accesses(uint64_t which)
{
	knowing writes, others;
	uint64_t h = 0;

	if (learn(&writes, which, LP_WRITES))
		for (unsigned i = 0; i < rt->nfibers; i++)
			h = mix(h + LP_WRITES, writes[i]);
	for (unsigned kind = 1; kind < KINDS; kind++) {
		if (kind == LP_WRITES || !learn(&others, which, kind) || within(&others, &writes))
			continue;
		for (unsigned i = 0; i < rt->nfibers; i++)
			h = mix(h + kind, others[i]);
	}
	return h;
}

static void add_bytes(void)
{
	uint64_t before = 0, h = 0;

	for (unsigned b = 0; b < BYTES && past.n; b++) {
		uint64_t which = 0;

		for (unsigned i = 0; i < past.n; i++)
			which |= (uint64_t)(past.list[i].mask >> b & 1) << i;
		if (which != before)
			h = hash_accesses(which);
		before = which;
		if (h)
			past.sum += fold((past.key * BYTES + b) ^ 0xff51afd7ed558ccdULL, h ^ 0x94d049bb133111ebULL);
	}
	past.n = 0;
}

static void add_access(uint64_t key, unsigned mask, unsigned access, uint32_t index)
{
	if (key != past.key || past.n == MOST)
		add_bytes();
	past.key = key;
	past.list[past.n++] = (struct access){ index, (uint8_t)mask, (uint8_t)access };
}

static uint64_t knowledge(void)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < rt->nfibers; i++) {
		past.common[i] = UINT32_MAX;
		for (unsigned k = 0; k < rt->nfibers; k++) {
			uint32_t known = alike_known(i, rt->fibers[k].clock[i]);

			h = hash_part(h, known);
			if (rt->fibers[k].state != FIBER_FINISHED && known < past.common[i])
				past.common[i] = known;
		}
	}
	past.sum = past.n = 0;
	shadow_each(add_access);
	add_bytes();
	return hash_part(h, past.sum);
}

uint64_t past_hash(void)
{
	uint64_t h;

	if (rt->config.check == CHECK_NONE)
		return 0;
	h = alike_past(rt->config.check == CHECK_LIN);
	return rt->config.check == CHECK_LIN ? mix(h, knowledge()) : h;
}
