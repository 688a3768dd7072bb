/* SPDX-License-Identifier: MIT */
#include "command/client_options.h"
#include "base/budget.h"
#include "command/spawn.h"
#include "spec/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LISTED 200000 /* clients of one size */

const struct client_options client_options_standard = {
	.threads = 3,
	.operations = 3,
	.before = 3,
	.values = 3,
	.size = 8,
};

int write_text_file(const char *path, const char *text, struct error *e)
{
	FILE *f = fopen(path, "w");
	bool failed = !f || fputs(text, f) < 0;

	if ((f && fclose(f) != 0) || failed)
		return error_set(e, "%s: %s", path, strerror(errno));
	return 0;
}

char *workshop_path(const struct workshop *w, const char *name)
{
	return xasprintf("%s/%s", w->directory, name);
}

/* ---- the compiler ---- */

static const char *compiler(const struct workshop *w)
{
	const char *cc = getenv("CC");

	return w->options->compiler ? w->options->compiler : cc && *cc ? cc : "cc";
}

/* Libraries are found where they are: the folder of each goes into the program. */
static char *rpath_of(const char *object)
{
	size_t n = strlen(object);
	char *whole, *text = NULL;

	if (n < 4 || strcmp(object + n - 3, ".so") != 0)
		return NULL;
	whole = realpath(object, NULL);
	if (whole)
		text = xasprintf("-Wl,-rpath,%.*s", (int)(base_name(whole) - whole - 1), whole);
	free(whole);
	return text;
}

static char **command(const struct workshop *w, const char *source, const char *program)
{
	char **argv;
	size_t n = 0, at = 0;

	while (w->objects[n])
		n++;
	argv = xcalloc(2 * n + 12, sizeof *argv);
	argv[at++] = xstrdup(compiler(w));
	argv[at++] = xstrdup("-g");
	argv[at++] = xstrdup("-O1");
	argv[at++] = xstrdup("-w");
	argv[at++] = xstrdup("-o");
	argv[at++] = xstrdup(program);
	argv[at++] = xstrdup(source);
	for (size_t i = 0; i < n; i++) {
		char *rpath = rpath_of(w->objects[i]);

		argv[at++] = xstrdup(w->objects[i]);
		if (rpath)
			argv[at++] = rpath;
	}
	argv[at++] = xstrdup("-pthread");
	return argv;
}

static void free_command(char **argv)
{
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

char *workshop_command(const struct workshop *w, const char *source, const char *program)
{
	char **argv = command(w, source, program);
	char *text = xstrdup("");

	for (size_t i = 0; argv[i]; i++) {
		char *more = xasprintf("%s%s%s", text, i ? " " : "", argv[i]);

		free(text);
		text = more;
	}
	free_command(argv);
	return text;
}

int workshop_compile(const struct workshop *w, const char *text, const char *source,
		     const char *program, struct error *e)
{
	char **argv = command(w, source, program);
	int status, result = write_text_file(source, text, e);

	if (result == 0) {
		status = spawn_run(argv[0], argv, NULL, NULL, SPAWN_ERRORS);
		if (status == 127)
			result = error_set(e, "the compiler %s could not be run", argv[0]);
		else if (status)
			result =
				error_set(e,
					  "`%s` with %s failed (status %d); a function that is not "
					  "found is static, inline, or in C++",
					  argv[0], w->objects[0], status);
	}
	free_command(argv);
	return result;
}

/* ---- beginning and end ---- */

static int make_directory(struct workshop *w, struct error *e)
{
	const char *base = getenv("TMPDIR");

	w->directory =
		xasprintf("%s/linchpin-clients-XXXXXX", base && *base == '/' ? base : "/tmp");
	if (mkdtemp(w->directory))
		return 0;
	free(w->directory);
	w->directory = NULL;
	return error_set(e, "no temporary directory: %s", strerror(errno));
}

/* All functions that clients call are linked into one program, whose debug information is read. */
static int probe(struct workshop *w, struct error *e)
{
	char *text = emit_probe(&w->spec), *source = workshop_path(w, "probe.c");
	char *program = workshop_path(w, "probe"), *ops = NULL;
	int result = workshop_compile(w, text, source, program, e);

	if (result == 0)
		result = functions_read(&w->functions, program, e);
	if (result == 0)
		result = spec_resolve(&w->spec, &w->functions, &ops, e);
	free(ops);
	free(program);
	free(source);
	free(text);
	return result;
}

static int check_bounds(struct workshop *w, struct error *e)
{
	const struct client_options *o = w->options;

	if (o->threads < 2 || o->threads > CLIENT_MAX_THREADS)
		return error_set(e, "--threads must be 2 to %d", CLIENT_MAX_THREADS);
	if (!o->operations || o->operations > CLIENT_MAX_OPS || o->before > CLIENT_MAX_OPS ||
	    o->size < 2 || o->size > CLIENT_MAX_OPS)
		return error_set(e, "a client has 2 to %d operations", CLIENT_MAX_OPS);
	if (!o->values || o->values > 8)
		return error_set(e, "--values must be 1 to 8");
	w->bounds = (struct enumerate_bounds){ .threads = (unsigned)o->threads,
					       .operations = (unsigned)o->operations,
					       .before = (unsigned)o->before };
	return 0;
}

int workshop_begin(struct workshop *w, const struct client_options *options, char **objects,
		   struct error *e)
{
	*w = (struct workshop){ .options = options, .objects = objects };
	if (!options->spec)
		return error_set(e, "--spec=FILE is needed: a specification file "
				    "(docs/spec-files.md) with the operations");
	if (check_bounds(w, e) < 0 || spec_file_read(&w->spec, options->spec, e) < 0 ||
	    make_directory(w, e) < 0 || probe(w, e) < 0 ||
	    emitter_make(&w->emitter, &w->spec, &w->functions, e) < 0)
		return -1;
	alphabet_make(&w->alphabet, &w->spec, (unsigned)options->values);
	w->sequential = sequential_new(&w->alphabet);
	return 0;
}

void workshop_end(struct workshop *w)
{
	char *argv[] = { (char *)"rm", (char *)"-rf", (char *)"--", w->directory, NULL };

	if (w->directory)
		spawn_run("rm", argv, NULL, NULL, SPAWN_MESSAGES);
	free(w->directory);
	sequential_free(w->sequential);
	alphabet_free(&w->alphabet);
	functions_free(&w->functions);
	spec_file_free(&w->spec);
}

/* ---- clients of a size ---- */

struct scored {
	struct client client;
	unsigned score, rank; /* rank: among those with the same operations */
	size_t number;
	uint64_t kind;
};

struct gathering {
	const struct workshop *w;
	struct scored *list;
	size_t n, capacity, trivial;
};

static bool gather(const struct client *c, void *data)
{
	struct gathering *g = data;
	struct sequential_answer answer = { 0 };

	if (g->w->sequential) {
		sequential_run(g->w->sequential, c, &answer);
		if (!answer.before || !answer.moves || answer.stuck) {
			g->trivial++;
			return budget_left() > 0;
		}
	}
	VEC_GROW(g->list, g->n, g->capacity);
	g->list[g->n] = (struct scored){ .client = *c, .score = answer.conflicts, .number = g->n };
	return ++g->n < MAX_LISTED && budget_left() > 0;
}

/* Which operations are where, without their values. */
static uint64_t kind_of(const struct alphabet *a, const struct client *c)
{
	uint64_t h = hash_mix(c->nbefore, c->nthreads);

	for (unsigned t = 0; t < c->nthreads; t++)
		h = hash_mix(h, c->n[t]);
	for (unsigned i = c->nbefore; i < client_size(c); i++)
		h = hash_mix(h, a->symbols[c->symbols[i]].op);
	return h;
}

static int by_rank(const void *x, const void *y)
{
	const struct scored *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static int by_kind(const void *x, const void *y)
{
	const struct scored *a = x, *b = y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return by_rank(x, y);
}

static void put_in_order(struct gathering *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->list[i].kind = kind_of(&g->w->alphabet, &g->list[i].client);
	if (g->n)
		qsort(g->list, g->n, sizeof *g->list, by_kind);
	for (size_t i = 1; i < g->n; i++)
		if (g->list[i].kind == g->list[i - 1].kind)
			g->list[i].rank = g->list[i - 1].rank + 1;
	if (g->n)
		qsort(g->list, g->n, sizeof *g->list, by_rank);
}

void workshop_clients(const struct workshop *w, unsigned size, struct client_list *out)
{
	struct gathering g = { .w = w };

	*out = (struct client_list){ 0 };
	out->all = enumerate(&w->alphabet, &w->bounds, size, gather, &g);
	put_in_order(&g);
	out->list = xcalloc(g.n + 1, sizeof *out->list);
	for (size_t i = 0; i < g.n; i++)
		out->list[i] = g.list[i].client;
	out->n = g.n;
	out->trivial = g.trivial;
	free(g.list);
}
