/* SPDX-License-Identifier: MIT
 *
 * From blocks to the machine code that they are.
 *
 * A block is lines of a function, so its code is that of these lines in the function itself and in each
 * of its inlined copies, with what was inlined there. Which line a piece of code has is asked of the
 * source map, so that the same events are in the block for the runtime as for the check of repairs.
 *
 * Loops are found in the source, as for that check (loops.h). Of a piece of code only one loop matters:
 * the widest inside the block, because going round in any narrower one is going round in it.
 */
#include "repair/ranges.h"

#include "base/numbering.h"
#include "format/blocks.h"
#include "repair/loops.h"
#include "source/code.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct finder {
	FILE *out;
	struct srcmap *map;
	struct source_map source;
	struct file_loops files;
	struct numbering loops, parts, statements;
	const struct block *block;
	uint32_t number, copies; /* of the present block; of those before it */
	uint32_t most_copies;
	uint64_t pieces, elsewhere; /* found; of the function, but not of the lines */
	uint32_t first, last;       /* lines of the function that have code */
	struct place { /* of code around which there is a loop, but for the heads of loops */
		uint32_t copy, line, column;
		uint64_t address;
	} * places;
	uint32_t nplaces, places_capacity;
};

int block_parse(const char *text, struct block *b, struct error *e)
{
	const char *last = strrchr(text, ':'), *before = last, *name_end;
	char *end;
	unsigned long first, until;

	while (before && before > text && *--before != ':')
		;
	if (!last || before <= text || *before != ':' || last == before + 1 ||
	    !isdigit((unsigned char)last[1]))
		return error_set(e, "a block is FILE:FUNCTION:FIRST-LAST, not `%s`", text);
	first = until = strtoul(last + 1, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		until = strtoul(end + 1, &end, 10);
	if (*end || !first || first > until || until > UINT32_MAX)
		return error_set(e, "`%s`: the lines of a block are FIRST-LAST", text);
	/* "FILE:list::add:40-44": debug information names a function without its class */
	for (name_end = before; name_end > text + 1 && name_end[-1] == ':';)
		for (name_end--; name_end > text && *--name_end != ':';)
			;
	if (name_end == text)
		name_end = before;
	b->file = xstrndup(text, (size_t)(name_end - text));
	b->function = xstrndup(before + 1, (size_t)(last - before - 1));
	b->first = (uint32_t)first;
	b->last = (uint32_t)until;
	return 0;
}

void block_forget(struct block *b)
{
	free((char *)b->file);
	free((char *)b->function);
	*b = (struct block){ 0 };
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/');
}

bool block_file_is(const char *shown, const char *given)
{
	return shown && (ends_in(shown, given) || ends_in(given, shown));
}

static const struct loops *loops_of(struct finder *f, const struct source_frame *frame)
{
	return file_loops_of(&f->files, &f->source, frame->file);
}

/* Is there a loop around the block, in the function whose code this is? */
static bool loop_around(struct finder *f, const struct code_piece *p)
{
	for (uint32_t i = 0; i <= p->level; i++) {
		const struct source_frame *frame = &p->frames[i];
		const struct loops *l = loops_of(f, frame);

		if (!l)
			return true;
		for (uint32_t k = 0; k < l->n; k++) {
			const struct loop *x = &l->list[k];
			bool inside = x->first >= f->block->first && x->last <= f->block->last;

			if (i < p->level ? x->first <= frame->line && x->last >= frame->line
					 : !inside && x->first <= f->block->last &&
						   x->last >= f->block->first)
				return true;
		}
	}
	return false;
}

static uint32_t loop_number(struct finder *f, const struct code_piece *p, uint32_t level,
			    const struct loop *l)
{
	uint64_t key[5] = { p->copy, level, level ? p->frames[level - 1].address : 0, l->first,
			    l->last };
	bool added;

	if (level == p->level) /* of the function itself */
		key[2] = 0;
	return numbering_add(&f->loops, key, sizeof key, &added) + 1;
}

/* The widest loop inside the block that is around the piece; 0. */
static uint32_t loop_inside(struct finder *f, const struct code_piece *p)
{
	for (uint32_t i = p->level; i < p->nframes; i++) {
		const struct source_frame *frame = &p->frames[i];
		const struct loops *l = loops_of(f, frame);
		const struct loop *best = NULL;

		for (uint32_t k = 0; l && k < l->n; k++) {
			const struct loop *x = &l->list[k];

			if (x->first > frame->line || x->last < frame->line)
				continue;
			if (i == p->level && (x->first < f->block->first || x->last > f->block->last))
				continue;
			if (!best || x->last - x->first > best->last - best->first)
				best = x;
		}
		if (best)
			return loop_number(f, p, i, best);
	}
	return 0;
}

/* The head of a loop: compilers put a copy of its test before the loop. */
static bool is_head(struct finder *f, const struct source_frame *frame)
{
	const struct loops *l = loops_of(f, frame);

	for (uint32_t k = 0; l && k < l->n; k++)
		if (l->list[k].first == frame->line && l->list[k].last > frame->line)
			return true;
	return false;
}

static uint32_t part_number(struct finder *f, uint32_t copy, uint64_t address)
{
	const uint64_t key[2] = { copy, address };
	bool added;

	return numbering_add(&f->parts, key, sizeof key, &added) + 1;
}

static uint32_t statement_number(struct finder *f, const struct code_piece *p)
{
	uint64_t statement = p->frames[p->nframes - 1].statement;
	bool added;

	return statement ? numbering_add(&f->statements, &statement, sizeof statement, &added) + 1 : 0;
}

static void visit(void *data, const struct code_piece *p)
{
	struct finder *f = data;
	const struct source_frame *frame = &p->frames[p->level];
	const struct block *b = f->block;
	uint32_t last = frame_last_line(frame), copy = f->copies + p->copy;
	bool around;

	if (p->copy >= f->most_copies)
		f->most_copies = p->copy + 1;
	if (!frame->line || !block_file_is(frame->file, b->file))
		return;
	if (!f->first || frame->line < f->first)
		f->first = frame->line;
	if (last > f->last)
		f->last = last;
	if (frame->line < b->first || last > b->last) {
		f->elsewhere++;
		return;
	}
	f->pieces++;
	around = loop_around(f, p);
	if (around && !is_head(f, frame)) {
		VEC_GROW(f->places, f->nplaces, f->places_capacity);
		f->places[f->nplaces++] =
			(struct place){ copy, frame->line, frame->column, p->start };
	}
	fprintf(f->out, "code %" PRIu32 " %" PRIu32 " %d %" PRIu32 " %" PRIx64 " %" PRIx64 " %" PRIu32 " %" PRIu32,
		f->number, copy, around, p->module, p->start, p->end, loop_inside(f, p),
		statement_number(f, p));
	fprintf(f->out, " %" PRIu32 " %" PRIu32 " %" PRIu32, frame->line, last, frame->column);
	for (uint32_t i = p->level + 1; i < p->nframes && i - p->level < LP_BLOCK_PARTS; i++) {
		const struct source_frame *g = &p->frames[i];

		fprintf(f->out, " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,
			part_number(f, copy, p->frames[i - 1].address), g->line, frame_last_line(g),
			g->column);
	}
	fputc('\n', f->out);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->copy != y->copy)
		return x->copy < y->copy ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* A line with two places that come twice in turn: the loop around it was unrolled. From the second place
 * to the first is the next round then, which looks like going on. 0: there is none. */
static uint32_t unrolled_line(struct finder *f)
{
	const struct place *p = f->places;

	if (f->nplaces)
		qsort(f->places, f->nplaces, sizeof *f->places, compare_places);
	for (uint32_t i = 0; i < f->nplaces; i++) {
		uint32_t end = i;

		while (end < f->nplaces && p[end].copy == p[i].copy && p[end].line == p[i].line)
			end++;
		for (uint32_t other = i + 1; other < end; other++) {
			uint32_t k = other + 1;

			if (p[other].column == p[i].column)
				continue;
			while (k < end && p[k].column != p[i].column)
				k++;
			while (k < end && p[k].column != p[other].column)
				k++;
			if (k < end)
				return p[i].line;
		}
	}
	return 0;
}

static int find_block(struct finder *f, const struct block *b, uint32_t number, struct error *e)
{
	uint32_t unrolled;

	f->block = b;
	f->number = number;
	f->copies += f->most_copies;
	f->most_copies = 0;
	f->pieces = f->elsewhere = 0;
	f->nplaces = 0;
	f->first = f->last = 0;
	fprintf(f->out, "block %" PRIu32 " %s:%s:%" PRIu32 "-%" PRIu32 "\n", number, b->file, b->function,
		b->first, b->last);
	srcmap_code(f->map, b->function, visit, f);
	unrolled = unrolled_line(f);
	if (unrolled)
		return error_set(e,
				 "%s:%s:%" PRIu32 ": the compiler has unrolled or rearranged the loop around this "
				 "line, and its rounds cannot be told apart; compile with -O0, or "
				 "give each access a line of its own",
				 b->file, b->function, unrolled);
	if (f->pieces)
		return 0;
	if (f->elsewhere)
		return error_set(e,
				 "%s:%s:%" PRIu32 "-%" PRIu32 ": these lines of the function have no "
				 "code; it has code from line %" PRIu32 " to %" PRIu32,
				 b->file, b->function, b->first, b->last, f->first, f->last);
	return error_set(e,
			 "%s:%s: the program has no code of this function; are the names right, and "
			 "was it compiled with -g?",
			 b->file, b->function);
}

static void finder_free(struct finder *f)
{
	file_loops_free(&f->files);
	free(f->places);
	numbering_free(&f->loops);
	numbering_free(&f->parts);
	numbering_free(&f->statements);
	srcmap_close(f->map);
}

char *blocks_text(const char *program, const struct block *blocks, uint32_t n, struct error *e)
{
	struct finder f = { .map = srcmap_of_program(program, e) };
	char *text = NULL;
	size_t size;
	int result = 0;

	if (!f.map)
		return NULL;
	f.source = srcmap_source(f.map);
	f.out = open_memstream(&text, &size);
	fprintf(f.out, "blocks %d\n", LP_BLOCKS_VERSION);
	for (uint32_t i = 0; srcmap_module_path(f.map, i); i++)
		fprintf(f.out, "module %" PRIu32 " %s\n", i, srcmap_module_path(f.map, i));
	if (n > LP_BLOCKS_MOST)
		result = error_set(e, "more than %d blocks", LP_BLOCKS_MOST);
	for (uint32_t i = 0; i < n && result == 0; i++)
		result = find_block(&f, &blocks[i], i, e);
	fclose(f.out);
	finder_free(&f);
	if (result == 0)
		return text;
	free(text);
	return NULL;
}

int blocks_save(const char *text, const char *path, struct error *e)
{
	FILE *f = fopen(path, "w");
	bool failed;

	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	fputs(text, f);
	failed = ferror(f);
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", path, strerror(errno));
	return 0;
}

char **blocks_named(const char *path, uint32_t *n)
{
	FILE *f = fopen(path, "r");
	char *line = NULL, **list = NULL;
	size_t size = 0;
	uint32_t capacity = 0;
	ssize_t length;

	*n = 0;
	if (!f)
		return NULL;
	VEC_GROW(list, *n, capacity);
	while ((length = getline(&line, &size, f)) > 0) {
		char *text;

		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (strncmp(line, "block ", 6) != 0 || !(text = strchr(line + 6, ' ')))
			continue;
		VEC_GROW(list, *n, capacity);
		list[(*n)++] = xstrdup(text + 1);
	}
	free(line);
	fclose(f);
	return list;
}
