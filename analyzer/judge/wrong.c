/* SPDX-License-Identifier: MIT
 *
 * Wrong histories and bad ends are alike: eliminators of the execution up to its end. A thread that waits
 * at the end counts with what it waits for. A circle of locks has a repair of its own, see
 * repair/nesting.h.
 */
#include "judge/wrong.h"
#include "judge/beyond.h"
#include "repair/check.h"
#include "run/files.h"

#include <stdlib.h>
#include <string.h>

/* Bad ends that are analysed, one by one. More of them hardly tell more, and what they would have
 * told is seen when the repair is explored. */
#define MOST_ENDS 20000

bool wrong_end_repairable(const struct outcome *o)
{
	return o->kind != LP_OUT_NO_PROGRESS && o->kind != LP_OUT_ENDLESS;
}

/* op MODULE ADDRESS OBJECT NAME THIS NARGS SOURCE... RESULT # FUNCTION */
static bool gives_nothing(const char *line)
{
	const char *end = strstr(line, " # ");

	return end && end - line > 5 && !strncmp(end - 5, " void", 5);
}

bool wrong_without_operations(const struct run *run)
{
	char *path = run_files_path(run->directory, "ops"), *next = NULL;
	size_t size, operations = 0, silent = 0;
	char *text = path ? read_file(path, &size, NULL) : NULL;

	for (char *line = text ? strtok_r(text, "\n", &next) : NULL; line;
	     line = strtok_r(NULL, "\n", &next)) {
		if (strncmp(line, "op ", 3) != 0)
			continue;
		operations++;
		silent += gives_nothing(line);
	}
	free(text);
	free(path);
	return operations && silent == operations;
}

bool wrong_operations_named(const struct run *run)
{
	char *path = run_files_path(run->directory, "ops");

	free(path);
	return path != NULL;
}

void wrong_begin(struct analysis *a, bool no_operations)
{
	const struct source_map source = srcmap_source(a->map);

	wrong_free(a);
	a->no_operations = no_operations;
	a->ranking = ranking_new(&source, &(struct ranking_options){ .no_operations = no_operations });
	a->closure = closure_new(&source, !no_operations);
	a->nestings = nestings_new(&source, !no_operations);
	a->beyond = beyond_new(!no_operations);
}

void wrong_free(struct analysis *a)
{
	ranking_free(a->ranking);
	nestings_free(a->nestings);
	beyond_free(a->beyond);
	closure_free(a->closure);
	for (uint32_t i = 0; i < a->ncircles; i++)
		free(a->circles[i].locks);
	free(a->circles);
	a->circles = NULL;
	a->ncircles = a->circles_capacity = 0;
}

static void add_circle(struct analysis *a, struct lock_circle *c)
{
	for (uint32_t i = 0; i < a->ncircles; i++)
		if (a->circles[i].n == c->n &&
		    !memcmp(a->circles[i].locks, c->locks, c->n * sizeof *c->locks)) {
			free(c->locks);
			return;
		}
	VEC_GROW(a->circles, a->ncircles, a->circles_capacity);
	a->circles[a->ncircles++] = *c;
}

static enum repairable look(struct analysis *a, const struct trace *t)
{
	ranking_look(a->ranking, t);
	return ranking_last_count(a->ranking) ? REPAIR_FOUND
	       : ranking_last_serial(a->ranking) ? REPAIR_SERIAL
						 : REPAIR_NONE;
}

enum repairable wrong_add(struct analysis *a, struct trace *t)
{
	struct lock_circle circle;
	enum repairable found;
	bool later = false;

	if (!wrong_end_repairable(&t->outcome)) {
		a->unrepairable++;
		return REPAIR_NONE;
	}
	if (t->outcome.kind != LP_OUT_OK && ++a->ends_analysed > MOST_ENDS) {
		a->unanalysed++;
		return REPAIR_NONE;
	}
	trace_add_end(a->run, t);
	nestings_add(a->nestings, t);
	closure_see(a->closure, t);
	if (lock_circle_find(t, &circle)) {
		add_circle(a, &circle);
		found = REPAIR_FOUND;
	} else {
		found = look(a, t);
		later = found != REPAIR_SERIAL && checker_ends_early(t) && beyond_want(a->beyond, t);
		if (!later)
			ranking_add_last(a->ranking, t);
	}
	trace_drop_end(t);
	a->unrepairable += found != REPAIR_FOUND && !later;
	return found;
}

enum repairable wrong_add_beyond(struct analysis *a, struct trace *t)
{
	enum repairable found;

	trace_add_end(a->run, t);
	beyond_add(a->beyond, t);
	found = look(a, t);
	ranking_add_last(a->ranking, t);
	trace_drop_end(t);
	a->unrepairable += found != REPAIR_FOUND;
	return found;
}

void wrong_see_right(struct analysis *a, const struct trace *t)
{
	nestings_add(a->nestings, t);
}

void wrong_finish(struct analysis *a)
{
	for (uint32_t i = 0; i < a->ncircles; i++) {
		struct repair gate;

		if (!nestings_gate(a->nestings, &a->circles[i], &gate)) {
			a->without_gate = true;
			continue;
		}
		ranking_add_choice(a->ranking, &gate, 1);
		repair_free(&gate);
	}
}
