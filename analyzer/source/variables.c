/* SPDX-License-Identifier: MIT
 *
 * Names of places in static memory: the variables of a module with their types, so that an address
 * becomes "items[2].key" instead of "items+20".
 */
#include "source/private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH      64 /* of scopes, and of types inside types */
#define MAX_DIMENSIONS 8

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

static bool transparent(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

/* What a qualifier, or the name of a type that has its own ways of access, says. */
static enum variable_sort said_by(Dwarf_Die *type)
{
	static const char *const atomics[] = { "atomic<", "__atomic_base<", "__atomic_float<", "atomic_flag",
					       "__atomic_flag_base", "atomic_ref<" };
	const char *name = dwarf_diename(type);

	if (dwarf_tag(type) == DW_TAG_atomic_type)
		return VARIABLE_ATOMIC;
	if (dwarf_tag(type) == DW_TAG_volatile_type)
		return VARIABLE_VOLATILE;
	for (size_t i = 0; name && i < sizeof atomics / sizeof *atomics; i++)
		if (!strncmp(name, atomics[i], strlen(atomics[i])))
			return VARIABLE_ATOMIC;
	return VARIABLE_PLAIN;
}

/* The type of a variable, member or element without names and qualifiers; what these say goes to *sort if
 * it is more than what is there. Damaged types may be circular. */
static bool qualified_type_of(Dwarf_Die *die, Dwarf_Die *type, enum variable_sort *sort)
{
	Dwarf_Die *from = die;
	Dwarf_Attribute attr;

	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(from, DW_AT_type, &attr), type))
			return false;
		if (said_by(type) > *sort)
			*sort = said_by(type);
		if (!transparent(dwarf_tag(type)))
			return true;
		from = type;
	}
	return false;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	enum variable_sort ignored = VARIABLE_PLAIN;

	return qualified_type_of(die, type, &ignored);
}

/* The number of elements in each dimension of an array; 1 where it is not said. */
static unsigned dimensions(Dwarf_Die *type, uint64_t *counts)
{
	unsigned n = 0;
	Dwarf_Die range;

	if (dwarf_child(type, &range))
		return 0;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word v;

		if (dwarf_tag(&range) != DW_TAG_subrange_type || n == MAX_DIMENSIONS)
			continue;
		if (!dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attr), &v))
			counts[n++] = v;
		else if (!dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attr), &v))
			counts[n++] = v + 1;
		else
			counts[n++] = 1;
	} while (dwarf_next_sibling(&range));
	return n;
}

/* In bytes; 0 if it is unknown. */
static uint64_t type_size(Dwarf_Die *type)
{
	uint64_t counts[MAX_DIMENSIONS], size = 1;
	Dwarf_Die element = *type;
	Dwarf_Attribute attr;
	Dwarf_Word bytes;

	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		unsigned n;

		if (!dwarf_formudata(dwarf_attr_integrate(&element, DW_AT_byte_size, &attr),
				     &bytes))
			return bytes > UINT32_MAX ? 0 : size * bytes;
		if (dwarf_tag(&element) != DW_TAG_array_type)
			break;
		n = dimensions(&element, counts);
		while (n-- > 0) {
			size *= counts[n];
			if (size > UINT32_MAX)
				return 0;
		}
		if (!type_of(&element, &element))
			return 0;
	}
	return dwarf_tag(&element) == DW_TAG_pointer_type ? size * sizeof(void *) : 0;
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

static bool member_offset(Dwarf_Die *member, Dwarf_Word *offset)
{
	Dwarf_Attribute attr;

	*offset = 0; /* members of a union have none */
	return !dwarf_attr(member, DW_AT_data_member_location, &attr) ||
	       !dwarf_formudata(&attr, offset);
}

/* Goes into the member that holds *offset; false if none does. */
static bool into_member(FILE *out, Dwarf_Die *type, uint64_t *offset, enum variable_sort *sort)
{
	Dwarf_Die member;

	if (dwarf_child(type, &member))
		return false;
	do {
		enum variable_sort said = *sort;
		Dwarf_Word begin;
		Dwarf_Die of;
		const char *name;

		if (dwarf_tag(&member) != DW_TAG_member || !member_offset(&member, &begin) ||
		    !qualified_type_of(&member, &of, &said) || *offset < begin || *offset - begin >= type_size(&of))
			continue;
		/* The members of types private to the C library, such as a mutex, are not shown. */
		name = dwarf_diename(&member);
		if (name && !strncmp(name, "__", 2))
			return false;
		if (name && out)
			fprintf(out, ".%s", name);
		*offset -= begin;
		*type = of;
		*sort = said;
		return true;
	} while (dwarf_next_sibling(&member));
	return false;
}

static bool into_element(FILE *out, Dwarf_Die *type, uint64_t *offset, enum variable_sort *sort)
{
	uint64_t counts[MAX_DIMENSIONS], index;
	unsigned n = dimensions(type, counts);
	uint64_t size;
	Dwarf_Die of;

	if (!n || !qualified_type_of(type, &of, sort))
		return false;
	size = type_size(&of);
	if (!size)
		return false;
	index = *offset / size;
	*offset %= size;
	for (unsigned i = 0; i < n; i++) {
		uint64_t below = 1;

		for (unsigned j = i + 1; j < n; j++)
			below *= counts[j] ? counts[j] : 1;
		if (!below)
			return false;
		if (out)
			fprintf(out, "[%llu]", (unsigned long long)(index / below));
		index %= below;
	}
	*type = of;
	return true;
}

/* Writes the name of what is at the address in a variable, as far down as its type goes, to out (or NULL),
 * and what the types say to *sort. False if there is no variable. */
static bool describe(struct srcmap_module *mod, uint64_t address, bool whole, FILE *out,
		     enum variable_sort *sort)
{
	const struct variable *v;
	Dwarf_Die type;
	uint64_t offset;

	if (!mod->variables_read)
		read_variables(mod);
	v = find_variable(mod, address);
	if (!v)
		return false;
	if (out)
		fputs(v->name, out);
	offset = address - v->address;
	type = v->type;
	*sort = v->sort;
	for (unsigned depth = 0; depth < MAX_DEPTH && (offset || !whole); depth++) {
		int tag = dwarf_tag(&type);

		if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type
			    ? !into_member(out, &type, &offset, sort)
			    : tag != DW_TAG_array_type || !into_element(out, &type, &offset, sort))
			break;
	}
	if (offset && out)
		fprintf(out, "+%llu", (unsigned long long)offset);
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
