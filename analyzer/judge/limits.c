/* SPDX-License-Identifier: MIT
 *
 * RUNDIR/ops says which functions are operations, and which could not be caught, and why; the
 * classes say which were called.
 */
#include "judge/limits.h"
#include "base/text_table.h"
#include "judge/search_limits.h"
#include "judge/self.h"
#include "judge/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct list {
	char **text;
	size_t n, capacity;
};

static void add(struct list *l, char *text)
{
	VEC_GROW(l->text, l->n, l->capacity);
	l->text[l->n++] = text;
}

/* ---- the search ---- */

static void add_search(void *list, char *sentence)
{
	add(list, sentence);
}

static void add_notes(struct list *l, const struct run *run)
{
	for (uint32_t i = 0; i < run->nnotes; i++)
		if (run->notes[i] < run->nstrings)
			add(l, xstrdup(run->strings[run->notes[i]]));
}

/* ---- operations ---- */

/* Operations of the file by name: different functions may be one. */
struct named {
	const char *name;
	char *functions; /* with commas */
	bool called;
};

struct names {
	struct named *list;
	size_t n, capacity;
};

static bool was_called(const struct analysis *a, const char *name)
{
	for (uint32_t i = 0; i < a->ncalled; i++)
		if (a->called[i] < a->run->nstrings && !strcmp(a->run->strings[a->called[i]], name))
			return true;
	return false;
}

/* op MODULE ADDRESS OBJECT NAME ... # FUNCTION; copies of a function have a line each. */
static void add_name(struct names *names, const struct analysis *a, char *line)
{
	char *function = strstr(line, " # "), *next = NULL, *word = strtok_r(line, " ", &next);
	struct named *to = NULL;

	for (int i = 0; i < 4 && word; i++)
		word = strtok_r(NULL, " ", &next);
	if (!word || !function)
		return;
	function += 3;
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->list[i].name, word))
			to = &names->list[i];
	if (!to) {
		VEC_GROW(names->list, names->n, names->capacity);
		to = &names->list[names->n++];
		*to = (struct named){ word, xstrdup(function), was_called(a, word) };
	} else if (!strstr(to->functions, function)) {
		char *more = xasprintf("%s, %s", to->functions, function);

		free(to->functions);
		to->functions = more;
	}
}

static void add_operations(struct list *l, const struct analysis *a)
{
	char *path = xasprintf("%s/ops", a->run->directory), *next = NULL;
	struct names names = { 0 };
	size_t size;
	char *text = read_file(path, &size, NULL);

	free(path);
	for (char *line = text ? strtok_r(text, "\n", &next) : NULL; line;
	     line = strtok_r(NULL, "\n", &next)) {
		if (!strncmp(line, "limit ", 6))
			add(l, xstrdup(line + 6));
		else if (!strncmp(line, "op ", 3))
			add_name(&names, a, line);
	}
	for (size_t i = 0; i < names.n; i++) {
		if (!names.list[i].called && a->classes)
			add(l, xasprintf("%s (%s) is an operation, but was never called, or only "
					 "by other operations: not checked",
					 names.list[i].name, names.list[i].functions));
		free(names.list[i].functions);
	}
	free(names.list);
	free(text);
}

static void add_unlisted(struct list *l, const struct analysis *a)
{
	char *text = unlisted_limit(&a->unlisted, a->run, a->map, l->text, l->n);

	if (text)
		add(l, text);
}

/* ---- sequential executions ---- */

static void add_sequential(struct list *l, const struct analysis *a)
{
	const char *name;

	if (!a->self || a->brief)
		return;
	if (!self_complete(a->self))
		add(l, xasprintf("only %" PRIu64 " sequential executions were made, not all: "
				 "results that none of them showed count as unknown",
				 self_executions(a->self)));
	for (uint32_t i = 0; (name = self_waiting(a->self, i)) != NULL; i++)
		add(l, xasprintf("%s never returns while other operations wait, so nothing is "
				 "known of what it may do: what it took part in is not checked",
				 name));
}

static void add_no_room(struct list *l, uint64_t unjudged)
{
	char *n = text_count(unjudged);

	add(l, xasprintf("%s %s neither recorded nor judged: a random search with --keep records %lu MB; once half of it is "
			 "used only what has new results or a new end, from three quarters on only what has a new end",
			 n, plural(unjudged, "class was", "classes were"), LP_RANDOM_ROOM >> 20));
	free(n);
}

char **limits_of(const struct analysis *a, size_t *n)
{
	const char *nothing = unmarked(a);
	char *unseen = unseen_code(a);
	struct list l = { 0 };

	search_limits(a, add_search, &l);
	if (a->unjudged)
		add(&l, xasprintf("%" PRIu64 " %s not judged: the time was over (linchpin report "
				  "judges all)",
				  a->unjudged, plural(a->unjudged, "class was", "classes were")));
	if (a->repairs && a->repairs->nrepairs && a->counted < a->right)
		add(&l, xasprintf("repairs were compared with only %" PRIu64 " of %" PRIu64
				  " correct classes: the time was over",
				  a->counted, a->right));
	if (a->run->status.unjudged)
		add_no_room(&l, a->run->status.unjudged);
	if (a->run->status.unkept && a->repairs && a->repairs->nrepairs)
		add(&l, xstrdup("repairs were looked for and compared only in classes that are "
				"recorded (--keep)"));
	if (a->run->status.unkept && a->races)
		add(&l, xstrdup("races were looked for only in classes that are recorded (--keep)"));
	add_notes(&l, a->run);
	if (unseen)
		add(&l, unseen);
	if (strcmp(a->check, "none") != 0) {
		add_operations(&l, a);
		add_unlisted(&l, a);
		add_sequential(&l, a);
	}
	if (nothing)
		add(&l, xstrdup(nothing));
	else if (a->operations && !a->results && strcmp(a->check, "none") != 0)
		add(&l, xstrdup("no operation that was called gives a result, so no history can be "
				"wrong: call one that does, such as one that reads"));
	*n = l.n;
	return l.text;
}
