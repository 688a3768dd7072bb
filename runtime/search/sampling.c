/* SPDX-License-Identifier: MIT */
#include "sampling.h"
#include "../memory.h"
#include "../memory_errors.h"
#include "../part.h"
#include "../objects.h"
#include "../sched.h"

struct sampling *sampling;

void sampling_init(void)
{
	if (sampling)
		return;
	sampling = memory_get(sizeof *sampling);
	sampling->round = part ? part->first : 0;
}

/* ---- random numbers ---- */

uint64_t draw(void)
{
	/* splitmix64 */
	uint64_t z = (sampling->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

unsigned draw_below(unsigned n)
{
	return (unsigned)(((draw() >> 32) * n) >> 32);
}

int draw_thread(uint64_t threads)
{
	unsigned n = 0;

	for (uint64_t left = threads; left; left &= left - 1)
		n++;
	for (unsigned k = n > 1 ? draw_below(n) : 0; k; k--)
		threads &= threads - 1;
	return __builtin_ctzll(threads);
}

/* ---- variables and places ---- */

static uint32_t *slot_of(struct spots *s, uint64_t key)
{
	uint32_t i = (uint32_t)(mix(0, key) >> 40);

	for (;; i++) {
		uint32_t *slot = &s->slots[i % (4 * SPOTS)];

		if (!*slot || s->spot[*slot - 1].key == key)
			return slot;
	}
}

static int number_of(struct spots *s, uint64_t key)
{
	return (int)*slot_of(s, key) - 1;
}

/* Its number; -1: there is no room for more. */
static int add(struct spots *s, uint64_t key)
{
	uint32_t *slot = slot_of(s, key);

	if (!*slot && s->known < SPOTS) {
		s->spot[s->known].key = key;
		*slot = ++s->known;
	}
	return (int)*slot - 1;
}

int variable_of(const struct pending *p)
{
	struct spots *s = &sampling->variables;
	int number = p->addr ? number_of(s, p->addr) : -1;

	return number >= 0 || !p->addr2 ? number : number_of(s, p->addr2);
}

int place_of(const struct pending *p)
{
	return variable_of(p) < 0 ? -1 : number_of(&sampling->places, p->pc);
}

uint32_t spot_left(const struct spot *s, unsigned thread)
{
	return s->counts[thread] > s->current[thread] ? s->counts[thread] - s->current[thread] : 0;
}

static void spots_begin(struct spots *s)
{
	s->n = s->known;
	for (uint32_t i = 0; i < s->known; i++) {
		zero(s->spot[i].current, sizeof s->spot[i].current);
		s->spot[i].last = 0;
	}
}

static void come_to(struct spots *s, int number, uint32_t i)
{
	if (number < 0)
		return;
	s->spot[number].current[rt->log[i].thread]++;
	s->spot[number].last = i + 1;
}

/* A count that was higher before comes down slowly: the execution may have ended early. */
static uint32_t learned(uint32_t before, uint32_t now)
{
	return now >= before ? now : before - (before - now + 7) / 8;
}

static void spots_end(struct spots *s)
{
	for (struct spot *v = s->spot; v < s->spot + s->known; v++)
		for (unsigned t = 0; t < rt->nfibers; t++)
			v->counts[t] = learned(v->counts[t], v->current[t]);
}

/* ---- executions ---- */

void sampling_begin(uint32_t *prefix, int32_t *choice)
{
	struct sampling *s = sampling;

	if (rt->need_restart)
		zero(s, sizeof *s);
	if (!rt->need_again)
		s->round++;
	s->state = rt->config.seed * 0xd1342543de82ef95ULL + s->round;
	s->touches = 0;
	s->late = 0;
	spots_begin(&s->variables);
	spots_begin(&s->places);
	*prefix = 0;
	*choice = -1;
}

/* Until the block is given out again, which may be at the next step of the thread that has freed it. */
static uint64_t about_to_use(const struct event *freed)
{
	uint64_t who = 0;

	for (uint64_t s = (rt->ready | rt->blocked) & ~bit(freed->thread); s; s &= s - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(s)];
		const struct pending *p = &f->pending;

		if (event_touches(p->kind, p->flags) && p->addr < freed->addr + freed->size &&
		    freed->addr < p->addr + p->size)
			who |= bit(f->id);
	}
	return who;
}

int sampling_pick(const struct sampler *sampler, uint64_t enabled)
{
	uint64_t late = sampling->late & enabled;

	return UNLIKELY(late) ? __builtin_ctzll(late) : sampler->pick(enabled);
}

void sampling_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	const struct event *e = &rt->log[i];
	struct sampling *s = sampling;
	int number;

	s->late &= ~bit(e->thread);
	if (UNLIKELY(e->kind == LP_EV_FREE))
		s->late |= about_to_use(e);
	if (!e->addr)
		return;
	number = n ? add(&s->variables, e->addr) : number_of(&s->variables, e->addr);
	if (number < 0)
		return;
	come_to(&s->variables, number, i);
	come_to(&s->places, add(&s->places, e->pc), i);
	s->touches++;
}

void sampling_end(void)
{
	struct sampling *s = sampling;

	spots_end(&s->variables);
	spots_end(&s->places);
	if (s->touches > s->most)
		s->most = s->touches;
	for (; s->threads < rt->nfibers; s->threads++)
		s->parent[s->threads] = rt->fibers[s->threads].parent;
}

bool pending_conflicts(const struct fiber *f, const struct event *e)
{
	struct event own;

	if (f->state == FIBER_FINISHED || f->id == e->thread)
		return false;
	own.thread = f->id;
	own.reads_own = f->pending.own;
	own.kind = f->pending.kind;
	own.flags = f->pending.flags;
	own.access = (uint8_t)lp_kind_access(own.kind);
	own.addr = f->pending.addr;
	own.addr2 = f->pending.addr2;
	own.size = f->pending.size;
	return events_conflict(&own, e);
}
