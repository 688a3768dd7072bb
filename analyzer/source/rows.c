/* SPDX-License-Identifier: MIT
 *
 * A row of the line table says that the code from its address on is of some line, and whether a statement
 * begins there. Where several rows have one address, only the last one has code: what the others are of
 * was moved elsewhere or is not there any more.
 */
#include "source/rows.h"

#include "source/libraries.h"
#include "source/private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct row {
	Dwarf_Addr address;
	int line;
	bool begins, end; /* a statement; a sequence */
};

static bool row_at(Dwarf_Lines *lines, size_t i, struct row *r)
{
	Dwarf_Line *row = dwarf_onesrcline(lines, i);

	return !dwarf_lineaddr(row, &r->address) && !dwarf_lineno(row, &r->line) &&
	       !dwarf_linebeginstatement(row, &r->begins) && !dwarf_lineendsequence(row, &r->end);
}

/* Row i is the one that the code at its address has, and a statement of its line begins there. */
static bool begins_statement(Dwarf_Lines *lines, size_t i, size_t n, Dwarf_Addr *address)
{
	struct row r, other;
	bool begins;

	if (i + 1 >= n || !row_at(lines, i, &r) || r.end || r.line <= 0 ||
	    !row_at(lines, i + 1, &other) || other.address <= r.address)
		return false;
	begins = r.begins;
	while (!begins && i-- > 0 && row_at(lines, i, &other) && !other.end && other.address == r.address)
		begins = other.begins && other.line == r.line;
	*address = r.address;
	return begins;
}

void srcmap_rows(struct srcmap *m, uint32_t module,
		 void (*visit)(void *data, uint64_t address, bool plain, const struct source_frame *frame),
		 void *data)
{
	struct srcmap_module *mod = &m->modules[module];
	struct frame_list list = { 0 };
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, address;
	Dwarf_Lines *lines;
	size_t n;

	if (!mod->elf || system_library(mod->path) || !module_debug(mod))
		return;
	while ((unit = dwfl_module_nextcu(mod->elf, unit, &bias))) {
		bool plain = unit_is_plain(unit);

		if (dwarf_getsrclines(unit, &lines, &n))
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct source_frame *f;

			if (!begins_statement(lines, i, n, &address))
				continue;
			list.n = 0;
			address = address + bias - mod->bias;
			module_frames(mod, &m->files, address, address + 1, &list);
			f = list.n ? &list.frames[list.n - 1] : NULL;
			if (f && f->function && f->line && srcmap_in_program(m, f))
				visit(data, address, plain, f);
		}
	}
	free(list.frames);
}
