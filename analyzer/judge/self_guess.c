/* SPDX-License-Identifier: MIT
 *
 * Guesses compared with sequential executions: the program runs its operations one at a time, and a
 * guess that does not allow the results is no specification of it. Where all sequential executions
 * were seen this makes no difference to what is wrong, for those decide; but a guess that was right
 * has the words for it.
 */
#include "judge/self_private.h"
#include "lin/lin.h"
#include "repair/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COMPARED 5000 /* executions */

/* The specification of the object at this location, NULL if it names none. */
static const char *specification_at(const struct run *run, uint32_t location)
{
	for (uint32_t i = 0; i < run->nobjects; i++)
		if (run->objects[i].location == location &&
		    run->objects[i].specification < run->nstrings)
			return run->strings[run->objects[i].specification];
	return NULL;
}

/* The operations of objects with this specification, at the times of their events. */
static void make_history(const struct run *run, const struct trace *t, const char *declared,
			 bool otherwise, const char *specification, struct history *h)
{
	history_init(h);
	for (uint32_t i = 0; i < t->nops; i++) {
		const struct operation *op = &t->ops[i];
		const char *of = specification_at(run, op->object);
		struct history_op *out;
		char *name;

		if (of ? strcmp(of, declared) != 0 : !otherwise)
			continue;
		name = xasprintf("object %" PRIu32, op->object);
		out = history_add(h);
		out->thread = op->thread;
		if (op->thread < run->nthreads && !history_has_thread(h, op->thread))
			history_thread(h, op->thread,
				       xasprintf("T%s", run->threads[op->thread].name));
		out->object = history_object(h, name, specification);
		free(name);
		out->method =
			history_method(h, op->name < run->nstrings ? run->strings[op->name] : "?");
		out->nargs = (uint8_t)(op->nargs < HISTORY_MAX_ARGS ? op->nargs : HISTORY_MAX_ARGS);
		for (uint32_t k = 0; k < out->nargs; k++)
			out->args[k] = (struct value){ VALUE_INT, op->args[k] };
		out->call = op->call;
		out->ret = op->ret_event == NONE ? TIME_PENDING : op->ret_event;
		out->result = op->ret_event == NONE ? (struct value){ VALUE_UNKNOWN, 0 }
						    : operation_value(op);
	}
}

/* Do the operations of one execution obey it? *why as lin_result.why, to free; may be NULL. */
static bool obeys(const struct run *run, const struct trace *t, const char *declared,
		  bool otherwise, const char *specification, bool *any, char **why)
{
	struct lin_options options = { .seconds = 1, .witness = why != NULL };
	struct lin_result result = { 0 };
	struct history h;
	bool ok = false;

	make_history(run, t, declared, otherwise, specification, &h);
	*any |= h.nops > 0;
	if (!h.nops) {
		ok = true;
	} else if (lin_check(&h, &options, &result, NULL) == 0) {
		ok = result.verdict == LIN_OK;
		if (result.verdict == LIN_VIOLATION && why)
			*why = xstrdup(result.why
					       ? result.why
					       : "an operation gives what the specification does "
						 "not allow");
		lin_result_free(&result);
	}
	history_free(&h);
	return ok;
}

static int try_guess(struct self *s, const char *declared, struct self_guess *guess,
		     struct error *e)
{
	struct trace t = { 0 };
	bool any = false;
	int more = 0;

	guess->agreed = true;
	run_rewind(s->run);
	while (guess->agreed && guess->executions < MOST_COMPARED &&
	       (more = run_next(s->run, &t, e)) == 1) {
		guess->agreed =
			obeys(s->run, &t, declared, false, guess->specification, &any, NULL);
		guess->executions++;
	}
	guess->agreed &= any;
	trace_free(&t);
	return more < 0 ? -1 : 0;
}

int self_try_guesses(struct self *s, struct error *e)
{
	for (uint32_t i = 0; i < s->run->nobjects; i++) {
		uint32_t string = s->run->objects[i].specification;
		const char *text = string < s->run->nstrings ? s->run->strings[string] : "";
		struct self_guess guess = { .specification = spec_guessed(text) };
		bool known = !guess.specification;

		for (uint32_t k = 0; k < s->nguesses; k++)
			known |= guess.specification &&
				 !strcmp(s->guesses[k].specification, guess.specification);
		if (known)
			continue;
		if (!self_named(guess.specification) && try_guess(s, text, &guess, e) < 0)
			return -1;
		guess.used = guess.agreed && !s->complete;
		VEC_GROW(s->guesses, s->nguesses, s->guesses_capacity);
		s->guesses[s->nguesses++] = guess;
	}
	return 0;
}

bool self_guess(const struct self *s, uint32_t i, struct self_guess *guess)
{
	if (i >= s->nguesses)
		return false;
	*guess = s->guesses[i];
	return true;
}

const char *self_specification(const struct self *s, const char *declared, bool words)
{
	const char *guess = declared ? spec_guessed(declared) : NULL;

	if (!guess)
		return declared;
	for (uint32_t i = 0; s && i < s->nguesses; i++)
		if (!strcmp(s->guesses[i].specification, guess) &&
		    (words ? s->guesses[i].agreed : s->guesses[i].used))
			return s->guesses[i].specification;
	return "self";
}

/* What threads do between operations, in a destructor for example, is interleaved in some sequential
 * executions: these are not the ones that no atomic block excludes. */
struct wholeness {
	struct checker *checker;
	struct order order;
};

static bool in_whole(struct wholeness *w, const struct trace *t)
{
	order_build(&w->order, t);
	order_outside(&w->order, t, true);
	checker_load(w->checker, t, &w->order);
	return checker_serial(w->checker, true);
}

/* The specification of objects that name none is `specification`. */
char *self_contradiction(const struct self *s, const char *specification)
{
	struct wholeness whole = { .checker = checker_new(NULL) };
	char *why = NULL;

	for (uint32_t i = 0; i <= s->run->nobjects && !why; i++) {
		bool named = i < s->run->nobjects;
		uint32_t string = named ? s->run->objects[i].specification : 0;
		const char *text =
			named ? string < s->run->nstrings ? s->run->strings[string] : NULL
			      : specification;
		struct trace t = { 0 };
		bool any = false;

		if (!text || spec_guessed(text) || self_named(text))
			continue;
		run_rewind(s->run);
		for (unsigned n = 0; n < MOST_COMPARED && !why; n++) {
			if (run_next(s->run, &t, NULL) != 1)
				break;
			if (in_whole(&whole, &t))
				obeys(s->run, &t, named ? text : "", !named, text, &any, &why);
		}
		trace_free(&t);
	}
	order_free(&whole.order);
	checker_free(whole.checker);
	return why;
}
