/* SPDX-License-Identifier: MIT
 *
 * The model's ends must all be among what the executions of a finished search came to. The other
 * way round, dfs leaves no execution unfinished but those that it says it has run again, so what it
 * came to must be an end of the model, and so must what the others came to where main saw all that is in memory at the end. The
 * kinds of ends are those that the run counts by itself. Of accesses to freed memory only the kind is
 * compared: whether one is found when the memory is freed, because it is about to happen, or when
 * it happens, is the same error.
 */
#include "compare.h"
#include "kinds.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_EXECUTIONS 200

static int compare_results(const void *a, const void *b)
{
	return memcmp(a, b, MOST_OPS);
}

static const uint8_t outcomes[ENDS] = {
	[END_STUCK] = LP_OUT_DEADLOCK,
	[END_OK] = LP_OUT_OK,
	[END_EXIT] = LP_OUT_EXIT,
	[END_CRASH] = LP_OUT_CRASH,
	[END_ABORT] = LP_OUT_ABORT,
	[END_USE_AFTER_FREE] = LP_OUT_USE_AFTER_FREE,
	[END_BAD_FREE] = LP_OUT_BAD_FREE,
	[END_MISUSE] = LP_OUT_MISUSE,
};

/* The model's ends without what the program itself cannot say. */
static void blind(struct explored *x, const struct model *m)
{
	memset(x, 0, sizeof *x);
	x->list = malloc((m->nends + 1UL) * sizeof *x->list);
	for (uint32_t i = 0; i < m->nends; i++) {
		struct record r = m->ends[i];

		r.end = 0;
		if (!x->n || memcmp(&x->list[x->n - 1], &r, sizeof r))
			x->list[x->n++] = r;
	}
}

static bool kinds_agree(const struct model *m, const struct explored *x, const char *search)
{
	uint64_t expected = 0;
	bool same = true;

	for (uint32_t i = 0; i < m->nends; i++)
		expected |= 1UL << outcomes[m->ends[i].end];
	for (unsigned k = 0; k < LP_OUT_COUNT; k++) {
		bool wanted = expected >> k & 1, found = x->status.outcomes[k] != 0;

		if (wanted != found) {
			printf("%s: outcome %u is %s\n", search, k, wanted ? "lost" : "wrong");
			same = false;
		}
	}
	return same;
}

/* All that the search found is possible. With `every`, executions that were run again are left out:
 * they may have left anything. */
static bool sound(const struct program *p, const struct explored *all, const struct explored *x,
		  const char *search, bool every)
{
	uint32_t unfinished = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		const struct record *r = &x->list[i];

		if ((every || r->marks & MARK_FINAL) && !explored_has(all, r)) {
			if (!(r->marks & MARK_FINAL) && ++unfinished <= x->status.again)
				continue;
			printf("%s: this is impossible:\n", search);
			print_record(p, r);
			return false;
		}
	}
	return true;
}

static bool of_freed_memory(uint8_t end)
{
	return end == END_USE_AFTER_FREE || end == END_BAD_FREE;
}

/* All that is possible was found. */
static bool complete(const struct program *p, const struct model *m, const struct explored *x,
		     const char *search)
{
	for (uint32_t i = 0; i < m->nends; i++) {
		struct record r = m->ends[i];

		if (of_freed_memory(r.end))
			continue;
		r.end = 0;
		if (!explored_has(x, &r)) {
			printf("%s: this was not found:\n", search);
			print_record(p, &m->ends[i]);
			return false;
		}
	}
	return kinds_agree(m, x, search);
}

static bool same_classes(const struct explored *dfs, const struct explored *x, const char *search)
{
	/* A lock is made anew while it is held, say: nobody claims that these are all. */
	const uint32_t unseen = LP_LIMIT_UNSEEN | LP_LIMIT_UNSEEN_MEMORY | LP_LIMIT_UNSEEN_STATE;
	bool limited = (dfs->status.limits & x->status.limits & unseen) != 0, same = true;

	for (unsigned k = 0; k < LP_OUT_COUNT; k++)
		same &= dfs->status.outcomes[k] == x->status.outcomes[k];
	if (same || limited)
		return true;
	printf("dfs finds %llu classes, %s %llu\n", (unsigned long long)dfs->status.classes, search,
	       (unsigned long long)x->status.classes);
	return false;
}

/* Searches bound by bound that are finished, which may take many executions, have found all. */
static bool bounded_agrees(const struct explored *dfs, const struct program *p,
			   const struct setting *s, const char *search)
{
	struct explored x;
	bool ok;

	explore(&x, s, p, search);
	ok = !x.failed;
	if (!ok)
		printf("a run failed, see %s/log\n", s->directory);
	ok = ok && (x.status.end != LP_END_COMPLETE || same_classes(dfs, &x, search));
	explored_free(&x);
	return ok;
}

static bool allocates(const struct program *p)
{
	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++)
			if (p->ops[t][i].what == OP_HEAP_NEW)
				return true;
	return false;
}

/* Blocks that pass from thread to thread, which the model does not know. */
static bool reuse_agrees(const struct program *p, const struct setting *s)
{
	struct setting reuse = *s;
	struct explored source, dpor, dfs;
	bool ok;

	reuse.policy = "reuse";
	explore(&source, &reuse, p, "source");
	explore(&dpor, &reuse, p, "dpor");
	explore(&dfs, &reuse, p, "dfs");
	ok = !source.failed && !dpor.failed && !dfs.failed;
	if (!ok)
		printf("a run failed, see %s/log\n", s->directory);
	if (ok && dfs.status.end == LP_END_COMPLETE) {
		ok = source.status.end == LP_END_COMPLETE &&
		     dpor.status.end == LP_END_COMPLETE && same_classes(&dfs, &source, "source") &&
		     same_classes(&dfs, &dpor, "dpor");
		if (!ok)
			printf("with blocks that pass from thread to thread\n");
	}
	explored_free(&source);
	explored_free(&dpor);
	explored_free(&dfs);
	return ok;
}

/* Not every class, but all that the program can tell apart. */
static bool observers_agree(const struct explored *all, const struct model *m, const struct program *p,
			    const struct setting *s, struct tally *tally)
{
	struct setting observers = *s;
	struct explored x;
	bool ok;

	observers.equivalence = "observers";
	observers.max_executions *= 20; /* what changes nothing is a write, too, so there may be more */
	explore(&x, &observers, p, "dpor");
	ok = !x.failed;
	if (!ok)
		printf("a run failed, see %s/log\n", s->directory);
	if (ok && x.status.end != LP_END_COMPLETE) {
		printf("with observers dpor needs more executions\n");
		ok = false;
	}
	ok = ok && sound(p, all, &x, "observers", false) && complete(p, m, &x, "observers");
	tally->executions[2] += x.status.executions;
	explored_free(&x);
	return ok;
}

/* Executions end in states that were met before; what can be told apart must all be there. */
static bool stateful_agrees(const struct explored *all, const struct model *m, const struct program *p,
			    const struct setting *s, const char *search, bool audit, struct tally *tally)
{
	struct setting merging = *s;
	struct explored x;
	bool ok;

	merging.max_executions *= 20;
	merging.audit = audit;
	explore(&x, &merging, p, search);
	ok = !x.failed;
	if (!ok)
		printf("a run of %s failed, see %s/log\n", search, s->directory);
	if (ok && x.status.end == LP_END_COMPLETE && !x.status.limits) {
		ok = sound(p, all, &x, search, false) && complete(p, m, &x, search);
		tally->stateful++;
		tally->states += x.status.states;
		tally->merged += x.status.merged;
	}
	explored_free(&x);
	return ok;
}

/* Twins have no order, so it does not matter which of them main waits for in the end, and what it does by itself
 * between two joins. */
static struct record unnamed(const struct program *p, struct record r)
{
	bool joining = false;

	for (unsigned i = 0; i < p->n[0] && !(r.marks & MARK_FINAL); i++) {
		joining |= p->ops[0][i].what == OP_JOIN;
		if (joining)
			r.result[0][i] = 0;
	}
	qsort(r.result[1], p->twins, sizeof r.result[1], compare_results);
	return r;
}

static void unname(const struct program *p, struct explored *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		x->list[i] = unnamed(p, x->list[i]);
	qsort(x->list, x->n, sizeof *x->list, compare_records);
}

/* Each end of the model, when its twins have changed places. */
static bool twins_complete(const struct program *p, const struct model *m, const struct explored *x,
			   const char *equivalence)
{
	for (uint32_t i = 0; i < m->nends; i++) {
		struct record r = unnamed(p, m->ends[i]);

		if (of_freed_memory(r.end))
			continue;
		r.end = 0;
		if (!explored_has(x, &r)) {
			printf("%s: this was not found:\n", equivalence);
			print_record(p, &m->ends[i]);
			return false;
		}
	}
	return kinds_agree(m, x, equivalence);
}

static bool twins_agree(const struct explored *whole, const struct model *m, const struct program *p,
			const struct setting *s, struct tally *tally)
{
	static const char *const equivalences[] = { "symmetry", "symmetry", "observers+symmetry" };
	static const char *const searches[] = { "dpor", "source", "dpor" };
	struct setting twins = *s;
	struct explored all;
	bool ok = true;

	blind(&all, m);
	unname(p, &all);
	for (unsigned i = 0; i < 3 && ok; i++) {
		bool observers = i == 2; /* where what changes nothing is a write, too, so there may be more */
		struct explored x;

		twins.equivalence = equivalences[i];
		explore(&x, &twins, p, searches[i]);
		ok = !x.failed && x.status.end == LP_END_COMPLETE &&
		     (observers || x.status.classes <= whole->status.classes);
		if (!ok)
			printf("with %s %s failed, was not finished, or finds more, see %s/log\n", twins.equivalence,
			       searches[i], s->directory);
		unname(p, &x);
		ok = ok && sound(p, &all, &x, twins.equivalence, false) && twins_complete(p, m, &x, twins.equivalence);
		tally->executions[3] += i ? 0 : x.status.executions;
		explored_free(&x);
	}
	explored_free(&all);
	return ok;
}

/* Parts of very few executions, some of which another process explores at the same time. */
static bool parts_agree(const struct explored *whole, const struct program *p,
			const struct setting *s, const char *search, unsigned executions,
			unsigned processes)
{
	struct explored x;
	bool ok;

	explore_in_parts(&x, s, p, search, executions, processes);
	ok = !x.failed && x.status.end == LP_END_COMPLETE;
	if (!ok)
		printf("%s in parts failed or was not finished, see %s/log\n", search, s->directory);
	for (unsigned k = 0; k < LP_OUT_COUNT && ok; k++)
		ok = whole->status.outcomes[k] == x.status.outcomes[k];
	for (uint32_t i = 0; i < whole->n && ok; i++)
		ok = !(whole->list[i].marks & MARK_FINAL) || explored_has(&x, &whole->list[i]);
	if (!ok)
		printf("%s finds %llu classes, in parts %llu\n", search,
		       (unsigned long long)whole->status.classes,
		       (unsigned long long)x.status.classes);
	explored_free(&x);
	return ok;
}

static bool all_parts_agree(const struct explored *source, const struct explored *dpor,
			    const struct explored *dfs, const struct program *p,
			    const struct setting *s)
{
	struct setting many = *s;

	many.max_executions *= 30;
	return parts_agree(dpor, p, &many, "dpor", 3, 1) && parts_agree(dpor, p, &many, "dpor", 20, 2) &&
	       parts_agree(source, p, &many, "source", 7, 3) &&
	       (dfs->status.end != LP_END_COMPLETE || dfs->status.executions > 200 ||
		parts_agree(dfs, p, &many, "dfs", 30, 2));
}

bool compare(const struct model *m, const struct program *p, const struct setting *s,
	     struct tally *tally)
{
	struct setting few = *s;
	struct explored all, source, dpor, dfs, random;
	bool ok, finished;

	few.max_executions = RANDOM_EXECUTIONS;
	blind(&all, m);
	explore(&source, s, p, "source");
	explore(&dpor, s, p, "dpor");
	kinds_add(tally, s, p);
	explore(&dfs, s, p, "dfs");
	explore(&random, &few, p, "random");
	finished = source.status.end == LP_END_COMPLETE && dpor.status.end == LP_END_COMPLETE;
	ok = !source.failed && !dpor.failed && !dfs.failed && !random.failed;
	if (!ok)
		printf("a run failed, see %s/log\n", s->directory);
	ok = ok && sound(p, &all, &source, "source", false) &&
	     sound(p, &all, &dpor, "dpor", false) &&
	     sound(p, &all, &random, "random", false) &&
	     sound(p, &all, &dfs, "dfs",
		   dfs.status.end == LP_END_COMPLETE && !dfs.status.restarts);
	if (ok && dfs.status.end == LP_END_COMPLETE) {
		tally->by_dfs++;
		if (!finished) {
			printf("a reduction needs more executions than dfs\n");
			ok = false;
		}
		ok = ok && complete(p, m, &dfs, "dfs") && same_classes(&dfs, &source, "source") &&
		     same_classes(&dfs, &dpor, "dpor") &&
		     bounded_agrees(&dfs, p, s, "bounded") && bounded_agrees(&dfs, p, s, "delayed");
	}
	if (ok && finished)
		ok = complete(p, m, &source, "source") && complete(p, m, &dpor, "dpor") &&
		     same_classes(&source, &dpor, "dpor (not dfs but source)");
	if (ok && finished)
		ok = observers_agree(&all, m, p, s, tally);
	if (ok && finished && s->stateful)
		ok = stateful_agrees(&all, m, p, s, "spor", false, tally) &&
		     stateful_agrees(&all, m, p, s, "spor", true, tally) &&
		     stateful_agrees(&all, m, p, s, "despor", false, tally) &&
		     stateful_agrees(&all, m, p, s, "dlspor", false, tally);
	if (ok && finished && p->twins)
		ok = twins_agree(&dpor, m, p, s, tally);
	if (ok && finished) {
		tally->executions[0] += source.status.executions;
		tally->executions[1] += dpor.status.executions;
		tally->cut += dpor.status.blocked;
	}
	if (ok && finished && s->command && dpor.status.executions > 3)
		ok = all_parts_agree(&source, &dpor, &dfs, p, s);
	if (ok && allocates(p))
		ok = reuse_agrees(p, s);
	tally->programs += finished;
	tally->too_big += !finished;
	tally->ends += finished ? m->nends : 0;
	explored_free(&all);
	explored_free(&source);
	explored_free(&dpor);
	explored_free(&dfs);
	explored_free(&random);
	return ok;
}
