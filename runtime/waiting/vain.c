/* SPDX-License-Identifier: MIT
 *
 * Loops whose state differs in each round (a counter, a clock, a random back-off, a statistic) make
 * no round in the sense of rounds.c. What they have in common is a *vain* step: the thread reads at
 * the same point the same value of the same location as the last time, has not written there
 * itself, and has no *news* since, that is, nothing that another thread did has come to it. After
 * VAIN_ROUNDS of these the thread is delayed until there is news, or somebody does something that
 * is dependent with a step of these rounds, or nobody else can run.
 *
 * That leaves executions out, so it is a bound (LP_LIMIT_VAIN), and ordinary loops that count to
 * ten must not be bounded. A point is only treated so if some thread was once seen to come back to
 * it ENDLESS_VAIN times in vain. When that is seen first, the exploration begins again (loops.c).
 */
#include "../memory.h"
#include "../sched.h"
#include "../strategy.h"
#include "../trace.h"

#define CELLS   64 /* for each thread; a power of two */

struct vain_cell {
	uint64_t pc, addr, value;
	uint32_t epoch, count, last;
};

static struct vain {
	struct vain_cell cells[MAX_FIBERS][CELLS];
	uint32_t epoch[MAX_FIBERS]; /* cells of another one count as empty */
	uint32_t epochs;
} *v;

void vain_init(void)
{
	v = memory_get(sizeof *v);
}

void vain_again(struct fiber *f)
{
	rt->waiting.vain &= ~bit(f->id);
	f->rounds.since = rt->n;
	if (!f->rounds.counting)
		return; /* no cell is of this epoch */
	f->rounds.counting = 0;
	v->epoch[f->id] = ++v->epochs;
}

void vain_reset(void)
{
	for (unsigned i = 0; i < MAX_FIBERS; i++)
		v->epoch[i] = v->epochs + 1;
	v->epochs++;
}

/* Has the fiber itself changed what event e reads, since log index `since`? */
static __attribute__((noinline)) bool written_by_itself(const struct fiber *f, const struct event *e, uint32_t since)
{
	if (f->rounds.changed <= since + 1)
		return false;
	for (uint32_t k = f->rounds.own; k > since + 1; k = rt->log[k - 1].own) {
		const struct event *own = &rt->log[k - 1];

		if (own->access != LP_READS && own->access &&
		    own->addr < e->addr + e->size && e->addr < own->addr + own->size)
			return true;
	}
	return false;
}

static bool in_vain(const struct event *e)
{
	return e->access == LP_READS || e->kind == LP_EV_TIMEOUT || e->kind == LP_EV_YIELD;
}

void vain_notice(struct fiber *f, const struct event *e)
{
	uint32_t index = (uint32_t)(e - rt->log);
	struct vain_cell *c;

	if (e->news)
		vain_again(f);
	if (UNLIKELY(rt->strategy->unruled) || !vain_counts(f, index) || !in_vain(e))
		return;
	f->rounds.counting = 1;
	c = &v->cells[f->id][(e->pc ^ e->pc >> 6) & (CELLS - 1)];
	if (c->pc != e->pc || c->epoch != v->epoch[f->id] || c->addr != e->addr ||
	    c->value != e->value[0] || written_by_itself(f, e, c->last)) {
		*c = (struct vain_cell){ e->pc, e->addr, e->value[0], v->epoch[f->id], 1, index };
		return;
	}
	c->last = index;
	if (LIKELY(++c->count <= VAIN_ROUNDS))
		return;
	if (loop_known(e->pc) & LOOP_ENDLESS) {
		rt->waiting.vain |= bit(f->id);
		limit_reached(LP_LIMIT_VAIN, e);
	} else if (c->count > ENDLESS_VAIN && loop_learn(e->pc, LOOP_ENDLESS)) {
		rt->need_restart = 1;
	}
}
