/* SPDX-License-Identifier: MIT
 *
 * What is said of all that was seen: lines in their order, blocks, functions that were not called.
 */
#include "cover/marks.h"
#include "cover/private.h"
#include "format/coverage.h"
#include "source/rows.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const char *file, uint32_t line, const char *other_file, uint32_t other)
{
	int order = strcmp(file, other_file);

	return order ? order : line < other ? -1 : line > other;
}

/* ---- what ran ---- */

struct code {
	struct coverage *c;
	const struct marks *marks;
	uint32_t module;
	uint8_t *known; /* by line: whether all of its code is known */
	uint32_t nknown;
	struct function_code {
		struct uncalled place;
		bool of_operation, ran;
	} * functions; /* by number in coverage->functions */
	uint32_t nfunctions, capacity, nalready;
};

static void see_function(struct code *code, const struct source_frame *f, bool ran)
{
	uint32_t n = coverage_function(&code->c->functions, f);
	struct function_code *x;

	while (code->nfunctions <= n) {
		VEC_GROW(code->functions, code->nfunctions, code->capacity);
		code->functions[code->nfunctions] = (struct function_code){
			.of_operation = code->nfunctions < code->nalready
		};
		code->nfunctions++;
	}
	x = &code->functions[n];
	if (!x->place.file || f->line < x->place.line)
		x->place = (struct uncalled){ f->file, f->function, f->line };
	x->ran |= ran;
}

/* Constructors of a file, and the like. */
static bool made_by_compiler(const char *function)
{
	return !strncmp(function, "_GLOBAL__", 9) || !strncmp(function, "_sub_", 5) ||
	       !strncmp(function, "__static_init", 13);
}

static void see_row(void *data, uint64_t address, bool plain, const struct source_frame *f)
{
	struct code *code = data;
	unsigned mark = marks_at(code->marks, code->module, address);
	struct covered_line *line;
	uint32_t n;

	if (made_by_compiler(f->function))
		return;
	/* What is not known to have run may have. */
	see_function(code, f, mark != LP_COVERAGE_SEEN);
	n = coverage_line(code->c, f);
	if (n >= code->nknown) {
		uint32_t wanted = (n + 1) * 2;

		code->known = xrealloc(code->known, wanted);
		memset(code->known + code->nknown, 1, wanted - code->nknown);
		code->nknown = wanted;
	}
	line = &code->c->list[n];
	if (mark == LP_COVERAGE_MAYBE)
		mark = plain ? LP_COVERAGE_RAN : LP_COVERAGE_NONE;
	code->known[n] &= mark != LP_COVERAGE_NONE;
	if (mark == LP_COVERAGE_RAN)
		line->ran = 1;
	else if (line->ran < 0)
		line->ran = 0;
}

static void find_code(struct code *code)
{
	struct coverage *c = code->c;

	code->nalready = c->functions.n;
	for (code->module = 0; code->module < c->run->nmodules; code->module++)
		if (marks_have(code->marks, code->module))
			srcmap_rows(c->map, code->module, see_row, code);
	for (uint32_t i = 0; i < c->lines.n; i++) {
		if (c->list[i].acts)
			c->list[i].ran = 1;
		else if (c->list[i].ran == 0 && i < code->nknown && !code->known[i])
			c->list[i].ran = -1;
	}
}

static bool file_of_operations(const struct code *code, const char *file)
{
	for (uint32_t i = 0; i < code->nfunctions; i++)
		if (code->functions[i].of_operation && code->functions[i].place.file &&
		    !strcmp(code->functions[i].place.file, file))
			return true;
	return false;
}

static int compare_uncalled(const void *a, const void *b)
{
	const struct uncalled *x = a, *y = b;

	return compare_places(x->file, x->line, y->file, y->line);
}

static void find_uncalled(const struct code *code, struct coverage_result *r)
{
	r->uncalled = xcalloc(code->nfunctions + 1, sizeof *r->uncalled);
	for (uint32_t i = 0; i < code->nfunctions; i++) {
		const struct function_code *f = &code->functions[i];

		if (f->place.file && !f->ran && !f->of_operation && file_of_operations(code, f->place.file))
			r->uncalled[r->nuncalled++] = f->place;
	}
	if (r->nuncalled)
		qsort(r->uncalled, r->nuncalled, sizeof *r->uncalled, compare_uncalled);
}

/* ---- lines ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct covered_line *x = a, *y = b;

	return compare_places(x->file, x->line, y->file, y->line);
}

static bool of_operation(struct coverage *c, const struct covered_line *l, uint32_t nfunctions)
{
	const struct source_frame f = { .file = l->file, .function = l->function };

	return l->conflicts || coverage_function(&c->functions, &f) < nfunctions;
}

/* Returns where each line is now, by its number; free it. */
static uint32_t *sort_lines(struct coverage *c, uint32_t nfunctions)
{
	struct coverage_result *r = &c->result;
	uint32_t *to = xmalloc((c->lines.n + 1) * sizeof *to);

	r->lines = xcalloc(c->lines.n + 1, sizeof *r->lines);
	for (uint32_t i = 0; i < c->lines.n; i++)
		if (of_operation(c, &c->list[i], nfunctions))
			r->lines[r->nlines++] = c->list[i];
	if (r->nlines)
		qsort(r->lines, r->nlines, sizeof *r->lines, compare_lines);
	for (uint32_t i = 0; i < c->lines.n; i++) {
		const struct covered_line *found =
			r->nlines ? bsearch(&c->list[i], r->lines, r->nlines, sizeof *r->lines,
					    compare_lines)
				  : NULL;

		to[i] = found ? (uint32_t)(found - r->lines) : NONE;
	}
	for (uint32_t i = 0; i < r->nlines; i++) {
		r->code += r->lines[i].ran >= 0;
		r->ran += r->lines[i].ran > 0;
		r->steps += r->lines[i].steps;
		r->conflicts += r->lines[i].conflicts;
		r->overlapped += r->lines[i].overlapped;
	}
	return to;
}

/* ---- pairs ---- */

static int compare_pairs(const void *a, const void *b)
{
	const struct covered_pair *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static void sort_pairs(struct coverage *c, const uint32_t *to)
{
	struct coverage_result *r = &c->result;

	r->npairs = c->pairs.n;
	r->pairs = xcalloc(r->npairs + 1, sizeof *r->pairs);
	for (uint32_t i = 0; i < r->npairs; i++) {
		struct covered_pair p = c->pair_list[i];

		p.a = to[p.a];
		p.b = to[p.b];
		if (p.a > p.b)
			p = (struct covered_pair){ p.b, p.a, p.b_first, p.a_first, p.location };
		r->pairs[i] = p;
		r->both += p.a_first && p.b_first;
	}
	if (r->npairs)
		qsort(r->pairs, r->npairs, sizeof *r->pairs, compare_pairs);
}

/* ---- blocks ---- */

enum between { NOTHING, TOGETHER, SEPARATED };

/* What is known of the way from one line of a function to another. */
static enum between between(const struct coverage *c, uint32_t function, uint32_t lo, uint32_t hi)
{
	enum between known = NOTHING;

	for (uint32_t i = 0; i < c->spans.n; i++) {
		const struct gap *g = &c->gap_list[i];

		if (g->function != function || g->lo > lo || g->hi < hi || (lo == hi && g->lo != g->hi))
			continue;
		if (g->separated)
			return SEPARATED;
		known = TOGETHER;
	}
	return known;
}

static uint32_t function_number(struct coverage *c, const struct covered_line *l)
{
	const struct source_frame f = { .file = l->file, .function = l->function };

	return coverage_function(&c->gap_functions, &f);
}

static enum between between_lines(struct coverage *c, const struct covered_line *a, const struct covered_line *b)
{
	uint32_t function = function_number(c, a);

	return function == function_number(c, b) ? between(c, function, a->line, b->line) : SEPARATED;
}

/* From and to a line with conflicts. A single line is one if it has several steps. */
static void end_block(struct coverage *c, uint32_t first, uint32_t last)
{
	struct coverage_result *r = &c->result;

	while (first < last && !r->lines[first].conflicts)
		first++;
	while (first < last && !r->lines[last].conflicts)
		last--;
	if (r->lines[first].conflicts &&
	    (first != last || between_lines(c, &r->lines[first], &r->lines[first]) == TOGETHER))
		r->blocks[r->nblocks++] = (struct covered_block){ first, last };
}

static void find_blocks(struct coverage *c)
{
	struct coverage_result *r = &c->result;
	uint32_t first = NONE, last = NONE;

	r->blocks = xcalloc(r->nlines + 1, sizeof *r->blocks);
	for (uint32_t i = 0; i < r->nlines; i++) {
		const struct covered_line *l = &r->lines[i];
		bool whole;

		if (!l->steps)
			continue;
		whole = between_lines(c, l, l) != SEPARATED;
		if (first != NONE && (!whole || between_lines(c, &r->lines[last], l) != TOGETHER)) {
			end_block(c, first, last);
			first = NONE;
		}
		if (first == NONE && whole)
			first = i;
		last = i;
	}
	if (first != NONE)
		end_block(c, first, last);
}

/* Functions that take part, be it only between the marks of an operation. */
static void add_conflicting(struct coverage *c)
{
	for (uint32_t i = 0; i < c->lines.n; i++) {
		const struct source_frame f = { .file = c->list[i].file, .function = c->list[i].function };

		if (c->list[i].conflicts)
			coverage_function(&c->functions, &f);
	}
}

const struct coverage_result *coverage_finish(struct coverage *c)
{
	struct marks *marks = marks_read(c->run);
	struct code code = { .c = c, .marks = marks };
	uint32_t nfunctions, *to;

	c->result.marked = marks != NULL;
	add_conflicting(c);
	nfunctions = c->functions.n;
	if (marks) {
		find_code(&code);
		find_uncalled(&code, &c->result);
	}
	to = sort_lines(c, nfunctions);
	sort_pairs(c, to);
	find_blocks(c);
	free(to);
	free(code.known);
	free(code.functions);
	marks_free(marks);
	return &c->result;
}
