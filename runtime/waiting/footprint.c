/* SPDX-License-Identifier: MIT
 *
 * What a waiting thread has looked at since its round began, for rounds of many steps. Each step of
 * the others is compared with all steps of the round, which in a round of a compressor are some
 * ten thousand. A filter after Bloom, "Space/time trade-offs in hash coding with allowable errors"
 * (CACM 1970), says of nearly every step at once that it meets none of them.
 */
#include "../memory.h"
#include "../objects.h"
#include "../state.h"

#define GRAIN 16U    /* bytes that are told apart */
#define LARGE 4096U  /* a step on more than this meets everything */
#define BITS  32768U /* a power of two */

struct footprint {
	uint32_t epoch;
	uint32_t from; /* log index of the round's beginning */
	uint32_t to;   /* 1 + log index of the latest step that is in it; 0: none */
	bool all;      /* it meets everything */
	uint64_t bits[LP_SHARES + 1][BITS / 64]; /* by what was done, enum lp_access */
};

static struct footprints {
	uint32_t epoch; /* footprints of another one are of another log */
	struct footprint of[MAX_FIBERS][2];
} * fp;

void footprints_init(void)
{
	fp = memory_get(sizeof *fp);
	fp->epoch = 1;
}

void footprints_reset(void)
{
	fp->epoch++;
}

static uint32_t place(uint64_t grain)
{
	return (uint32_t)(grain * 0x9e3779b97f4a7c15U >> 40) & (BITS - 1);
}

static void add(struct footprint *p, const struct event *e)
{
	struct part parts[MAX_PARTS];
	unsigned n = event_parts(e, parts);

	if (e->kind == LP_EV_EXIT_ALL)
		p->all = true;
	for (unsigned i = 0; i < n && !p->all; i++) {
		uint64_t last = (parts[i].addr + parts[i].size - (parts[i].size > 0)) / GRAIN;

		p->all = parts[i].size > LARGE;
		for (uint64_t g = parts[i].addr / GRAIN; g <= last && !p->all; g++)
			p->bits[parts[i].access][place(g) / 64] |= 1UL << place(g) % 64;
	}
}

static bool has(const struct footprint *p, uint64_t grain, int access)
{
	uint32_t at = place(grain);

	for (int other = LP_READS; other <= LP_SHARES; other++)
		if (lp_access_conflict(access, other) && p->bits[other][at / 64] >> at % 64 & 1)
			return true;
	return false;
}

static bool meets(const struct footprint *p, const struct event *e)
{
	struct part parts[MAX_PARTS];
	unsigned n = event_parts(e, parts);

	if (p->all || e->kind == LP_EV_EXIT_ALL)
		return true;
	for (unsigned i = 0; i < n; i++) {
		uint64_t last = (parts[i].addr + parts[i].size - (parts[i].size > 0)) / GRAIN;

		if (parts[i].size > LARGE)
			return true;
		for (uint64_t g = parts[i].addr / GRAIN; g <= last; g++)
			if (has(p, g, parts[i].access))
				return true;
	}
	return false;
}

bool footprint_may_meet(const struct fiber *f, unsigned which, uint32_t from, const struct event *e)
{
	struct footprint *p = &fp->of[f->id][which];

	if (p->epoch != fp->epoch || p->from != from || p->to > f->rounds.own) {
		zero(p, sizeof *p);
		p->epoch = fp->epoch;
		p->from = from;
	}
	for (uint32_t k = f->rounds.own; k > from && k > p->to; k = rt->log[k - 1].own)
		add(p, &rt->log[k - 1]);
	p->to = f->rounds.own;
	return meets(p, e);
}
