/* SPDX-License-Identifier: MIT
 *
 * The coverage as a tracefile of lcov (geninfo(1)): lines are its lines, functions its functions. Branches of a line
 * are, in this order, that it overlapped with another thread, and for each line that it conflicts with: that it came
 * before, and that it came after.
 */
#include "report/coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_functions(FILE *f, const struct coverage_result *c, uint32_t first, uint32_t end)
{
	uint32_t found = 0, hit = 0;
	const char *file = c->lines[first].file;

	for (uint32_t i = first; i < end; i++) {
		const char *name = c->lines[i].function;
		bool ran = false, known = false;

		for (uint32_t k = first; k < end; k++) {
			if (strcmp(c->lines[k].function, name) != 0)
				continue;
			known |= k < i; /* by an earlier line */
			ran |= c->lines[k].ran != 0;
		}
		if (known)
			continue;
		fprintf(f, "FN:%" PRIu32 ",%s\nFNDA:%d,%s\n", c->lines[i].line, name, ran, name);
		found++;
		hit += ran;
	}
	for (uint32_t i = 0; i < c->nuncalled; i++) {
		const struct uncalled *u = &c->uncalled[i];

		if (strcmp(u->file, file) != 0)
			continue;
		fprintf(f, "FN:%" PRIu32 ",%s\nFNDA:0,%s\n", u->line, u->function, u->function);
		found++;
	}
	fprintf(f, "FNF:%" PRIu32 "\nFNH:%" PRIu32 "\n", found, hit);
}

struct branches {
	FILE *f;
	uint32_t line, block, n, taken;
};

static void branch(struct branches *b, unsigned number, bool taken)
{
	fprintf(b->f, "BRDA:%" PRIu32 ",%" PRIu32 ",%u,%d\n", b->line, b->block, number, taken);
	b->n++;
	b->taken += taken;
}

static void write_branches(FILE *f, const struct coverage_result *c, uint32_t first, uint32_t end)
{
	struct branches b = { .f = f };

	for (uint32_t i = first; i < end; i++) {
		b.line = c->lines[i].line;
		b.block = 0;
		if (c->lines[i].steps)
			branch(&b, 0, c->lines[i].overlapped);
		for (uint32_t k = 0; k < c->npairs; k++) {
			const struct covered_pair *p = &c->pairs[k];

			if (p->a != i && p->b != i)
				continue;
			b.block++;
			branch(&b, 0, p->a == i ? p->a_first : p->b_first);
			branch(&b, 1, p->a == i ? p->b_first : p->a_first);
		}
	}
	fprintf(f, "BRF:%" PRIu32 "\nBRH:%" PRIu32 "\n", b.n, b.taken);
}

static void write_file(FILE *f, const struct analysis *a, uint32_t first, uint32_t end)
{
	const struct coverage_result *c = a->coverage;
	const char *file = c->lines[first].file;
	uint32_t found = 0, hit = 0;

	if (*file == '/')
		fprintf(f, "TN:linchpin\nSF:%s\n", file);
	else
		fprintf(f, "TN:linchpin\nSF:%s/%s\n", a->run->cwd, file);
	write_functions(f, c, first, end);
	write_branches(f, c, first, end);
	for (uint32_t i = first; i < end; i++) {
		if (c->lines[i].ran < 0)
			continue;
		fprintf(f, "DA:%" PRIu32 ",%d\n", c->lines[i].line, c->lines[i].ran);
		found++;
		hit += c->lines[i].ran > 0;
	}
	fprintf(f, "LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", found, hit);
}

int lcov_write(const struct analysis *a, const char *file, struct error *e)
{
	const struct coverage_result *c = a->coverage;
	FILE *f = fopen(file, "w");
	uint32_t first, end;
	bool failed;

	if (!f)
		return error_set(e, "%s: %s", file, strerror(errno));
	for (first = 0; first < c->nlines; first = end) {
		for (end = first + 1; end < c->nlines && !strcmp(c->lines[end].file, c->lines[first].file); end++)
			;
		write_file(f, a, first, end);
	}
	failed = ferror(f);
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", file, strerror(errno));
	return 0;
}
