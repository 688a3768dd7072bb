/* SPDX-License-Identifier: MIT
 *
 * A minimal failing core of a part that is not linearizable.
 *
 * Only deletions that keep linearizable histories linearizable are made, so that what is left is a
 * reason for the verdict and not made by the deletions:
 *
 *  - of everything that happens after some moment (operations that run then never return);
 *  - of an operation that does not change the state (a read, an empty pop, a failed add);
 *  - of all operations of a value, in stacks, queues and the like (adt_traits ADT_VALUES), unless
 *    something is left that depends on how many values there are, such as size().
 *
 * Those *units* of deletion are minimized one necessary unit after the other: the shortest failing
 * prefix of the units is found by doubling and halving, its last unit is necessary, and the search
 * goes on before it (the idea of QuickXplain, Junker, AAAI 2004). With k necessary units of m that
 * takes about k log m checks, most of them small. A monitor's core to begin with makes m small.
 */
#include "lin/check/witness.h"

#include <stdlib.h>
#include <string.h>

/*
 * Deleting reads can make a check much harder than the one that found the violation. A check that
 * takes too long counts as one that passes: the unit stays, and the witness is still a reason, but
 * perhaps not minimal.
 */
#define CHECK_STEPS 50000
#define ALL_STEPS   3000000

#define KEPT UINT32_MAX /* no unit: never deleted */

struct shrink {
	const struct lin_part *part;
	struct lin_run *run;
	enum check_mode mode;
	uint32_t *unit; /* by operation */
	uint32_t nunits;
	bool *in; /* by unit */
};

static bool fails(const struct lin_part *part, struct lin_run *run, enum check_mode mode)
{
	return check_part(part, run, mode == CHECK_MONITOR ? CHECK_AUTO : mode,
			  run->options->workers) == LIN_VIOLATION;
}

static bool subset_fails(struct shrink *s, const bool *keep, uint32_t cut)
{
	struct arena arena = { 0 };
	struct lin_part sub;
	bool bad;

	part_subset(s->part, keep, cut, &arena, &sub);
	bad = fails(&sub, s->run, s->mode);
	arena_free(&arena);
	return bad;
}

static bool late(const struct lin_run *run)
{
	return run->steps > ALL_STEPS || (run->deadline && now_seconds() > run->deadline);
}

/* Do the units found necessary (in[]) and the first n fail? */
static bool units_fail(struct shrink *s, uint32_t n)
{
	bool *keep = xmalloc(s->part->nops), bad;

	for (uint32_t i = 0; i < s->part->nops; i++)
		keep[i] = s->unit[i] == KEPT || s->unit[i] < n || s->in[s->unit[i]];
	bad = subset_fails(s, keep, UINT32_MAX);
	free(keep);
	return bad;
}

/* The least n for which the first n units fail, known to be at most `most`. */
static uint32_t shortest(struct shrink *s, uint32_t most)
{
	uint32_t good = 0, n = 1;

	while (n < most && !units_fail(s, n) && !late(s->run)) {
		good = n;
		n = 2 * n;
	}
	if (n > most || late(s->run))
		n = most;
	while (n - good > 1 && !late(s->run)) {
		uint32_t middle = good + (n - good) / 2;

		if (units_fail(s, middle))
			n = middle;
		else
			good = middle;
	}
	return n;
}

static void minimize(struct shrink *s)
{
	uint32_t n = s->nunits;

	s->in = xcalloc(n + 1, sizeof *s->in);
	while (n && !units_fail(s, 0)) {
		n = shortest(s, n);
		s->in[--n] = true;
		if (late(s->run)) {
			memset(s->in, true, n);
			return;
		}
	}
}

static const struct adt_method *method_of(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt *adt = part->spec->adt;

	return adt->methods ? &adt->methods[op->method] : NULL;
}

/* Does its being possible depend on how much there is? */
static bool is_fragile(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt_method *m = method_of(part, op);

	bool bounded = part->spec->adt->min_parameters > 0;

	return m && ((m->flags & M_FRAGILE) ||
		     (bounded && (m->flags & M_ADDS) && (op->flags & OP_OBSERVER)));
}

/* The value the operation is about, if that is known. */
static bool value_of(const struct lin_part *part, const struct lin_op *op, int64_t *value)
{
	const struct adt_method *m = method_of(part, op);

	if (!m)
		return false;
	if (op->nargs) {
		*value = op->a;
		return true;
	}
	*value = op->r;
	return (m->flags & (M_TAKES | M_READS)) && !(op->flags & OP_ANY) && op->r != WORD_EMPTY;
}

static uint32_t value_unit(struct shrink *s, int64_t value, int64_t *values, uint32_t *units,
			   uint32_t mask)
{
	uint32_t i = (uint32_t)(hash_mix(7, (uint64_t)value) >> 8) & mask;

	for (; units[i]; i = (i + 1) & mask)
		if (values[i] == value)
			return units[i] - 1;
	values[i] = value;
	units[i] = ++s->nunits;
	return s->nunits - 1;
}

/* Gives every operation its unit; units are numbered in the order of time. */
static void assign_units(struct shrink *s, bool by_value)
{
	const struct lin_part *p = s->part;
	uint32_t mask = 15, *units;
	int64_t *values, value;

	while (mask < 2 * p->nops)
		mask = 2 * mask + 1;
	values = xreallocarray(NULL, (size_t)mask + 1, sizeof *values);
	units = xcalloc((size_t)mask + 1, sizeof *units);
	s->unit = xreallocarray(NULL, p->nops, sizeof *s->unit);
	s->nunits = 0;
	for (uint32_t i = 0; i < p->nops; i++) {
		const struct lin_op *op = &p->ops[i];

		if (by_value && value_of(p, op, &value))
			s->unit[i] = value_unit(s, value, values, units, mask);
		else if (op->flags & OP_OBSERVER)
			s->unit[i] = s->nunits++;
		else
			s->unit[i] = KEPT;
	}
	free(values);
	free(units);
}

/* Did it take out an unknown value? Without that value it would have to take another. */
static bool takes_unknown(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt_method *m = method_of(part, op);

	return m && (m->flags & M_TAKES) && (op->flags & (OP_ANY | OP_PENDING)) == OP_ANY;
}

/* Deletes all fragile operations if the rest still fails; true if values can be deleted from what
 * is left. */
static bool without_fragile(struct shrink *s, bool *keep)
{
	bool *rest = xmalloc(s->part->nops), any = false, unknown = false, bad;

	for (uint32_t i = 0; i < s->part->nops; i++) {
		bool fragile = is_fragile(s->part, &s->part->ops[i]);

		rest[i] = keep[i] && !fragile;
		any |= keep[i] && fragile;
		unknown |= keep[i] && takes_unknown(s->part, &s->part->ops[i]);
	}
	bad = !unknown && (!any || subset_fails(s, rest, UINT32_MAX));
	if (bad)
		memcpy(keep, rest, s->part->nops);
	free(rest);
	return bad;
}

/* The least event count at which what happened before fails already. */
static uint32_t shortest_prefix(struct shrink *s, const bool *keep)
{
	uint32_t good = 0, bad = s->part->nevents;

	while (bad - good > 1 && !late(s->run)) {
		uint32_t middle = good + (bad - good) / 2;

		if (subset_fails(s, keep, middle))
			bad = middle;
		else
			good = middle;
	}
	return bad;
}

/* The core that a monitor reports, if it really fails by itself. */
static void begin_with_core(struct shrink *s, bool *keep)
{
	const struct adt *adt = s->part->spec->adt;
	struct monitor_core core = { 0 };
	bool *only = xcalloc(s->part->nops, sizeof *only);

	memset(keep, true, s->part->nops);
	if (s->mode != CHECK_GENERAL && adt->monitor &&
	    adt->monitor(s->part, &core) == MONITOR_VIOLATION && core.nops) {
		for (uint32_t i = 0; i < core.nops; i++)
			only[core.ops[i]] = true;
		if (subset_fails(s, only, UINT32_MAX))
			memcpy(keep, only, s->part->nops);
	}
	free(core.ops);
	free(only);
}

/* Operations that never return and are called behind the last return cannot matter. */
static void drop_late_calls(const struct lin_part *p, bool *keep)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < p->nops; i++)
		if (keep[i] && p->ops[i].ret != RANK_PENDING && p->ops[i].ret > last)
			last = p->ops[i].ret;
	for (uint32_t i = 0; i < p->nops; i++)
		keep[i] &= p->ops[i].call < last;
}

static void report(const struct lin_part *part, const bool *keep, struct lin_run *run,
		   struct arena *arena, struct lin_result *result)
{
	struct lin_part sub;

	part_subset(part, keep, UINT32_MAX, arena, &sub);
	result->witness = xreallocarray(NULL, sub.nops, sizeof *result->witness);
	result->nwitness = sub.nops;
	for (uint32_t i = 0; i < sub.nops; i++)
		result->witness[i] = sub.ops[i].id;
	result->why = explain(&sub, run);
	if (run->options->linearization)
		order_partial(&sub, run, result);
}

void witness_find(const struct lin_part *part, struct lin_run *run, enum check_mode mode,
		  struct lin_result *result)
{
	struct arena arena = { 0 };
	struct lin_run limited = *run;
	struct shrink s = { .part = part, .run = &limited, .mode = mode };
	bool *keep = xmalloc(part->nops ? part->nops : 1), by_value = false;
	uint32_t cut = UINT32_MAX;
	struct lin_part sub;

	limited.step_limit = CHECK_STEPS;
	limited.steps = 0;
	begin_with_core(&s, keep);
	if (part->spec->adt->traits & ADT_VALUES)
		by_value = without_fragile(&s, keep);
	if (!by_value)
		cut = shortest_prefix(&s, keep);
	part_subset(part, keep, cut, &arena, &sub);
	s.part = &sub;
	assign_units(&s, by_value);
	minimize(&s);
	for (uint32_t i = 0; i < sub.nops; i++)
		keep[i] = s.unit[i] == KEPT || s.in[s.unit[i]];
	drop_late_calls(&sub, keep);
	report(&sub, keep, &limited, &arena, result);
	free(s.unit);
	free(s.in);
	free(keep);
	arena_free(&arena);
}
