/* SPDX-License-Identifier: MIT
 *
 * From all traces of a run to a ranked list of repairs (Cirisci et al., CAV 2020).
 *
 * Each violating trace has a few static repairs, the images of its eliminators that pass the check.
 * Minimality is decided on the static blocks: different segments often have the same lines, and a
 * segment that contains no other may have lines that contain those of another. A repair of the run
 * chooses one of them for each trace and unites them. A union of more blocks still excludes what
 * its parts exclude: larger nodes, each within one thread, keep every cycle.
 *
 * Which conflicts count. Taking and releasing a lock are conflicts, so over all conflicts a cycle
 * often closes where the lock is taken, and the minimal block ends there, short of the write that
 * the lock protects. What a block has to cover is what is protected, not the lock. So eliminators
 * are looked for over the conflicts of memory accesses first, and over all conflicts only for a
 * trace for which that gives no static repair. More edges only mean more cycles, so what excludes a
 * trace over the memory accesses excludes it over all conflicts. A static repair is checked over
 * the conflicts from which it was found: the larger relation would accept a block whose lines reach
 * only to the lock. Linearizable traces are counted likewise, so that a trace does not count as
 * excluded only because of the turns in which threads took a lock.
 *
 * A block may then ask for what a lock ensures already: that accesses under it are not interrupted
 * by another block, which takes the lock too. Such a block is not needed over all conflicts and
 * left out. If some violating trace needs all conflicts, because of that or because memory accesses
 * have no eliminator, linearizable traces are counted over all of them: every combined repair has a
 * part for each violating trace.
 *
 * What is wrong may lie outside of operations: in a destructor, in a helper, or everywhere in a program
 * that has marked none. So a trace without a repair inside operations is looked at again with what
 * threads do between operations, or from their start, as further ones.
 *
 * Most traces have the same set of repairs as one before, so sets are numbered and combined once,
 * those with the fewest choices first. Combinations are minimal under subsumption after each step,
 * which is safe because uniting with the same blocks preserves subsumption. Their number is
 * bounded; what the bound drops is counted. At last a repair leaves out blocks that lie in what other blocks of it call:
 * the block of one trace may be the inner half of that of another.
 */
#include "repair/rank.h"

#include <stdlib.h>
#include <string.h>

#include "repair/check.h"
#include "repair/inner.h"
#include "repair/locate.h"
#include "base/numbering.h"
#include "repair/list.h"

struct choice { /* a distinct set of single-trace repairs, as numbers of the checker */
	uint32_t *repairs;
	uint32_t n;
};

struct ranking {
	struct ranking_options options;
	struct flows *flows;
	struct checker *checker;
	struct order order;
	struct eliminators eliminators;
	struct repair_list last;
	struct numbering names;
	struct choice *choices;
	uint32_t nchoices, choices_capacity;
	uint32_t *candidates; /* numbers of the combined repairs */
	bool all_conflicts;   /* some violating trace is only excluded over all conflicts */
	/* Of the trace that was looked at last. */
	bool last_serial, last_eliminated, last_truncated, last_all_conflicts;
	uint64_t last_conflicts;
	uint32_t last_wait; /* site of a wait inside a block, NONE */
	struct ranking_result result;
	uint64_t events, conflicts;
	struct sites sites; /* of traces that are wrong, and have a repair */
	bool foreign; /* there are repairs of traces that were not seen here */
};

struct ranking *ranking_new(const struct source_map *map, const struct ranking_options *options)
{
	struct ranking *r = xcalloc(1, sizeof *r);

	if (options)
		r->options = *options;
	if (!r->options.keep)
		r->options.keep = RANKING_KEEP;
	r->result.wait_site = NONE;
	r->flows = flows_new(map);
	r->checker = checker_new(r->flows);
	return r;
}

static void forget_result(struct ranking *r)
{
	for (uint32_t i = 0; i < r->result.nrepairs; i++)
		repair_free(&r->result.repairs[i].repair);
	free(r->result.repairs);
	free(r->candidates);
	r->result.repairs = NULL;
	r->candidates = NULL;
	r->result.nrepairs = 0;
	r->result.valid = 0;
}

void ranking_free(struct ranking *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nchoices; i++)
		free(r->choices[i].repairs);
	forget_result(r);
	free(r->choices);
	numbering_free(&r->names);
	sites_free(&r->sites);
	repair_list_free(&r->last);
	eliminators_free(&r->eliminators);
	order_free(&r->order);
	checker_free(r->checker);
	flows_free(r->flows);
	free(r);
}

static bool passes(struct ranking *r, const struct repair *repair)
{
	return checker_eliminates(r->checker, checker_add(r->checker, repair));
}

/* Can the blocks be entered? */
static bool possible(struct ranking *r, const struct trace *t, const struct repair *repair)
{
	uint32_t wait = checker_wait_inside(r->checker, checker_add(r->checker, repair));

	if (wait != NONE)
		r->last_wait = t->events[wait].site;
	return wait == NONE;
}

/* The static repair of a set of segments: from end to end if that passes the check, else blocks
 * that cover the segments, which always pass. False if positions are missing. */
static bool make_repair(struct ranking *r, const struct trace *t, const struct segment_set *set,
			struct repair *repair)
{
	const struct segment *s = r->eliminators.segments + set->start;
	struct block b;

	repair_init(repair);
	for (uint32_t i = 0; i < set->count; i++) {
		if (!locate_segment(r->flows, t, &r->order, &s[i], EXTENT_ENDS, &b))
			return false;
		repair_add(repair, &b);
	}
	if (passes(r, repair))
		return true;
	for (uint32_t i = 0; i < set->count; i++) {
		locate_covering(r->flows, t, &r->order, &s[i], &b);
		repair_add(repair, &b);
	}
	return passes(r, repair);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_choice(struct ranking *r, const struct repair *repairs, uint32_t n)
{
	uint32_t *numbers = xmalloc(n * sizeof *numbers);
	bool added;

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = checker_add(r->checker, &repairs[i]);
	qsort(numbers, n, sizeof *numbers, compare_numbers);
	numbering_add(&r->names, numbers, n * sizeof *numbers, &added);
	if (!added) {
		free(numbers);
		return;
	}
	VEC_GROW(r->choices, r->nchoices, r->choices_capacity);
	r->choices[r->nchoices++] = (struct choice){ numbers, n };
}

void ranking_add_choice(struct ranking *r, const struct repair *repairs, uint32_t n)
{
	r->foreign = true;
	add_choice(r, repairs, n);
}

void ranking_adopt(struct ranking *r, const struct ranking *from)
{
	for (uint32_t i = 0; i < from->nchoices; i++) {
		const struct choice *c = &from->choices[i];
		struct repair *repairs = xcalloc(c->n, sizeof *repairs);

		for (uint32_t k = 0; k < c->n; k++)
			repairs[k] = *checker_repair(from->checker, c->repairs[k]);
		ranking_add_choice(r, repairs, c->n);
		free(repairs);
	}
	r->all_conflicts |= from->all_conflicts;
}

/* The static repairs of the trace over the conflicts of r->order, into r->last. */
static void find_repairs(struct ranking *r, const struct trace *t)
{
	eliminators_find(t, &r->order, r->options.max_work, r->options.max_sets, &r->eliminators);
	checker_load(r->checker, t, &r->order);
	repair_list_clear(&r->last);
	for (uint32_t i = 0; i < r->eliminators.nsets; i++) {
		struct repair repair;

		if (make_repair(r, t, &r->eliminators.sets[i], &repair) &&
		    possible(r, t, &repair))
			repair_list_add(&r->last, &repair);
		else
			repair_free(&repair);
	}
	repair_list_trim(&r->last, r->last.n);
}

/* The repair without blocks that it does not need, tried in turn from number `first` on. */
static void leave_out(struct ranking *r, const struct repair *from, uint32_t first,
		      struct repair *to)
{
	repair_copy(to, from);
	for (uint32_t i = 0; i < from->nblocks; i++) {
		const struct block *b = &from->blocks[(first + i) % from->nblocks];
		struct repair less;

		repair_init(&less);
		for (uint32_t k = 0; k < to->nblocks; k++)
			if (!block_inside(&to->blocks[k], b))
				repair_add(&less, &to->blocks[k]);
		if (passes(r, &less)) {
			repair_free(to);
			*to = less;
		} else {
			repair_free(&less);
		}
	}
}

/* Where eliminators are looked for, in this order, until there is one. */
static const struct tier {
	bool memory;  /* only conflicts of memory accesses */
	bool outside; /* blocks may also lie outside of operations */
} tiers[] = { { true, false }, { false, false }, { true, true }, { false, true } };

static void build_order(struct ranking *r, const struct trace *t, struct tier tier)
{
	if (tier.memory)
		order_build_memory(&r->order, t);
	else
		order_build(&r->order, t);
	if (tier.outside)
		order_outside(&r->order, t, !r->options.no_operations);
}

/* Leaves out of r->last what is not needed over all conflicts; false if nothing is. */
static bool reduce(struct ranking *r, const struct trace *t, bool outside)
{
	struct repair_list reduced = { 0 };
	uint32_t most = 0;
	bool changed = false;

	for (uint32_t i = 0; i < r->last.n; i++)
		if (r->last.list[i].nblocks > most)
			most = r->last.list[i].nblocks;
	if (most < 2)
		return false;
	build_order(r, t, (struct tier){ .outside = outside });
	checker_load(r->checker, t, &r->order);
	for (uint32_t i = 0; i < r->last.n; i++)
		for (uint32_t k = 0; k < r->last.list[i].nblocks; k++) {
			struct repair less;

			leave_out(r, &r->last.list[i], k, &less);
			changed |= less.nblocks < r->last.list[i].nblocks;
			repair_list_add(&reduced, &less);
		}
	repair_list_trim(&reduced, reduced.n);
	repair_list_free(&r->last);
	r->last = reduced;
	return changed;
}

/* The repairs of the trace into r->last. */
static void find_in_tiers(struct ranking *r, const struct trace *t)
{
	r->last_eliminated = r->last_truncated = false;
	r->last_conflicts = 0;
	for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
		if (!tiers[i].outside && (!t->nops || r->options.no_operations))
			continue;
		build_order(r, t, tiers[i]);
		find_repairs(r, t);
		r->last_eliminated |= r->eliminators.nsets > 0;
		r->last_truncated |= r->eliminators.truncated;
		if (r->last.n || !r->last_conflicts)
			r->last_conflicts = order_conflicts(&r->order, t);
		if (!r->last.n)
			continue;
		if (!tiers[i].memory || reduce(r, t, tiers[i].outside))
			r->last_all_conflicts = true;
		return;
	}
}

void ranking_look(struct ranking *r, const struct trace *t)
{
	double start = now_seconds();

	r->last_wait = NONE;
	r->last_all_conflicts = false;
	repair_list_clear(&r->last);
	find_in_tiers(r, t);
	r->last_serial = false;
	if (!r->last.n) {
		build_order(r, t, (struct tier){ .outside = true });
		checker_load(r->checker, t, &r->order);
		r->last_serial = checker_serial(r->checker, false);
	}
	r->result.eliminator_seconds += now_seconds() - start;
}

void ranking_add_violation(struct ranking *r, const struct trace *t)
{
	ranking_look(r, t);
	ranking_add_last(r, t);
}

void ranking_add_last(struct ranking *r, const struct trace *t)
{
	r->result.violations++;
	r->result.truncated += r->last_truncated;
	r->events += t->nevents - t->nadded;
	r->conflicts += r->last_conflicts;
	r->all_conflicts |= r->last_all_conflicts;
	if (r->last.n) {
		add_choice(r, r->last.list, r->last.n);
		sites_see(&r->sites, t);
	} else if (r->last_wait != NONE) {
		r->result.without_repair++;
		r->result.waits_inside++;
		r->result.wait_site = r->last_wait;
	} else if (r->last_eliminated) {
		r->result.unmapped++;
	} else if (!r->last_truncated && !r->last_serial && checker_ends_early(t)) {
		r->result.cut_short++;
	} else if (!r->last_truncated) {
		r->result.without_repair++;
	}
}

bool ranking_last_serial(const struct ranking *r)
{
	return r->last_serial;
}

uint32_t ranking_last_count(const struct ranking *r)
{
	return r->last.n;
}

const struct repair *ranking_last(const struct ranking *r, uint32_t i)
{
	return &r->last.list[i];
}

static int compare_choices(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->repairs[i] != y->repairs[i])
			return x->repairs[i] < y->repairs[i] ? -1 : 1;
	return 0;
}

static void combine_with(struct ranking *r, struct repair_list *present,
			 const struct choice *choice)
{
	struct repair_list next = { 0 };

	for (uint32_t i = 0; i < present->n; i++)
		for (uint32_t k = 0; k < choice->n; k++) {
			struct repair sum;

			repair_copy(&sum, &present->list[i]);
			repair_unite(&sum, checker_repair(r->checker, choice->repairs[k]));
			repair_list_add(&next, &sum);
		}
	r->result.pruned += repair_list_trim(&next, r->options.keep);
	repair_list_free(present);
	*present = next;
}

void ranking_combine(struct ranking *r)
{
	struct ranking_result *result = &r->result;
	struct repair_list all = { 0 };
	struct repair none = { 0 };

	forget_result(r);
	result->distinct = r->nchoices;
	if (!r->nchoices)
		return;
	qsort(r->choices, r->nchoices, sizeof *r->choices, compare_choices);
	repair_list_add(&all, &none);
	for (uint32_t i = 0; i < r->nchoices; i++)
		combine_with(r, &all, &r->choices[i]);
	if (!r->foreign)
		inner_leave_out(r->flows, &r->sites, &all);
	result->repairs = xcalloc(all.n, sizeof *result->repairs);
	r->candidates = xmalloc(all.n * sizeof *r->candidates);
	for (uint32_t i = 0; i < all.n; i++) {
		r->candidates[i] = checker_add(r->checker, &all.list[i]);
		repair_copy(&result->repairs[i].repair, &all.list[i]);
	}
	result->nrepairs = all.n;
	repair_list_free(&all);
}

void ranking_add_valid(struct ranking *r, const struct trace *t)
{
	r->result.valid++;
	if (!r->result.nrepairs)
		return;
	build_order(r, t, (struct tier){ .memory = !r->all_conflicts, .outside = true });
	checker_load(r->checker, t, &r->order);
	for (uint32_t i = 0; i < r->result.nrepairs; i++)
		if (checker_eliminates(r->checker, r->candidates[i]))
			r->result.repairs[i].disabled++;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_repair *x = a, *y = b;

	if (x->disabled != y->disabled)
		return x->disabled < y->disabled ? -1 : 1;
	if (x->repair.nblocks != y->repair.nblocks)
		return x->repair.nblocks < y->repair.nblocks ? -1 : 1;
	return repair_compare(&x->repair, &y->repair);
}

const struct ranking_result *ranking_finish(struct ranking *r)
{
	struct ranking_result *result = &r->result;

	if (result->nrepairs)
		qsort(result->repairs, result->nrepairs, sizeof *result->repairs, compare_ranked);
	for (uint32_t i = 0; i < result->nrepairs; i++) {
		bool tie = i && result->repairs[i].disabled == result->repairs[i - 1].disabled;

		result->repairs[i].rank = tie ? result->repairs[i - 1].rank : i + 1;
	}
	if (result->violations) {
		result->average_events = (double)r->events / (double)result->violations;
		result->average_conflicts = (double)r->conflicts / (double)result->violations;
	}
	return result;
}

struct ranked_repair *ranking_list(struct ranking *r)
{
	return r->result.repairs;
}
