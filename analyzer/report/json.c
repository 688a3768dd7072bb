/* SPDX-License-Identifier: MIT */
#include "report/json.h"
#include "judge/advice.h"
#include "judge/leaks.h"
#include "judge/limits.h"
#include "judge/self.h"
#include "judge/verdict.h"
#include "report/coverage.h"
#include "report/fingerprint.h"
#include "report/outcome.h"
#include "report/spin.h"
#include "run/outcome.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *text(const char *s)
{
	json_t *value = s ? json_string(s) : json_null();

	/* File names are not always UTF-8. */
	return value ? value : json_string("?");
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *make_blocks(const struct repair *r)
{
	json_t *blocks = json_array();

	for (uint32_t i = 0; i < r->nblocks; i++) {
		const struct block *b = &r->blocks[i];
		json_t *block = json_object();

		json_object_set_new(block, "file", text(b->file));
		json_object_set_new(block, "function", text(b->function));
		json_object_set_new(block, "first", number(b->first));
		json_object_set_new(block, "last", number(b->last));
		json_array_append_new(blocks, block);
	}
	return blocks;
}

/* true, false, "bounded", or null: it was not explored. */
static json_t *make_result(const struct attempt *attempt)
{
	switch (attempt->result) {
	case PROOF_HOLDS:
		return json_true();
	case PROOF_FAILS:
		return json_false();
	case PROOF_BOUNDED:
		return json_string("bounded");
	default:
		return json_null();
	}
}

static void add_member(json_t *o, const char *name, const char *what, json_t *value)
{
	char *key = xasprintf("%s_%s", name, what);

	json_object_set_new(o, key, value);
	free(key);
}

/* What an exploration with the blocks in force came to: NAME, and NAME_classes, NAME_seconds; or NAME_why. */
static void add_attempt(json_t *o, const char *name, const struct attempt *attempt)
{
	json_object_set_new(o, name, attempt ? make_result(attempt) : json_null());
	if (attempt && attempt->result != PROOF_NONE) {
		add_member(o, name, "classes", number(attempt->classes));
		add_member(o, name, "seconds", json_real(attempt->seconds));
	} else {
		add_member(o, name, "why", text(attempt && attempt->why ? attempt->why
									: "nothing was explored again"));
	}
}

static json_t *make_sections(const struct analysis *a, const struct closed *c)
{
	json_t *list = json_array();

	/* as in the text */
	for (uint32_t i = 0; !a->ncircles && i < c->nsections; i++) {
		const struct section *s = &c->sections[i];
		const struct repair lines = { (struct block *)&s->lines, 1 },
				    whole = { (struct block *)&s->whole, 1 };
		json_t *o = json_object();

		json_object_set_new(o, "lock", text(srcmap_location(a->map, s->lock)));
		json_object_set_new(o, "held", make_blocks(&lines));
		json_object_set_new(o, "needed", make_blocks(&whole));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *make_verified(const struct analysis *a, uint32_t i)
{
	const struct proof_of_repair *p = i < a->proofs.n ? &a->proofs.list[i] : NULL;
	json_t *o = json_object();

	add_attempt(o, "atomic", p ? &p->atomic : NULL);
	add_attempt(o, "lock", p ? &p->lock : NULL);
	if (p && p->closure) {
		json_object_set_new(o, "lock_blocks", make_blocks(&p->closed.blocks));
		json_object_set_new(o, "sections", make_sections(a, &p->closed));
	}
	return o;
}

static json_t *make_repairs(const struct analysis *a)
{
	json_t *repairs = json_array();

	for (uint32_t i = 0; a->repairs && i < a->repairs->nrepairs; i++) {
		const struct ranked_repair *r = &a->repairs->repairs[i];
		json_t *repair = json_object();

		json_object_set_new(repair, "blocks", make_blocks(&r->repair));
		json_object_set_new(repair, "disabled", number(r->disabled));
		json_object_set_new(repair, "verified", make_verified(a, i));
		json_array_append_new(repairs, repair);
	}
	return repairs;
}

static json_t *make_outcomes(const struct analysis *a)
{
	json_t *outcomes = json_object();

	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++) {
		if (a->outcomes[kind])
			json_object_set_new(outcomes, outcome_name(kind),
					    number(a->outcomes[kind]));
	}
	return outcomes;
}

/* Innermost first. */
static json_t *make_frames(const struct source_frame *frames, uint32_t n)
{
	json_t *list = json_array();

	while (n-- > 0) {
		json_t *frame = json_object();

		json_object_set_new(frame, "function", text(frames[n].function));
		json_object_set_new(frame, "file", text(frames[n].file));
		json_object_set_new(frame, "line",
				    frames[n].line ? number(frames[n].line) : json_null());
		json_array_append_new(list, frame);
	}
	return list;
}

static json_t *make_change(const struct analysis *a, const struct trace *t, uint32_t event)
{
	const struct source_frame *f;
	json_t *o;

	if (event == NONE)
		return json_null();
	f = srcmap_own_frame(a->map, t->events[event].site);
	o = json_object();
	json_object_set_new(o, "thread", text(a->run->threads[t->events[event].thread].name));
	json_object_set_new(o, "file", text(f ? f->file : NULL));
	json_object_set_new(o, "line", f && f->line ? number(f->line) : json_null());
	json_object_set_new(o, "event", number((uint64_t)event + 1));
	return o;
}

static json_t *make_variable(const struct analysis *a, const struct trace *t,
			     const struct spin_variable *v)
{
	json_t *o = json_object();
	char value[32];

	text_value(value, sizeof value, v->value, v->size);
	json_object_set_new(o, "name", text(srcmap_location_in(a->map, t, v->location)));
	json_object_set_new(o, "value", text(v->known ? value : NULL));
	json_object_set_new(o, "changed", make_change(a, t, v->written));
	return o;
}

/* The loops that threads are in for ever. */
static json_t *make_spins(const struct analysis *a, const struct trace *t)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		json_t *o, *variables;
		struct spin s;

		if (!spin_begins(&t->outcome, i))
			continue;
		spin_find(&s, a->map, a->run, t, i);
		o = json_object();
		variables = json_array();
		json_object_set_new(o, "thread", text(a->run->threads[s.thread].name));
		json_object_set_new(o, "function", text(s.frame ? s.frame->function : NULL));
		json_object_set_new(o, "file", text(s.frame ? s.frame->file : NULL));
		json_object_set_new(o, "first", s.first ? number(s.first) : json_null());
		json_object_set_new(o, "last", s.first ? number(s.last) : json_null());
		json_object_set_new(o, "since",
				    s.since == NONE ? json_null() : number((uint64_t)s.since + 1));
		for (uint32_t k = 0; k < s.nvariables; k++)
			json_array_append_new(variables, make_variable(a, t, &s.variables[k]));
		json_object_set_new(o, "waits", json_boolean(s.waits));
		json_object_set_new(o, "variables", variables);
		json_array_append_new(list, o);
	}
	return list;
}

/* Where an execution ended; of errors of memory, where that was allocated and freed; of livelocks,
 * the loops. */
static void add_places(const struct analysis *a, const struct finding *f, json_t *finding)
{
	static const char *const before[LP_WAIT_COUNT] = {
		[LP_WAIT_ALLOCATED] = "allocated", [LP_WAIT_FREED] = "freed",
		[LP_WAIT_HELD] = "held",           [LP_WAIT_DESTROYED] = "destroyed",
		[LP_WAIT_WAITS] = "waits",         [LP_WAIT_JOINED] = "joined",
	};
	const struct source_frame *frames;
	struct trace t = { 0 };
	struct error e;
	uint32_t n, all;

	if (run_load(a->run, f->class, &t, &e) > 0) {
		if (f->leak)
			leaks_show(a->run, a->map, f, &t, true);
		n = outcome_frames(a->map, &t, &frames, &all);
		json_object_set_new(finding, "frames", make_frames(frames, n));
		if (all > n)
			json_object_set_new(finding, "library", make_frames(frames + n, all - n));
		if (t.outcome.kind == LP_OUT_LIVELOCK)
			json_object_set_new(finding, "spins", make_spins(a, &t));
		for (uint32_t i = 0; i < t.outcome.nwaiters; i++) {
			const struct waiter *w = &t.outcome.waiters[i];

			if (!before[w->why] || w->site == NONE)
				continue;
			n = srcmap_frames(a->map, w->site, &frames);
			json_object_set_new(finding, before[w->why], make_frames(frames, n));
		}
	}
	trace_free(&t);
}

/* Faults by what stays the same when lines move. */
static json_t *make_fingerprints(struct model *m, const struct model_finding *f)
{
	json_t *list = json_array();
	struct fingerprints prints = { 0 };

	if (f && fingerprints_find(m, f, &prints, NULL) == 0)
		for (uint32_t i = 0; i < prints.n; i++) {
			json_t *o = json_object();

			json_object_set_new(o, "id", text(prints.list[i].id));
			json_object_set_new(o, "statements", text(prints.list[i].statements));
			json_object_set_new(o, "file", text(prints.list[i].file));
			json_object_set_new(o, "line",
					    prints.list[i].line ? number(prints.list[i].line) : json_null());
			json_array_append_new(list, o);
		}
	fingerprints_free(&prints);
	return list;
}

/* Sentence and place, as the report prints them. */
static void add_words(struct model *m, const struct finding *f, json_t *finding)
{
	const struct model_finding *words = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (m->findings[i].finding == f)
			words = &m->findings[i];
	json_object_set_new(finding, "message", text(words ? words->message : NULL));
	json_object_set_new(finding, "file", text(words ? words->place.file : NULL));
	json_object_set_new(finding, "line",
			    words && words->place.line ? number(words->place.line) : json_null());
	json_object_set_new(finding, "specification", text(words ? words->specification : NULL));
	json_object_set_new(finding, "fingerprints", make_fingerprints(m, words));
}

static json_t *make_findings(struct model *m)
{
	const struct analysis *a = m->a;
	json_t *findings = json_array();

	for (size_t i = 0; i < a->nfindings; i++) {
		const struct finding *f = &a->findings[i];
		json_t *finding = json_object();

		json_object_set_new(finding, "kind",
				    text(f->is_history ? "history" : outcome_name(f->outcome)));
		add_words(m, f, finding);
		json_object_set_new(finding, "class", number(f->class));
		json_object_set_new(finding, "classes", number(f->classes));
		json_object_set_new(finding, "history", text(f->history));
		json_object_set_new(finding, "schedule", text(f->schedule));
		json_object_set_new(finding, "sequential", json_boolean(f->serial));
		json_object_set_new(finding, "replayed",
				    f->replayed == REPLAY_NOT_DONE
					    ? json_null()
					    : json_boolean(f->replayed == REPLAY_SAME));
		if (!f->is_history)
			add_places(a, f, finding);
		json_array_append_new(findings, finding);
	}
	return findings;
}

/* A list of sentences. */
static json_t *make_texts(char **(*texts_of)(const struct analysis *a, size_t *n),
			  const struct analysis *a)
{
	json_t *list = json_array();
	size_t n;
	char **texts = texts_of(a, &n);

	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, text(texts[i]));
		free(texts[i]);
	}
	free(texts);
	return list;
}

/* Guessed specifications, and what they are worth. */
static json_t *make_checked(const struct analysis *a)
{
	json_t *list = json_array();
	struct self_guess g;

	for (uint32_t i = 0; a->self && !a->brief && self_guess(a->self, i, &g); i++) {
		json_t *one = json_object();

		json_object_set_new(one, "proposed", text(g.specification));
		json_object_set_new(one, "agreed", json_boolean(g.agreed));
		json_object_set_new(one, "sequential_runs", number(self_executions(a->self)));
		json_array_append_new(list, one);
	}
	return list;
}

/* The condition that was asked for, and how many ways not to keep it were found. */
static json_t *make_progress(const struct analysis *a)
{
	json_t *o;

	if (!strcmp(a->run->progress, "none"))
		return json_null();
	o = json_object();
	json_object_set_new(o, "condition", text(a->run->progress));
	json_object_set_new(o, "counterexamples", number(a->outcomes[LP_OUT_NO_PROGRESS]));
	return o;
}

static json_t *make_races(const struct analysis *a)
{
	json_t *o;

	if (!a->races)
		return json_null();
	o = json_object();
	json_object_set_new(o, "pairs", number(a->nraces));
	json_object_set_new(o, "undecided", number(a->races_left_out));
	json_object_set_new(o, "suppressed", number(a->races_suppressed));
	return o;
}

/* What nothing points to at the end of some class. */
static json_t *make_leaks(const struct analysis *a)
{
	json_t *list = json_array();
	const struct source_frame *frames;
	size_t n;
	struct leaking *leaks = leaks_of(a, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t nframes = srcmap_frames(a->map, leaks[i].site, &frames);
		json_t *leak = json_object();

		json_object_set_new(leak, "class", number(leaks[i].class));
		json_object_set_new(leak, "classes", number(leaks[i].classes));
		json_object_set_new(leak, "looked_at", number(a->run->nlooks));
		json_object_set_new(leak, "blocks", number(leaks[i].blocks));
		json_object_set_new(leak, "bytes", number(leaks[i].bytes));
		json_object_set_new(leak, "allocated", make_frames(frames, nframes));
		json_array_append_new(list, leak);
	}
	free(leaks);
	return list;
}

/* Why the search ended. */
static const char *search_end(unsigned end)
{
	static const char *const words[] = {
		[LP_END_RUNNING] = "killed",         [LP_END_COMPLETE] = "finished",
		[LP_END_EXECUTIONS] = "executions",  [LP_END_TIME] = "time",
		[LP_END_INTERRUPTED] = "interrupted", [LP_END_ERROR] = "error",
		[LP_END_REPLAYED] = "replayed",      [LP_END_FOUND] = "found",
		[LP_END_FULL] = "full",		     [LP_END_SHARD] = "shard",
		[LP_END_JOINED] = "joined",	     [LP_END_CUT] = "cut",
	};

	return end < sizeof words / sizeof *words ? words[end] : "error";
}

static json_t *make_object(struct model *m)
{
	const struct analysis *a = m->a;
	const struct lp_status *s = &a->run->status;
	const struct ranking_result *r = a->repairs;
	json_t *o = json_object();

	json_object_set_new(o, "executions", number(s->executions));
	json_object_set_new(o, "redundant", number(s->redundant));
	json_object_set_new(o, "cut", number(s->cut));
	json_object_set_new(o, "first_failure",
			    s->first_failure ? number(s->first_failure) : json_null());
	json_object_set_new(o, "classes", number(a->classes));
	json_object_set_new(o, "unrecorded", number(s->unkept));
	if (a->run->stateful) {
		json_object_set_new(o, "states", number(s->states));
		json_object_set_new(o, "transitions", number(s->transitions));
		json_object_set_new(o, "merged", number(s->merged));
		json_object_set_new(o, "untold", number(s->untold));
		json_object_set_new(o, "audited", number(s->audited));
	}
	json_object_set_new(o, "complete", json_boolean(analysis_complete(a)));
	json_object_set_new(o, "end", text(search_end(s->end)));
	json_object_set_new(o, "histories", number(a->histories));
	json_object_set_new(o, "nonlinearizable", number(a->nonlinearizable));
	json_object_set_new(o, "unknown", number(a->unknown));
	json_object_set_new(o, "outcomes", make_outcomes(a));
	json_object_set_new(o, "seconds", json_real(s->seconds));
	json_object_set_new(o, "cpu_seconds", json_real(s->cpu_seconds));
	json_object_set_new(o, "executions_per_second",
			    json_real(s->seconds > 0 ? (double)s->executions / s->seconds : 0));
	json_object_set_new(o, "eliminator_seconds", json_real(r ? r->eliminator_seconds : 0));
	json_object_set_new(o, "average_events", json_real(r ? r->average_events : 0));
	json_object_set_new(o, "average_conflicts", json_real(r ? r->average_conflicts : 0));
	json_object_set_new(o, "limits", make_texts(limits_of, a));
	json_object_set_new(o, "advice", make_texts(advice_of, a));
	json_object_set_new(o, "progress", make_progress(a));
	json_object_set_new(o, "races", make_races(a));
	json_object_set_new(o, "checked", make_checked(a));
	json_object_set_new(o, "wrong_alone", text(a->alone));
	json_object_set_new(o, "repairs", make_repairs(a));
	json_object_set_new(o, "smaller", text(a->smaller));
	json_object_set_new(o, "rounds", number(a->proofs.rounds));
	json_object_set_new(o, "leaks", make_leaks(a));
	if (a->coverage)
		json_object_set_new(o, "coverage", coverage_json(a));
	json_object_set_new(o, "violations", make_findings(m));
	return o;
}

int json_write(struct model *m, const char *file, struct error *e)
{
	const size_t flags = JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9);
	bool to_stdout = !strcmp(file, "-");
	FILE *f = to_stdout ? stdout : fopen(file, "w");
	json_t *object;
	int result = 0;

	if (!f)
		return error_set(e, "%s: %s", file, strerror(errno));
	object = make_object(m);
	if (json_dumpf(object, f, flags) < 0 || fputc('\n', f) == EOF || fflush(f) != 0)
		result = error_set(e, "%s: %s", file, strerror(errno));
	json_decref(object);
	if (!to_stdout && fclose(f) != 0 && result == 0)
		result = error_set(e, "%s: %s", file, strerror(errno));
	return result;
}
