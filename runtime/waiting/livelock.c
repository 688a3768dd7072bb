/* SPDX-License-Identifier: MIT
 *
 * An execution is redundant if a thread is stuck that would have read what somebody wrote later.
 * Nearly always another execution, in which it does, comes to the same livelock; but who reads what
 * a toggling thread writes is always overwritten, and then there is none.
 *
 * Such an execution stopped with a thread that had only not seen what it waited for. So the one that
 * is recorded goes on, in the way that look.c has found, to where each thread does for ever what it
 * does in the livelock.
 */
#include "../livelock.h"
#include "../closed.h"
#include "../memory.h"
#include "../part.h"
#include "../sched.h"
#include "../strategy.h"

#define LIVELOCKS 256
#define RECORDED  (1u << 12)

static struct livelocks {
	struct livelock {
		uint64_t name;
		uint8_t *schedule;
		uint32_t length;
	} list[LIVELOCKS];
	uint32_t n;
	uint64_t recorded[RECORDED]; /* hash table */
	uint32_t nrecorded;
	const struct livelock *now;
	uint32_t at;
} *l;

void livelocks_init(void)
{
	l = memory_get(sizeof *l);
	part_give_livelocks();
}

static uint64_t *recorded_slot(uint64_t name)
{
	uint32_t i = (uint32_t)(name >> 32) & (RECORDED - 1);

	while (l->recorded[i] && l->recorded[i] != name)
		i = (i + 1) & (RECORDED - 1);
	return &l->recorded[i];
}

void livelock_recorded(uint64_t name)
{
	uint64_t *slot = recorded_slot(name);

	if (*slot || l->nrecorded == RECORDED / 2)
		return;
	*slot = name;
	l->nrecorded++;
}

bool livelock_is_recorded(uint64_t name)
{
	return *recorded_slot(name) != 0;
}

void livelock_later(const struct closed *closed)
{
	struct livelock *new = &l->list[l->n];
	uint64_t name = closed->name;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->list[i].name == name)
			return;
	if (*recorded_slot(name))
		return;
	if (l->n == LIVELOCKS) {
		rt->status->limits |= LP_LIMIT_LOOK;
		return;
	}
	l->n++;
	new->name = name;
	new->length = 0;
	new->schedule = memory_get(rt->n + closed->nway + 1);
	for (uint32_t k = 0; k < rt->n; k++)
		if (event_is_step(&rt->log[k]))
			new->schedule[new->length++] = rt->log[k].thread;
	copy(new->schedule + new->length, closed->way, closed->nway);
	new->length += closed->nway;
}

void livelocks_write(void)
{
	for (uint32_t i = 0; i < RECORDED; i++)
		if (l->recorded[i])
			text_add(part_text(), "livelock %u recorded\n", l->recorded[i]);
	for (uint32_t i = 0; i < l->n; i++) {
		if (livelock_is_recorded(l->list[i].name))
			continue;
		text_add(part_text(), "livelock %u ", l->list[i].name);
		for (uint32_t k = 0; k < l->list[i].length; k++)
			text_add(part_text(), k ? ".%u" : "%u",
				 (unsigned long)l->list[i].schedule[k]);
		text_add(part_text(), "\n");
	}
}

void livelock_given(uint64_t name, uint8_t *schedule, uint32_t length)
{
	if (l->n < LIVELOCKS)
		l->list[l->n++] = (struct livelock){ name, schedule, length };
	else
		rt->status->limits |= LP_LIMIT_LOOK;
}

static int pick(uint64_t enabled)
{
	return l->at < l->now->length ? l->now->schedule[l->at++] : first_choice(enabled);
}

static const struct strategy strategy_livelock = {
	.pick = pick,
	.distinct = true,
};

static void record(const struct livelock *livelock, look_run *run)
{
	l->now = livelock;
	l->at = 0;
	rt->strategy = &strategy_livelock;
	rt->prefix = rt->keep = 0;
	rt->choice = -1;
	rt->record = true;
	rt->waiting.given = livelock->length;
	run();
	rt->waiting.given = 0;
	rt->record = false;
}

/* What such an execution shows is judged anew: it goes on into the closed set, and its states may
 * not be known again, for what is dead may differ in them. */
void livelocks_record(look_run *run_to_answers)
{
	const struct strategy *strategy = rt->strategy;

	if (UNLIKELY(part && !part->livelocks && !part->draws))
		return; /* other parts may show it */
	for (uint32_t i = 0; i < l->n; i++)
		if (!livelock_is_recorded(l->list[i].name))
			record(&l->list[i], run_to_answers);
	if (l->n && !l->nrecorded)
		rt->status->limits |= LP_LIMIT_LOOK;
	rt->strategy = strategy;
}
