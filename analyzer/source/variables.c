/* SPDX-License-Identifier: MIT
 *
 * Names of places in static memory: the variables of a module with their types, so that an address
 * becomes "items[2].key" instead of "items+20".
 */
#include "source/private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* of scopes */

static bool variable_address(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Attribute attr, result;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &n) || n != 1)
		return false;
	if (ops[0].atom == DW_OP_addr) {
		*address = ops[0].number;
		return true;
	}
	/* An index into the unit's table of addresses. */
	return (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
	       !dwarf_getlocation_attr(&attr, ops, &result) && !dwarf_formaddr(&result, address);
}

static void add_variable(struct srcmap_module *mod, Dwarf_Die *die, int64_t shift)
{
	struct variable v = { .name = dwarf_diename(die) };

	if (!v.name || !variable_address(die, &v.address) ||
	    !qualified_type_of(die, &v.type, &v.sort))
		return;
	v.size = type_size(&v.type);
	if (!v.size)
		v.size = 1;
	v.address += (uint64_t)shift;
	VEC_GROW(mod->variables, mod->nvariables, mod->variables_capacity);
	mod->variables[mod->nvariables++] = v;
}

static void add_scope(struct srcmap_module *mod, Dwarf_Die *scope, int64_t shift, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			add_variable(mod, &die, shift);
		else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
			 tag == DW_TAG_namespace)
			add_scope(mod, &die, shift, depth + 1);
	} while (dwarf_next_sibling(&die));
}

static int by_address(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_variables(struct srcmap_module *mod)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	mod->variables_read = true;
	if (!mod->elf || !dwfl_module_getdwarf(mod->elf, &bias))
		return;
	while ((unit = dwfl_module_nextcu(mod->elf, unit, &bias)))
		add_scope(mod, unit, (int64_t)(bias - mod->bias), 0);
	if (mod->nvariables)
		qsort(mod->variables, mod->nvariables, sizeof *mod->variables, by_address);
}

static const struct variable *find_variable(const struct srcmap_module *mod, uint64_t address)
{
	uint32_t low = 0, high = mod->nvariables;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mod->variables[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - mod->variables[low - 1].address >= mod->variables[low - 1].size)
		return NULL;
	return &mod->variables[low - 1];
}

/* Writes the name of what is at the address in a variable, as far down as its type goes, to out (or NULL),
 * and what the types say to *sort. False if there is no variable. */
static bool describe(struct srcmap_module *mod, uint64_t address, bool whole, FILE *out,
		     enum variable_sort *sort)
{
	const struct variable *v;

	if (!mod->variables_read)
		read_variables(mod);
	v = find_variable(mod, address);
	if (!v)
		return false;
	if (out)
		fputs(v->name, out);
	*sort = v->sort;
	type_path(out, &v->type, address - v->address, whole, sort);
	return true;
}

char *module_variable(struct srcmap_module *mod, uint64_t address, bool whole)
{
	enum variable_sort sort;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool found = out && describe(mod, address, whole, out, &sort);

	if (out)
		fclose(out);
	if (found)
		return text;
	free(text);
	return NULL;
}

enum variable_sort module_variable_sort(struct srcmap_module *mod, uint64_t address)
{
	enum variable_sort sort = VARIABLE_UNKNOWN;

	describe(mod, address, false, NULL, &sort);
	return sort;
}
