/* SPDX-License-Identifier: MIT
 *
 * Where functions begin in the source.
 */
#include "source/private.h"

#include <dwarf.h>
#include <string.h>

#define MAX_DEPTH 64

struct wanted {
	struct source_files *files;
	const char *file, *function, *directory;
	uint32_t line; /* the function begins here or before */
	uint32_t best;
};

static void look_at(struct wanted *w, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *path;
	int line;

	if (!name || strcmp(name, w->function) || dwarf_decl_line(die, &line) || line <= 0)
		return;
	path = dwarf_decl_file(die);
	if (path && (uint32_t)line <= w->line && (uint32_t)line > w->best &&
	    !strcmp(files_name(w->files, w->directory, path), w->file))
		w->best = (uint32_t)line;
}

static void look_in(struct wanted *w, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			look_at(w, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			 tag == DW_TAG_structure_type)
			look_in(w, &die, depth + 1);
	} while (dwarf_next_sibling(&die));
}

uint32_t srcmap_function_line(struct srcmap *m, const char *file, const char *function, uint32_t line)
{
	struct wanted w = { &m->files, file, function, NULL, line, 0 };

	for (uint32_t i = 0; file && function && i < m->nmodules; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		if (!m->modules[i].elf || !m->modules[i].used || !module_debug(&m->modules[i]))
			continue;
		while ((unit = dwfl_module_nextcu(m->modules[i].elf, unit, &bias))) {
			w.directory = unit_directory(unit);
			look_in(&w, unit, 0);
		}
	}
	return w.best;
}
