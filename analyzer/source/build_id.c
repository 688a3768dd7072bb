/* SPDX-License-Identifier: MIT */
#include "source/build_id.h"
#include "source/dwarf.h"

#include <stdlib.h>

char *build_id_of(Dwfl_Module *module)
{
	const unsigned char *bytes;
	GElf_Addr where;
	int n = dwfl_module_build_id(module, &bytes, &where);
	char *s;

	if (n <= 0)
		return xstrdup("-");
	s = xmalloc((size_t)n * 2 + 1);
	for (int i = 0; i < n; i++)
		sprintf(s + i * 2, "%02x", bytes[i]);
	s[n * 2] = '\0';
	return s;
}

char *build_id_of_file(const char *path)
{
	Dwfl_Module *module;
	Dwfl *dwfl = dwarf_open(path, &module, NULL);
	GElf_Addr bias;
	char *id = NULL;

	if (!dwfl)
		return NULL;
	/* It is read only with the file. */
	if (dwfl_module_getelf(module, &bias))
		id = build_id_of(module);
	dwfl_end(dwfl);
	return id;
}
