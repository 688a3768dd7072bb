/* SPDX-License-Identifier: MIT
 *
 * The loop of the CAV paper, and what it rests on.
 *
 * If all classes of the client are known, the repairs exclude all that are wrong, and to explore with the
 * best one in force is a test: of this program, and for ends at which nobody can go on that only the
 * blocks bring about. If the search was cut short, the exploration finds wrong classes that were not
 * known. Their repairs are united with those of all others, and the best repair is explored again. That
 * ends: blocks only grow, and whole operations exclude all that is not sequential.
 *
 * A lock around the same lines does less than atomic blocks: see repair/closure.h for what it has to
 * hold. Both are tried.
 */
#include "judge/prove.h"
#include "base/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/analysis.h"
#include "judge/execute.h"
#include "judge/predict.h"
#include "repair/ranges.h"
#include "run/files.h"

#define MOST_ROUNDS 20
#define MOST_TIED   10   /* repairs that share a rank are all proved, up to so many */
#define LEAST_TIME  0.05 /* seconds: less is not worth a try */

/* Seconds for one exploration, and for all, beside the time of the search without blocks: unless there is
 * patience. */
#define SOME_TIME  2.0
#define SOME_TIMES 4.0 /* as long as that search, besides */
#define ALL_TRIES  3.0 /* as much for all explorations */

/* ---- one exploration ---- */

struct forcing {
	const char *blocks, *enforce;
	bool operations;
	double seconds;
	uint64_t reused;
};

static void change(struct launch *l, struct settings *s, void *data)
{
	const struct forcing *f = data;

	l->blocks = f->blocks;
	l->reused = f->reused;
	if (!f->operations)
		l->ops = NULL;
	s->enforce = f->enforce;
	s->progress = "none";
	s->max_time = f->seconds;
}

static int execute(const struct analysis *a, const struct repair *r, struct forcing *f,
		   const char *directory, struct error *e)
{
	char *code = blocks_text(a->run->program, r->blocks, r->nblocks, e), *path;
	int result;

	if (!code)
		return -1;
	path = xasprintf("%s/blocks", directory);
	result = blocks_save(code, path, e);
	f->blocks = path;
	if (result == 0)
		result = execute_again(a->run, directory, "with blocks in force", change, f, e);
	free(path);
	free(code);
	return result;
}

static int judge_attempt(const struct analysis *a, const char *specification,
			 struct attempt *attempt, struct error *e)
{
	const struct analysis_options options = {
		.check = a->check,
		.specification = specification,
		.self = a->brief ? NULL : a->self,
		.nested = true,
	};

	attempt->run = run_open(attempt->directory, e);
	if (!attempt->run)
		return -1;
	attempt->found = xcalloc(1, sizeof *attempt->found);
	return analysis_run(attempt->run, &options, attempt->found, e);
}

static void decide(const struct analysis *a, struct attempt *attempt)
{
	const struct analysis *found = attempt->found;
	const struct lp_status *s = &attempt->run->status;

	attempt->classes = found->classes;
	attempt->completed = found->outcomes[LP_OUT_OK] + found->outcomes[LP_OUT_EXIT];
	attempt->stuck = found->outcomes[LP_OUT_DEADLOCK] && !a->outcomes[LP_OUT_DEADLOCK];
	if (found->nfindings)
		attempt->result = PROOF_FAILS;
	else if (s->executions && s->executions == s->cut)
		attempt->why = xstrdup("every execution was cut");
	else if (!found->classes && !s->unkept)
		attempt->why = xstrdup("no class was seen in that time");
	else if (analysis_complete(found) && !found->unknown)
		attempt->result = PROOF_HOLDS;
	else
		attempt->result = PROOF_BOUNDED;
}

/* What was found is needed no more if nothing was. */
static void forget(struct attempt *attempt)
{
	if (attempt->found) {
		analysis_free(attempt->found);
		free(attempt->found);
	}
	if (attempt->run)
		run_close(attempt->run);
	if (attempt->directory) {
		run_files_remove(attempt->directory);
		rmdir(attempt->directory);
	}
	free(attempt->directory);
	attempt->found = NULL;
	attempt->run = NULL;
	attempt->directory = NULL;
}

void prove_attempt(const struct analysis *a, const char *specification, const struct repair *r,
		   const char *enforce, double seconds, struct attempt *attempt)
{
	struct forcing f = { .enforce = enforce,
			     .operations = !a->no_operations,
			     .seconds = seconds,
			     .reused = a->run->status.reused };
	double start = now_seconds();
	struct error e;

	*attempt = (struct attempt){ 0 };
	attempt->directory = run_files_temporary("prove", &e);
	if (!attempt->directory || execute(a, r, &f, attempt->directory, &e) < 0 ||
	    judge_attempt(a, specification, attempt, &e) < 0) {
		attempt->why = xstrdup(e.message);
		forget(attempt);
	} else {
		decide(a, attempt);
	}
	attempt->seconds = now_seconds() - start;
}

void attempt_free(struct attempt *attempt)
{
	forget(attempt);
	free(attempt->why);
	*attempt = (struct attempt){ 0 };
}

/* ---- all of them ---- */

struct proving {
	struct analysis *a;
	const struct prove_options *options;
	struct proofs *p;
	double deadline; /* 0: none */
	double each;     /* seconds for one exploration; 0: no bound of its own */
};

/* The time that the run was given and has not used, but at least a quarter of it; not more than the
 * command has. */
static double deadline_of(const struct run *run)
{
	struct settings settings;
	char *text = NULL;
	double left;
	int read = settings_read(run->directory, &settings, &text, NULL);

	free(text);
	if (read < 0 || settings.max_time <= 0)
		return 0;
	left = settings.max_time - run->status.seconds;
	if (left < settings.max_time / 4)
		left = settings.max_time / 4;
	if (left > budget_left())
		left = budget_left();
	return now_seconds() + left;
}

static void hurry(struct proving *v)
{
	double all;

	v->each = SOME_TIME + SOME_TIMES * v->a->run->status.seconds;
	all = now_seconds() + ALL_TRIES * v->each;
	if (!v->deadline || all < v->deadline)
		v->deadline = all;
}

static bool attempt_in_time(struct proving *v, const struct repair *r, const char *enforce,
			    struct attempt *attempt)
{
	double left = v->deadline ? v->deadline - now_seconds() : 0;

	if (v->deadline && left < LEAST_TIME) {
		attempt->why = xstrdup("the time is used up");
		return false;
	}
	if (v->each && (!v->deadline || v->each < left))
		left = v->each;
	prove_attempt(v->a, v->options->specification, r, enforce, left, attempt);
	return attempt->result != PROOF_NONE;
}

static void compare_with_prediction(struct proving *v, const struct repair *r,
				    struct attempt *attempt)
{
	const struct analysis *a = v->a;

	if (!attempt->run || !analysis_complete(a) || !analysis_complete(attempt->found) ||
	    a->run->status.redundant || a->run->status.unkept ||
	    attempt->run->status.redundant ||
	    a->run->status.reused != attempt->run->status.reused)
		return;
	attempt->predicted = predict_completing(a, r, &attempt->expected) == 0;
	attempt->surprising = attempt->predicted && attempt->expected != attempt->completed;
	if (attempt->surprising && attempt->result == PROOF_HOLDS)
		attempt->result = PROOF_BOUNDED;
}

/* The best repair as it is in force, until it holds; only if there can be wrong classes that are not
 * known, or that nothing was looked for. */
static void loop(struct proving *v)
{
	struct repair last = { 0 };
	struct error e;

	while (v->p->rounds < MOST_ROUNDS && v->a->repairs->nrepairs) {
		const struct repair *best = &v->a->repairs->repairs[0].repair;
		struct attempt attempt = { 0 };

		if (v->p->rounds && repair_equal(best, &last))
			break;
		repair_free(&last);
		repair_copy(&last, best);
		if (!attempt_in_time(v, best, "atomic", &attempt) ||
		    attempt.result != PROOF_FAILS || attempt.found->unrepairable) {
			/* It is tried again below with all that is left of the time, or shown. */
			attempt_free(&attempt);
			break;
		}
		v->p->rounds++;
		ranking_adopt(v->a->ranking, attempt.found->ranking);
		VEC_GROW(v->p->failed, v->p->nfailed, v->p->failed_capacity);
		v->p->failed[v->p->nfailed++] = attempt;
		if (v->options->rank(v->options->data, &e) < 0)
			break;
	}
	repair_free(&last);
}

static uint32_t how_many(const struct proving *v)
{
	const struct ranking_result *r = v->a->repairs;
	uint32_t n = v->options->most < r->nrepairs ? (uint32_t)v->options->most : r->nrepairs;

	while (n && n < r->nrepairs && n < MOST_TIED && r->repairs[n].disabled == r->repairs[n - 1].disabled)
		n++;
	return n;
}

static bool known(const struct proving *v, const struct repair *r)
{
	for (uint32_t i = 0; i < v->a->repairs->nrepairs; i++)
		if (repair_equal(&v->a->repairs->repairs[i].repair, r))
			return true;
	return false;
}

/* Puts a repair that holds in the place of one that does not. */
static void replace(struct proving *v, uint32_t i, const struct repair *r, struct attempt *attempt)
{
	struct ranked_repair *ranked = &ranking_list(v->a->ranking)[i];
	uint64_t left;

	if (predict_right(v->a, r, &left) == 0 && left <= v->a->counted)
		ranked->disabled = v->a->counted - left;
	repair_free(&ranked->repair);
	repair_copy(&ranked->repair, r);
	VEC_GROW(v->p->failed, v->p->nfailed, v->p->failed_capacity);
	v->p->failed[v->p->nfailed++] = v->p->list[i].atomic;
	v->p->list[i].atomic = *attempt;
	*attempt = (struct attempt){ 0 };
}

/* Threads stand in front of a block with a lock that is asked for inside, or the other way round. That is
 * not so with whole critical sections. */
static void widen_stuck(struct proving *v, uint32_t i)
{
	const struct repair *r = &v->a->repairs->repairs[i].repair;
	struct attempt attempt = { 0 };
	struct closed closed;

	closure_make_sections(v->a->closure, r, &closed);
	if (closed.wait_site == NONE && !closed.impossible && !known(v, &closed.blocks) &&
	    attempt_in_time(v, &closed.blocks, "atomic", &attempt)) {
		compare_with_prediction(v, &closed.blocks, &attempt);
		if (attempt.result == PROOF_HOLDS)
			replace(v, i, &closed.blocks, &attempt);
	}
	attempt_free(&attempt);
	closed_free(&closed);
}

static void prove_atomic(struct proving *v, uint32_t i)
{
	const struct repair *r = &v->a->repairs->repairs[i].repair;
	struct attempt *attempt = &v->p->list[i].atomic;

	attempt_in_time(v, r, "atomic", attempt);
	compare_with_prediction(v, r, attempt);
	if (attempt->result == PROOF_FAILS && attempt->stuck)
		widen_stuck(v, i);
	if (attempt->result != PROOF_FAILS)
		forget(attempt);
}

static void prove_lock(struct proving *v, uint32_t i)
{
	struct proof_of_repair *p = &v->p->list[i];

	if (p->atomic.result == PROOF_FAILS) {
		p->lock.why = xstrdup("not even atomic blocks are enough");
		return;
	}
	closure_make(v->a->closure, &v->a->repairs->repairs[i].repair, &p->closed);
	p->closure = true;
	if (p->closed.wait_site != NONE) {
		p->lock.why = xstrdup("the lock would have to be held during a wait");
		return;
	}
	if (p->closed.impossible) {
		p->lock.why = xstrdup("the lock would have to be held for a critical section that is in "
				      "no single function or operation");
		return;
	}
	attempt_in_time(v, &p->closed.blocks, "lock", &p->lock);
	if (p->lock.result != PROOF_FAILS)
		forget(&p->lock);
}

static void begin(struct proofs *p, uint32_t all, uint32_t asked)
{
	p->n = all;
	p->list = xcalloc(all, sizeof *p->list);
	for (uint32_t i = 0; i < all; i++) {
		struct proof_of_repair *proof = &p->list[i];

		proof->closed.wait_site = NONE;
		proof->asked = i < asked;
		if (proof->asked)
			continue;
		proof->atomic.why = xasprintf("only the first %" PRIu32 " %s to be explored", asked,
					      asked == 1 ? "was" : "were");
		proof->lock.why = xstrdup(proof->atomic.why);
	}
}

/* Is it known that it is not enough, or cannot be had: as atomic blocks 2, only as a lock 1? */
static unsigned drawback(const struct proof_of_repair *p)
{
	if (p->atomic.result == PROOF_FAILS)
		return 2;
	return p->lock.result == PROOF_FAILS || p->closed.wait_site != NONE || p->closed.impossible;
}

/* Does the k-th one belong before the one that is before it? */
static bool better(const struct proofs *p, const struct ranked_repair *repairs, uint32_t k)
{
	if (repairs[k].disabled != repairs[k - 1].disabled)
		return repairs[k].disabled < repairs[k - 1].disabled;
	return drawback(&p->list[k]) < drawback(&p->list[k - 1]);
}

void proofs_order(struct proofs *p, struct ranked_repair *repairs)
{
	for (uint32_t i = 1; i < p->n && p->list[i].asked; i++)
		for (uint32_t k = i; k && better(p, repairs, k); k--) {
			const struct proof_of_repair proof = p->list[k];
			const struct ranked_repair repair = repairs[k];

			p->list[k] = p->list[k - 1];
			p->list[k - 1] = proof;
			repairs[k] = repairs[k - 1];
			repairs[k - 1] = repair;
		}
}

void prove_repairs(struct analysis *a, const struct prove_options *options, struct proofs *p)
{
	struct proving v = { a, options, p, deadline_of(a->run), 0 };
	uint32_t n;

	*p = (struct proofs){ 0 };
	if (!options->most || !a->repairs || !a->repairs->nrepairs)
		return;
	if (!options->patient)
		hurry(&v);
	if (!analysis_complete(a) || a->unanalysed || a->run->status.unkept)
		loop(&v);
	n = how_many(&v);
	begin(p, a->repairs->nrepairs, n);
	/* The first repair is what people will use: both meanings of it come first. */
	for (uint32_t i = 0; i < n; i++) {
		prove_atomic(&v, i);
		if (!i)
			prove_lock(&v, i);
	}
	for (uint32_t i = 1; i < n; i++)
		prove_lock(&v, i);
	proofs_order(p, ranking_list(a->ranking));
	p->rounds++;
}

void proofs_free(struct proofs *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		attempt_free(&p->list[i].atomic);
		attempt_free(&p->list[i].lock);
		closed_free(&p->list[i].closed);
	}
	for (uint32_t i = 0; i < p->nfailed; i++)
		attempt_free(&p->failed[i]);
	free(p->list);
	free(p->failed);
	*p = (struct proofs){ 0 };
}
