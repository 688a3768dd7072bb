/* SPDX-License-Identifier: MIT */
#include "run/history_line.h"

#include <stdlib.h>
#include <string.h>

/* It is made of every class, so not by stdio. */
struct line {
	char *s;
	size_t n, room;
};

static void put_bytes(struct line *l, const char *s, size_t n)
{
	if (l->n + n >= l->room) {
		l->room = 2 * (l->n + n) + 64;
		l->s = xrealloc(l->s, l->room);
	}
	memcpy(l->s + l->n, s, n);
	l->n += n;
	l->s[l->n] = '\0';
}

static void put(struct line *l, const char *s)
{
	put_bytes(l, s, strlen(s));
}

static void put_unsigned(struct line *l, uint64_t v)
{
	char digits[20], *end = digits + sizeof digits, *p = end;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	put_bytes(l, p, (size_t)(end - p));
}

static void put_signed(struct line *l, int64_t v)
{
	if (v < 0)
		put(l, "-");
	put_unsigned(l, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void put_object(struct line *line, const struct run *run, uint32_t id)
{
	const struct location *l = id < run->nlocations ? &run->locations[id] : NULL;

	if (!l)
		return;
	if (l->type == LP_LOC_GLOBAL && l->a < run->nmodules) {
		put(line, "@");
		put(line, base_name(run->modules[l->a].path));
	} else if (l->type == LP_LOC_HEAP && l->a < run->nthreads) {
		put(line, "@heap:");
		put(line, run->threads[l->a].name);
		put(line, "/");
		put_unsigned(line, l->b);
	} else if (l->type == LP_LOC_STACK && l->a < run->nthreads) {
		put(line, "@stack:");
		put(line, run->threads[l->a].name);
	} else if (l->type == LP_LOC_TLS && l->a < run->nthreads) {
		put(line, "@tls:");
		put(line, run->threads[l->a].name);
	} else {
		put(line, "@");
	}
	put(line, "+");
	put_unsigned(line, l->offset);
}

static void put_operation(struct line *l, const struct run *run, const struct operation *op,
			  uint32_t first_object)
{
	put(l, " ");
	put(l, op->name < run->nstrings ? run->strings[op->name] : "?");
	for (uint32_t i = 0; i < op->nargs; i++) {
		put(l, i ? "," : "(");
		put_signed(l, op->args[i]);
	}
	put(l, op->nargs ? ")" : "()");
	if (op->ret_event == NONE) {
		put(l, "=?");
	} else if (op->ret_kind == 1) {
		put(l, "=");
		put_signed(l, op->ret);
	} else if (op->ret_kind == 2) {
		put(l, "=empty");
	}
	if (op->object != first_object)
		put_object(l, run, op->object);
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

char *history_line(const char *mark, const struct run *run, const struct trace *t)
{
	uint32_t *threads = xcalloc(run->nthreads, sizeof *threads);
	uint32_t n = sorted_threads(run, t, threads);
	uint32_t first_object = NONE;
	struct line l = { 0 };

	put(&l, mark);
	for (uint32_t i = 0; i < n; i++) {
		put(&l, i ? " | " : "");
		put(&l, run->threads[threads[i]].name);
		put(&l, ":");
		for (uint32_t j = 0; j < t->nops; j++) {
			if (t->ops[j].thread != threads[i])
				continue;
			if (first_object == NONE)
				first_object = t->ops[j].object;
			put_operation(&l, run, &t->ops[j], first_object);
		}
	}
	free(threads);
	return l.s;
}
