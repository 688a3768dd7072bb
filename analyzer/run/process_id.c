/* SPDX-License-Identifier: MIT */
#include "run/process_id.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/personality.h>

/* Locks have two flags above the id of their owner, as FUTEX_WAITERS and FUTEX_OWNER_DIED. */
#define ID_MASK 0x3fffffffU

/* The kernel puts programs, libraries and the stack there, each by another number of pages. */
#define LEAST_RANDOM 0x550000000000U
#define MOST_RANDOM  0x7fffffffffffU
#define PAGE	     4096
#define MOVES	     4

/* 0: not known yet. */
struct ids {
	uint32_t recorded, executed;
	uint32_t first, last; /* the executed one is one of these */
	uint64_t moves[MOVES];
};

/* Containers forbid to switch that off. */
static bool addresses_are_random(void)
{
	static int known = -1;
	int now;

	if (known < 0) {
		now = personality(0xffffffff);
		known = now < 0 || (!(now & ADDR_NO_RANDOMIZE) && personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0);
		if (now >= 0)
			personality((unsigned long)now);
	}
	return known;
}

static bool may_be_random(uint64_t address)
{
	return LEAST_RANDOM <= address && address <= MOST_RANDOM;
}

static bool moved(struct ids *ids, uint64_t recorded, uint64_t executed)
{
	uint64_t by = executed - recorded;

	if (by % PAGE || !may_be_random(recorded) || !may_be_random(executed) || !addresses_are_random())
		return false;
	for (unsigned i = 0; i < MOVES; i++) {
		if (!ids->moves[i])
			ids->moves[i] = by;
		if (ids->moves[i] == by)
			return true;
	}
	return false;
}

/* Ids of processes begin again behind the largest one. */
static bool possible(const struct ids *ids, uint32_t id)
{
	return ids->first <= ids->last ? ids->first <= id && id <= ids->last : id >= ids->first || id <= ids->last;
}

static bool same_half(struct ids *ids, uint32_t recorded, uint32_t executed)
{
	if (recorded == executed)
		return true;
	if (!ids->executed && possible(ids, executed & ID_MASK))
		ids->executed = executed & ID_MASK;
	if ((executed & ID_MASK) != ids->executed || (executed & ~ID_MASK) != (recorded & ~ID_MASK) ||
	    (ids->recorded && (recorded & ID_MASK) != ids->recorded))
		return false;
	ids->recorded = recorded & ID_MASK;
	return true;
}

/* The id may be in either half of a word. */
static bool same_value(struct ids *ids, uint64_t recorded, uint64_t executed)
{
	if (recorded == executed || moved(ids, recorded, executed))
		return true;
	return same_half(ids, (uint32_t)recorded, (uint32_t)executed) &&
	       same_half(ids, (uint32_t)(recorded >> 32), (uint32_t)(executed >> 32));
}

static uint64_t number_at(const char **p)
{
	char *end;
	uint64_t v = strtoull(*p, &end, 10);

	*p = end;
	return v;
}

bool same_but_for_process(const char *recorded, const char *executed, uint64_t first, uint64_t last)
{
	struct ids ids = { .first = (uint32_t)first, .last = (uint32_t)last };

	while (*recorded || *executed) {
		if (isdigit((unsigned char)*recorded) && isdigit((unsigned char)*executed)) {
			if (!same_value(&ids, number_at(&recorded), number_at(&executed)))
				return false;
		} else if (*recorded++ != *executed++) {
			return false;
		}
	}
	return true;
}

static void take(struct ids *ids, uint64_t *recorded, uint64_t executed)
{
	if (same_value(ids, *recorded, executed))
		*recorded = executed;
}

void trace_take_process(struct trace *recorded, const struct trace *executed, uint64_t process)
{
	struct ids ids = { .first = (uint32_t)process, .last = (uint32_t)process };

	for (uint32_t i = 0; i < recorded->nevents && i < executed->nevents; i++)
		for (int k = 0; k < 2; k++)
			take(&ids, &recorded->events[i].value[k], executed->events[i].value[k]);
	for (uint32_t i = 0; i < recorded->nops && i < executed->nops; i++)
		for (uint32_t k = 0; k < recorded->ops[i].nargs && k < executed->ops[i].nargs; k++) {
			uint64_t argument = (uint64_t)recorded->ops[i].args[k];

			take(&ids, &argument, (uint64_t)executed->ops[i].args[k]);
			recorded->ops[i].args[k] = (int64_t)argument;
		}
}
