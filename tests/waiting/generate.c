/* SPDX-License-Identifier: MIT */
#include "generate.h"
#include "segments.h"

#include <string.h>

#define OBSERVED 0x0c /* r2 and r3 */

static void name(struct program *p, const char *kind)
{
	size_t n = strlen(p->kinds);

	snprintf(p->kinds + n, sizeof p->kinds - n, "%s%s", n ? " " : "", kind);
}

static unsigned any_segment(uint64_t *random)
{
	if (draw(random, 3) == 0)
		return draw(random, SEGMENT_FIRST_LOOP);
	return SEGMENT_FIRST_LOOP + draw(random, SEGMENTS - SEGMENT_FIRST_LOOP);
}

/* What each thread consists of: pieces drawn one by one, ... */
static void mixed(struct program *p, struct writer *w)
{
	unsigned n = p->nthreads == 2   ? 1 + draw(w->random, 3)
		     : p->nthreads == 3 ? 1 + draw(w->random, 2)
					: 1;

	while (n--) {
		unsigned segment = any_segment(w->random);

		name(p, segment_name(segment));
		write_segment(w, segment);
	}
	if (draw(w->random, 2))
		write_segment(w, SEGMENT_SET_FLAG);
}

/* ... or all of one kind, and the last one perhaps ends the waiting. */
static void alike(struct program *p, struct writer *w, unsigned segment, bool ender)
{
	if (ender && w->who == p->nthreads - 1) {
		name(p, "ender");
		write_segment(w, SEGMENT_ANY);
		write_segment(w, SEGMENT_SET_FLAG);
		return;
	}
	name(p, segment_name(segment));
	write_segment(w, segment);
	if (draw(w->random, 4) == 0) {
		name(p, segment_name(SEGMENT_ASSERT));
		write_segment(w, SEGMENT_ASSERT);
	}
}

static uint16_t only_loaded_and_stored(const struct program *p)
{
	uint16_t other = 0;

	for (unsigned t = 0; t < p->nthreads; t++) {
		for (unsigned k = 0; k < p->threads[t].n; k++) {
			const struct instruction *i = &p->threads[t].code[k];

			if (i->op <= OP_LAST_ACCESS && i->op != OP_LOAD && i->op != OP_STORE)
				other |= (uint16_t)(1u << i->x);
		}
	}
	return (uint16_t)~other & ((1u << NUMBERS) - 1);
}

void generate(struct program *p, uint64_t seed, unsigned attempt)
{
	uint64_t random = seed * 0xd1342543de82ef95ULL + attempt;
	unsigned style = draw(&random, 10),
		 segment = SEGMENT_FIRST_LOOP + draw(&random, SEGMENTS - SEGMENT_FIRST_LOOP);
	unsigned pick = draw(&random, 20);
	bool ender = draw(&random, 3) != 0;
	struct writer w = { .random = &random };

	memset(p, 0, sizeof *p);
	p->seed = seed;
	p->nthreads = pick < 12 ? 2 : pick < 18 ? 3 : 4;
	w.yields = draw(&random, 3) == 0;
	w.slips = draw(&random, 2) ? 6 : 0;
	if (draw(&random, 4) == 0)
		p->initial[draw(&random, NUMBERS)] = (uint8_t)draw(&random, 3);
	for (unsigned t = 0; t < p->nthreads; t++) {
		w.thread = &p->threads[t];
		w.who = t;
		if (t)
			name(p, "|");
		if (style < 6) {
			mixed(p, &w);
		} else if (style < 8) {
			alike(p, &w, segment, ender);
		} else {
			name(p, "wild");
			write_wild(&w, (p->nthreads == 2 ? 3 : 2) + draw(&random, 4));
		}
		write_local(&w, OP_END, NO_REGISTER, constant(0), constant(0));
		w.thread->observed = OBSERVED;
		program_liveness(w.thread);
	}
	p->plain = only_loaded_and_stored(p) & (uint16_t)draw(&random, 1u << NUMBERS);
}
