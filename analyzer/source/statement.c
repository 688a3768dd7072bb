/* SPDX-License-Identifier: MIT
 *
 * Which execution of a statement a piece of code belongs to: several stores of one assignment of a structure, or
 * several rounds of a loop that was unrolled? Both are instructions of one line and column, one behind the other.
 *
 * gcc marks in the line table where statements begin, in each copy that it makes of them; where it does, there are
 * rows that are no beginnings. Without optimization nothing is copied. Other compilers say nothing that can be
 * relied on.
 */
#include "source/private.h"

#include <dwarf.h>
#include <string.h>

bool unit_is_gcc(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && !strncmp(producer, "GNU ", 4);
}

/* gcc records its options; others say nothing. */
bool unit_is_plain(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	if (!unit_is_gcc(unit))
		return false;
	producer = strstr(producer, " -O");
	return !producer || (producer[3] == '0' && !strstr(producer + 3, " -O"));
}

/* clang marks functions of which it describes all calls, which it only does if it optimizes. */
static bool describes_calls(Dwarf_Die *unit)
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die))
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram && (dwarf_hasattr(&die, DW_AT_call_all_calls) ||
							     dwarf_hasattr(&die, DW_AT_GNU_all_call_sites)))
			return true;
	} while (dwarf_next_sibling(&die));
	return false;
}

bool unit_is_optimized(Dwarf_Die *unit)
{
	return unit_is_gcc(unit) ? !unit_is_plain(unit) : describes_calls(unit);
}

static bool begins(Dwarf_Line *row)
{
	bool yes;

	return !dwarf_linebeginstatement(row, &yes) && yes;
}

static bool has_marks(Dwarf_Lines *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!begins(dwarf_onesrcline(lines, i)))
			return true;
	return false;
}

static bool one_line(Dwarf_Line *a, Dwarf_Line *b)
{
	const char *x, *y;
	int line_a, line_b;

	if (dwarf_lineno(a, &line_a) || dwarf_lineno(b, &line_b) || line_a != line_b)
		return false;
	x = dwarf_linesrc(a, NULL, NULL);
	y = dwarf_linesrc(b, NULL, NULL);
	return x && y && !strcmp(x, y);
}

uint64_t statement_of(Dwarf_Die *unit, Dwarf_Lines *lines, size_t n, size_t row)
{
	Dwarf_Line *of = dwarf_onesrcline(lines, row);
	Dwarf_Addr address;

	if (!unit_is_gcc(unit))
		return 0;
	if (unit_is_plain(unit))
		return 1;
	if (!has_marks(lines, n))
		return 0;
	for (size_t i = row + 1; i-- > 0;) {
		Dwarf_Line *before = dwarf_onesrcline(lines, i);
		bool end;

		if (dwarf_lineendsequence(before, &end) || end)
			break;
		if (begins(before) && one_line(before, of))
			return dwarf_lineaddr(before, &address) ? 0 : address + 1;
	}
	return 0;
}
