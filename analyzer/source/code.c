/* SPDX-License-Identifier: MIT
 *
 * The machine code of a function, with the lines that it comes from.
 *
 * A function has code of its own, and copies that were inlined into others, each with its ranges in
 * DWARF. Within a range the position can change where a row of the line table begins and where an
 * inlined function begins or ends; from one such address to the next all code has one position.
 */
#include "source/code.h"

#include "source/libraries.h"
#include "source/private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 256

struct walk {
	struct srcmap *map;
	uint32_t module;
	const char *function;
	void (*visit)(void *data, const struct code_piece *piece);
	void *data;
	Dwarf_Die *unit;
	Dwarf_Addr bias;  /* from DWARF to libdwfl */
	uint32_t copies;
	Dwarf_Addr *cuts; /* where positions may change */
	size_t ncuts, capacity;
};

static void cut(struct walk *w, Dwarf_Addr address)
{
	VEC_GROW(w->cuts, w->ncuts, w->capacity);
	w->cuts[w->ncuts++] = address;
}

static bool has_code(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* The ends of what was inlined into a function. */
static void cut_inlined(struct walk *w, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Addr base, lo, hi;
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		ptrdiff_t at = 0;

		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			while ((at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0) {
				cut(w, lo);
				cut(w, hi);
			}
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine ||
		    dwarf_tag(&die) == DW_TAG_lexical_block)
			cut_inlined(w, &die, depth + 1);
	} while (dwarf_next_sibling(&die));
}

static void cut_rows(struct walk *w)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(w->unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr address;

		if (!dwarf_lineaddr(dwarf_onesrcline(lines, i), &address))
			cut(w, address);
	}
}

static int compare(const void *a, const void *b)
{
	Dwarf_Addr x = *(const Dwarf_Addr *)a, y = *(const Dwarf_Addr *)b;

	return x < y ? -1 : x > y;
}

/* The frame of the function at this level of recursion; NONE. */
static uint32_t level_of(const struct walk *w, const struct frame_list *list, unsigned recursion)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->frames[i].function && !strcmp(list->frames[i].function, w->function) &&
		    !recursion--)
			return i;
	return NONE;
}

static void visit_piece(struct walk *w, Dwarf_Addr lo, Dwarf_Addr hi, unsigned recursion, uint32_t copy)
{
	struct srcmap_module *mod = &w->map->modules[w->module];
	uint64_t shift = w->bias - mod->bias;
	struct frame_list list = { 0 };
	struct code_piece piece = {
		.module = w->module,
		.start = lo + shift,
		.end = hi + shift,
		.copy = copy,
	};

	module_frames(mod, &w->map->files, piece.start, piece.start + 1, &list);
	piece.frames = list.frames;
	piece.nframes = list.n;
	piece.level = level_of(w, &list, recursion);
	if (piece.level != NONE)
		w->visit(w->data, &piece);
	free(list.frames);
}

static void visit_range(struct walk *w, Dwarf_Addr lo, Dwarf_Addr hi, unsigned recursion, uint32_t copy)
{
	Dwarf_Addr from = lo;

	for (size_t i = 0; i <= w->ncuts && from < hi; i++) {
		Dwarf_Addr to = i < w->ncuts && w->cuts[i] < hi ? w->cuts[i] : hi;

		if (to > from) {
			visit_piece(w, from, to, recursion, copy);
			from = to;
		}
	}
}

/* One copy of the function, or a part of it. */
static void visit_copy(struct walk *w, Dwarf_Die *die, unsigned recursion, uint32_t copy)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	w->ncuts = 0;
	cut_rows(w);
	cut_inlined(w, die, 0);
	qsort(w->cuts, w->ncuts, sizeof *w->cuts, compare);
	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		visit_range(w, lo, hi, recursion, copy);
}

/* around: the function that the scope is in, or of; recursion: how many functions of the name are around, all
 * inlined into each other; copy: the innermost of them. */
static void walk(struct walk *w, Dwarf_Die *scope, Dwarf_Die *around, unsigned recursion, uint32_t copy,
		 unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		unsigned inside = dwarf_tag(&die) == DW_TAG_subprogram ? 0 : recursion;
		const char *name = has_code(&die) ? dwarf_diename(&die) : NULL;
		uint32_t inner = copy;

		if (name && !strcmp(name, w->function) && !dwarf_is_part(around, &die)) {
			Dwarf_Addr base, lo, hi;

			inner = w->copies++;
			if (dwarf_ranges(&die, 0, &base, &lo, &hi) > 0)
				visit_copy(w, &die, inside, inner);
			inside++;
		}
		walk(w, &die, has_code(&die) ? &die : around, inside, inner, depth + 1);
	} while (dwarf_next_sibling(&die));
}

void srcmap_code(struct srcmap *m, const char *function,
		 void (*visit)(void *data, const struct code_piece *piece), void *data)
{
	struct walk w = { .map = m, .function = function, .visit = visit, .data = data };

	for (w.module = 0; w.module < m->nmodules; w.module++) {
		struct srcmap_module *mod = &m->modules[w.module];

		if (!mod->elf || system_library(mod->path) || !module_debug(mod))
			continue;
		w.unit = NULL;
		while ((w.unit = dwfl_module_nextcu(mod->elf, w.unit, &w.bias)))
			walk(&w, w.unit, w.unit, 0, 0, 0);
	}
	free(w.cuts);
}

/* ---- without a run ---- */

static void name_module(struct run *run, const char *path)
{
	char *whole = realpath(path, NULL);

	run->modules[run->nmodules++] =
		(struct module){ whole ? whole : xstrdup(path), xstrdup("-"), 0 };
}

struct srcmap *srcmap_of_program(const char *program, struct error *e)
{
	struct run *run;
	char **libraries;
	size_t n;
	struct srcmap *m;

	if (access(program, R_OK) < 0) {
		error_set(e, "%s cannot be read", program);
		return NULL;
	}
	libraries = libraries_of(program, &n);
	run = xcalloc(1, sizeof *run);
	run->modules = xcalloc(n + 1, sizeof *run->modules);
	run->cwd = getcwd(NULL, 0);
	name_module(run, program);
	for (size_t i = 0; i < n; i++) {
		name_module(run, libraries[i]);
		free(libraries[i]);
	}
	free(libraries);
	m = srcmap_open(run, e);
	if (m)
		m->own_run = run;
	else
		srcmap_free_run(run);
	return m;
}

void srcmap_free_run(struct run *run)
{
	if (!run)
		return;
	for (uint32_t i = 0; i < run->nmodules; i++) {
		free(run->modules[i].path);
		free(run->modules[i].build_id);
	}
	free(run->modules);
	free(run->cwd);
	free(run);
}

const char *srcmap_module_path(const struct srcmap *m, uint32_t module)
{
	return module < m->nmodules ? m->modules[module].path : NULL;
}
