/* SPDX-License-Identifier: MIT */
#include "report/coverage.h"

#include "judge/verdict.h"

#include <inttypes.h>
#include <stdlib.h>

#define SHOWN 10 /* of each kind */

static char *place(const struct coverage_result *c, uint32_t line, bool function)
{
	const struct covered_line *l = &c->lines[line];

	return function ? xasprintf("%s:%" PRIu32 " (%s)", l->file, l->line, l->function)
			: xasprintf("%s:%" PRIu32, l->file, l->line);
}

/* One of a list. False: enough were shown. */
struct list {
	FILE *out;
	uint32_t n;
	bool all;
};

static bool more(struct list *l)
{
	return l->n++ < SHOWN || l->all;
}

static void end_list(const struct list *l)
{
	if (l->n > SHOWN && !l->all)
		fprintf(l->out, "  %" PRIu32 " more: -v\n", l->n - SHOWN);
}

static void print_lines(FILE *out, const struct analysis *a, bool all)
{
	const struct coverage_result *c = a->coverage;
	struct list ran = { out, 0, all }, overlapped = { out, 0, all };

	if (!c->marked)
		fputs("  which lines ran is not recorded (linchpin run --coverage)\n", out);
	else
		fprintf(out, "  some code of %" PRIu32 " of %" PRIu32 " lines ran\n", c->ran, c->code);
	for (uint32_t i = 0; i < c->nlines; i++) {
		char *text = place(c, i, true);

		if (c->lines[i].ran == 0 && more(&ran))
			fprintf(out, "  %s never ran\n", text);
		free(text);
	}
	end_list(&ran);
	for (uint32_t i = 0; i < c->nuncalled; i++)
		fprintf(out, "  %s:%" PRIu32 " (%s) was not called\n", c->uncalled[i].file,
			c->uncalled[i].line, c->uncalled[i].function);
	fprintf(out,
		"  %" PRIu32 " %s memory, %" PRIu32 " in conflict with another thread; %" PRIu32
		" overlapped with an operation of another thread\n",
		c->steps, plural(c->steps, "line accesses", "lines access"), c->conflicts, c->overlapped);
	for (uint32_t i = 0; i < c->noperations; i++)
		if (!c->operation_list[i].overlapped)
			fprintf(out, "  %s() never overlapped with anything: your client does not test it\n",
				a->run->strings[c->operation_list[i].name]);
	for (uint32_t i = 0; i < c->nlines; i++) {
		char *text = place(c, i, true);

		if (c->lines[i].steps && !c->lines[i].overlapped && more(&overlapped))
			fprintf(out, "  %s never overlapped with anything: your client does not test it\n", text);
		free(text);
	}
	end_list(&overlapped);
}

static void print_pairs(FILE *out, const struct analysis *a, bool all)
{
	const struct coverage_result *c = a->coverage;
	struct list list = { out, 0, all };

	fprintf(out, "  %" PRIu32 " of %" PRIu32 " %s of conflicting lines %s seen in both orders%s\n", c->both,
		c->npairs, plural(c->npairs, "pair", "pairs"), plural(c->npairs, "was", "were"),
		c->both < c->npairs && analysis_complete(a) && c->classes == classes_explored(a)
			? "; no schedule of this client has the others"
			: "");
	for (uint32_t i = 0; i < c->npairs; i++) {
		const struct covered_pair *p = &c->pairs[i];
		char *first, *second;

		if ((p->a_first && p->b_first) || !more(&list))
			continue;
		first = place(c, p->a_first ? p->a : p->b, true);
		second = place(c, p->a_first ? p->b : p->a, true);
		if (p->a == p->b)
			fprintf(out, "  %s in two threads was seen in one order only, on %s\n", first,
				srcmap_location(a->map, p->location));
		else
			fprintf(out, "  %s was only seen before %s, on %s\n", first, second,
				srcmap_location(a->map, p->location));
		free(first);
		free(second);
	}
	end_list(&list);
}

static void print_blocks(FILE *out, const struct coverage_result *c, bool all)
{
	struct list list = { out, 0, all };

	for (uint32_t i = 0; i < c->nblocks; i++) {
		const struct covered_line *l = &c->lines[c->blocks[i].first];
		uint32_t last = c->lines[c->blocks[i].last].line;

		if (!more(&list))
			continue;
		fprintf(out, "  %s:%" PRIu32, l->file, l->line);
		if (last > l->line)
			fprintf(out, "-%" PRIu32, last);
		fprintf(out, " (%s): always as if atomic\n", l->function);
	}
	end_list(&list);
}

void report_coverage(FILE *out, const struct analysis *a, bool all)
{
	const struct coverage_result *c = a->coverage;
	uint64_t explored = classes_explored(a);

	fprintf(out, "coverage of %s, in ", c->operations ? "operations" : "all threads");
	if (c->classes < explored || !analysis_complete(a))
		fprintf(out, "%" PRIu64 " %s:\n", c->classes, plural(c->classes, "class", "classes"));
	else
		fprintf(out, "all %" PRIu64 " classes:\n", c->classes);
	print_lines(out, a, all);
	print_pairs(out, a, all);
	print_blocks(out, c, all);
	fputc('\n', out);
}
