/* SPDX-License-Identifier: MIT */
#include "run/history_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_object(FILE *f, const struct run *run, uint32_t id)
{
	const struct location *l = id < run->nlocations ? &run->locations[id] : NULL;

	if (!l)
		return;
	if (l->type == LP_LOC_GLOBAL && l->a < run->nmodules) {
		fprintf(f, "@%s", base_name(run->modules[l->a].path));
	} else if (l->type == LP_LOC_HEAP && l->a < run->nthreads) {
		fprintf(f, "@heap:%s/%" PRIu32, run->threads[l->a].name, l->b);
	} else if (l->type == LP_LOC_STACK && l->a < run->nthreads) {
		fprintf(f, "@stack:%s", run->threads[l->a].name);
	} else if (l->type == LP_LOC_TLS && l->a < run->nthreads) {
		fprintf(f, "@tls:%s", run->threads[l->a].name);
	} else {
		fputc('@', f);
	}
	fprintf(f, "+%" PRIu64, l->offset);
}

static void put_operation(FILE *f, const struct run *run, const struct operation *op,
			  uint32_t first_object)
{
	fprintf(f, " %s(", op->name < run->nstrings ? run->strings[op->name] : "?");
	for (uint32_t i = 0; i < op->nargs; i++)
		fprintf(f, "%s%" PRId64, i ? "," : "", op->args[i]);
	fputc(')', f);
	if (op->ret_event == NONE)
		fputs("=?", f);
	else if (op->ret_kind == 1)
		fprintf(f, "=%" PRId64, op->ret);
	else if (op->ret_kind == 2)
		fputs("=empty", f);
	if (op->object != first_object)
		put_object(f, run, op->object);
}

/* "0.10" comes after "0.9": numbers between dots are compared as numbers. */
static int compare_names(const char *a, const char *b)
{
	for (;;) {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		if (*end_a != '.' || *end_b != '.')
			return (*end_a == '.') - (*end_b == '.');
		a = end_a + 1;
		b = end_b + 1;
	}
}

/* The threads of the trace's operations, by name. */
static uint32_t sorted_threads(const struct run *run, const struct trace *t, uint32_t *threads)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nops; i++) {
		uint32_t thread = t->ops[i].thread, at = n;

		for (uint32_t j = 0; j < n; j++) {
			if (threads[j] == thread)
				at = NONE;
		}
		if (at == NONE || thread >= run->nthreads)
			continue;
		while (at > 0 && compare_names(run->threads[thread].name,
					       run->threads[threads[at - 1]].name) < 0) {
			threads[at] = threads[at - 1];
			at--;
		}
		threads[at] = thread;
		n++;
	}
	return n;
}

char *history_line(const struct run *run, const struct trace *t)
{
	uint32_t *threads = xcalloc(run->nthreads, sizeof *threads);
	uint32_t n = sorted_threads(run, t, threads);
	uint32_t first_object = NONE;
	char *text = NULL;
	size_t size;
	FILE *f = n ? open_memstream(&text, &size) : NULL;

	if (!f) {
		free(threads);
		return xstrdup("");
	}
	for (uint32_t i = 0; i < n; i++) {
		fprintf(f, "%s%s:", i ? " | " : "", run->threads[threads[i]].name);
		for (uint32_t j = 0; j < t->nops; j++) {
			if (t->ops[j].thread != threads[i])
				continue;
			if (first_object == NONE)
				first_object = t->ops[j].object;
			put_operation(f, run, &t->ops[j], first_object);
		}
	}
	fclose(f);
	free(threads);
	return text;
}
