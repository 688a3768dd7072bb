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

static struct {
	uint32_t common[MAX_FIBERS]; /* of each thread's calls so many are known to all that live */
	uint64_t sum;
} past;

static void add_access(uint64_t key, unsigned mask, unsigned access, uint32_t index)
{
	const uint32_t *clock = rt->clocks[index];
	uint64_t h = mix(mask, access);
	bool news = false;

	for (unsigned i = 0; i < rt->nfibers; i++)
		news |= alike_known(i, clock[i]) > past.common[i];
	if (!news)
		return;
	for (unsigned i = 0; i < rt->nfibers; i++)
		h = mix(h, alike_known(i, clock[i]));
	past.sum += fold(key ^ 0xff51afd7ed558ccdULL, h ^ 0x94d049bb133111ebULL);
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
	past.sum = 0;
	shadow_each(add_access);
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
