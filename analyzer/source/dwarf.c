/* SPDX-License-Identifier: MIT */
#include "source/dwarf.h"

#include <dwarf.h>
#include <string.h>

static char *debuginfo_path; /* libdwfl's default */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

Dwfl *dwarf_open(const char *path, Dwfl_Module **module, struct error *e)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	*module = NULL;
	if (dwfl) {
		dwfl_report_begin(dwfl);
		*module = dwfl_report_offline(dwfl, path, path, -1);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (*module)
		return dwfl;
	error_set(e, "%s", dwfl_errmsg(-1));
	dwfl_end(dwfl);
	return NULL;
}

Dwfl *dwarf_begin_process(void)
{
	static const Dwfl_Callbacks with_places = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debuginfo_path,
	};

	return dwfl_begin(&with_places);
}

bool dwarf_next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

bool dwarf_is_part(Dwarf_Die *around, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *other = dwarf_diename(around);
	Dwarf_Attribute attr;
	Dwarf_Word called;
	int declared;

	return dwarf_tag(die) == DW_TAG_inlined_subroutine && name && other && !strcmp(name, other) &&
	       !dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &called) &&
	       !dwarf_decl_line(die, &declared) && called == (Dwarf_Word)declared;
}

bool system_library(const char *path)
{
	if (!strncmp(path, "/usr/", 5))
		path += 4;
	return !strncmp(path, "/lib/", 5) || !strncmp(path, "/lib64/", 7) ||
	       !strncmp(path, "/lib32/", 7) || !strncmp(path, "/libx32/", 8);
}
