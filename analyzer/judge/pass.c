/* SPDX-License-Identifier: MIT
 *
 * The first pass over a run: each class gets a verdict, and what is wrong is collected.
 */
#include "judge/pass.h"
#include "judge/confirm.h"
#include "judge/racing.h"
#include "base/budget.h"
#include "judge/self.h"
#include "judge/shorten.h"
#include "judge/wrong.h"
#include "run/history_line.h"
#include "run/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What history lines begin with, by their verdicts. */
#define MARK_OK	 "ok "
#define MARK_BAD "bad "

/* Classes of which each is looked at, be it only briefly, when the time is over. */
#define LEAST 100

/* The identity of an error at the end of an execution: its kind, place and message, and where other
 * threads wait. */
static char *outcome_key(const struct outcome *o)
{
	char *key = NULL;
	size_t size;
	FILE *f = open_memstream(&key, &size);

	if (!f)
		return xstrdup("");
	fprintf(f, "%u %" PRIu32 " %" PRIu32 " %" PRId64, o->kind, o->site, o->message, o->code);
	for (uint32_t i = 0; i < o->nwaiters; i++)
		fprintf(f, " %" PRIu32 ":%u", o->waiters[i].site, o->waiters[i].why);
	fclose(f);
	return key;
}

static void show(struct finding *f, uint64_t class, enum repairable repairable)
{
	free(f->history);
	free(f->end);
	free(f->schedule);
	free(f->why);
	free(f->shorter);
	f->why = f->shorter = NULL;
	f->class = class;
	f->repairable = repairable == REPAIR_FOUND;
}

/* Counts the class for the finding with this key. It is returned if this is the class to show: the
 * first one, or the first one that blocks exclude, so that the repairs that are shown exclude what is
 * shown. Otherwise NULL. */
static struct finding *count_finding(struct pass *p, const char *key, uint64_t class,
				     enum repairable repairable)
{
	struct analysis *a = p->a;
	struct finding *f;
	bool added;
	uint32_t n = numbering_add(&p->keys, key, strlen(key), &added);

	if (added) {
		VEC_GROW(p->by_key, n, p->by_key_capacity);
		p->by_key[n] = a->nfindings;
		VEC_GROW(a->findings, a->nfindings, a->findings_capacity);
		a->findings[a->nfindings++] = (struct finding){ 0 };
	}
	f = &a->findings[p->by_key[n]];
	f->classes++;
	f->serial |= repairable == REPAIR_SERIAL;
	if (!added && (f->repairable || repairable != REPAIR_FOUND))
		return NULL;
	show(f, class, repairable);
	return f;
}

/* Of the execution that shows a finding, a form that is easier to read. */
static void make_shorter(struct pass *p, struct finding *f, const struct trace *t,
			 const uint32_t *order)
{
	/* Without a check there is no judge. */
	uint32_t *shorter = p->options->replay && p->judge.run ? shorten(t, order, f->is_history)
							      : NULL;

	if (shorter)
		f->shorter = judge_schedule(&p->judge, t, shorter);
	free(shorter);
}

static void show_bad_end(struct pass *p, struct finding *f, const struct trace *t, const char *line)
{
	f->outcome = t->outcome.kind;
	f->end = end_line(p->a->run, &t->outcome);
	f->history = xstrdup(line);
	f->schedule = trace_schedule(p->a->run, t);
	f->as_recorded = true;
	make_shorter(p, f, t, NULL);
}

static void note_bad_end(struct pass *p, const struct trace *t, const char *line,
			 enum repairable repairable)
{
	char *key = outcome_key(&t->outcome);
	struct finding *f = count_finding(p, key, t->number, repairable);

	p->a->serial |= repairable == REPAIR_SERIAL;
	if (f)
		show_bad_end(p, f, t, line);
	free(key);
}

/* The class is the one to show of what it is an example of, if no other one is that blocks exclude. */
static void show_repairable(struct pass *p, const struct trace *t)
{
	struct analysis *a = p->a;
	char *key, *line;
	struct finding *f;
	bool added;

	for (size_t i = 0; i < a->nfindings; i++) {
		f = &a->findings[i];
		if (f->class == t->number && (f->is_history || f->outcome == t->outcome.kind) && !f->leak)
			f->repairable = true;
	}
	if (!outcome_is_error(t->outcome.kind, t->outcome.code))
		return;
	key = outcome_key(&t->outcome);
	f = &a->findings[p->by_key[numbering_add(&p->keys, key, strlen(key), &added)]];
	if (!f->repairable) {
		line = history_line("", a->run, t);
		show(f, t->number, REPAIR_FOUND);
		show_bad_end(p, f, t, line);
		free(line);
	}
	free(key);
}

void pass_beyond(struct pass *p, struct trace *t)
{
	if (wrong_add_beyond(p->a, t) == REPAIR_FOUND)
		show_repairable(p, t);
}

enum repairable pass_again(struct pass *p, struct trace *t)
{
	enum repairable repairable = wrong_add(p->a, t);

	if (repairable == REPAIR_FOUND)
		show_repairable(p, t);
	return repairable;
}

static void note_bad_history(struct pass *p, const struct trace *t, const char *judged,
			     const uint32_t *order, enum repairable repairable)
{
	struct finding *f = count_finding(p, judged, t->number, repairable);
	char *recorded;

	p->a->nonlinearizable++;
	if (!f)
		return;
	f->is_history = true;
	f->outcome = t->outcome.kind;
	f->end = end_line(p->a->run, &t->outcome);
	f->history = xstrdup(judged + strlen(MARK_BAD));
	recorded = trace_schedule(p->a->run, t);
	f->schedule = judge_schedule(&p->judge, t, order);
	f->as_recorded = !strcmp(f->schedule, recorded);
	f->why = judge_why(&p->judge, t, order);
	make_shorter(p, f, t, order);
	free(recorded);
}

/* Classes come in order; nothing is wrong with most programs in any of them, and then nothing is kept of each. */
static void remember_valid(struct analysis *p, uint64_t class, bool valid)
{
	const uint64_t bit = class - p->valid_to;

	if (!valid || analysis_is_valid(p, class))
		return;
	if (bit == 1 && !p->valid) {
		p->valid_to = class;
		return;
	}
	if (bit / 8 >= p->valid_capacity) {
		size_t capacity = (bit / 8 + 1) * 2;

		p->valid = xrealloc(p->valid, capacity);
		memset(p->valid + p->valid_capacity, 0, capacity - p->valid_capacity);
		p->valid_capacity = capacity;
	}
	p->valid[bit / 8] |= (uint8_t)(1u << bit % 8);
}

void pass_alone(struct pass *p)
{
	ahead_end(p->ahead);
	p->ahead = NULL;
}

/* The first object that is compared with sequential runs makes them needed. */
static int find_self(struct pass *p, struct error *e)
{
	struct analysis *a = p->a;

	if (a->self || !self_wanted(a->run, p->options->specification))
		return 0;
	a->self_borrowed = p->options->self != NULL;
	a->self = p->options->self ? p->options->self : self_open(a->run, SELF_WHOLE, e);
	pass_alone(p); /* they would do without */
	if (!a->self)
		return -1;
	judge_use_self(&p->judge, a->self);
	return 0;
}

static void note_calls(struct analysis *a, const struct trace *t)
{
	uint32_t of_thread[LP_MAX_THREADS] = { 0 };

	for (uint32_t i = 0; i < t->nops; i++) {
		uint32_t k = 0, thread = t->ops[i].thread;

		if (thread < LP_MAX_THREADS && ++of_thread[thread] > a->thread_operations[thread])
			a->thread_operations[thread] = of_thread[thread];
		a->results |= t->ops[i].ret_event != NONE && t->ops[i].ret_kind;
		while (k < a->ncalled && a->called[k] != t->ops[i].name)
			k++;
		if (k < a->ncalled)
			continue;
		VEC_GROW(a->called, a->ncalled, a->called_capacity);
		a->called[a->ncalled++] = t->ops[i].name;
	}
}

/* The verdict of a class with operations. */
static int judge_class(struct pass *p, const struct trace *t, struct lin_class_result *r, struct error *e)
{
	if (find_self(p, e) < 0)
		return -1;
	if (!p->asked_ahead && p->options->jobs > 1)
		p->ahead = ahead_begin(p->a->run, &p->judge, t->number, p->options->jobs);
	p->asked_ahead = true;
	return p->ahead && ahead_is_right(p->ahead, t->number) ? 0 : lin_class_check(p->judge.classes, t, r, e);
}

int pass_class(struct pass *p, struct trace *t, struct error *e)
{
	struct lin_class_result r = { .verdict = LIN_OK };
	struct analysis *a = p->a;
	char *judged;
	const char *line;
	enum repairable repairable = REPAIR_NONE;
	bool late = a->classes + a->unjudged >= LEAST && t->number != p->options->sought &&
		    budget_phase_over();
	bool bad_end = outcome_is_error(t->outcome.kind, t->outcome.code);
	int result = 0;
	bool added;

	if (!late && p->judge.classes && t->nops) {
		result = judge_class(p, t, &r, e);
		late = r.verdict == LIN_UNKNOWN && budget_phase_over();
	}
	if (late && !bad_end) {
		a->unjudged++;
		return result;
	}
	judged = history_line(r.verdict == LIN_VIOLATION ? MARK_BAD : MARK_OK, a->run, t);
	line = judged + strlen(r.verdict == LIN_VIOLATION ? MARK_BAD : MARK_OK);
	a->classes++;
	a->operations += t->nops;
	note_calls(a, t);
	if (!late && p->judge.classes)
		unlisted_see(&a->unlisted, a->run, t);
	if (t->outcome.kind < LP_OUT_COUNT)
		a->outcomes[t->outcome.kind]++;
	if (a->cover && !late)
		coverage_see(a->cover, t);
	numbering_add(&p->plain, line, strlen(line), &added);
	numbering_add(&p->judged, judged, strlen(judged), &added);
	if (!a->ranking)
		repairable = REPAIR_NONE;
	else if (late)
		a->unanalysed++;
	else if (r.verdict == LIN_VIOLATION || bad_end)
		repairable = wrong_add(a, t);
	else
		wrong_see_right(a, t);
	if (r.verdict == LIN_VIOLATION)
		note_bad_history(p, t, judged, r.schedule, repairable);
	a->unknown += r.verdict == LIN_UNKNOWN && !late;
	a->right += r.verdict == LIN_OK && !bad_end;
	remember_valid(a, t->number, r.verdict == LIN_OK && !bad_end);
	if (bad_end)
		note_bad_end(p, t, line, repairable);
	if (a->races && !late)
		racing_class(p, t, line);
	free(judged);
	return result;
}

void pass_begin(struct pass *p, struct analysis *a, struct run *run,
		const struct analysis_options *options)
{
	*p = (struct pass){ .a = a, .options = options, .judge = { .run = run } };
	*a = (struct analysis){ .run = run, .check = options->check };
	if (strcmp(options->check, "none") != 0)
		judge_init(&p->judge, run, options->check, options->specification);
	else
		p->judge.run = run; /* for the schedules of bad ends */
}

void pass_free(struct pass *p)
{
	pass_alone(p);
	judge_free(&p->judge);
	numbering_free(&p->plain);
	numbering_free(&p->judged);
	numbering_free(&p->keys);
	numbering_free(&p->races);
	race_finder_free(p->racing);
	free(p->by_key);
	free(p->known_races);
}
