/* SPDX-License-Identifier: MIT
 *
 * Types of debug information: how large they are, and what lies where in them.
 */
#include "source/private.h"

#include <dwarf.h>
#include <string.h>

#define MAX_DEPTH      64 /* of types inside types */
#define MAX_DIMENSIONS 8

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

/* Damaged types may be circular. */
bool qualified_type_of(Dwarf_Die *die, Dwarf_Die *type, enum variable_sort *sort)
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

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
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

uint64_t type_size(Dwarf_Die *type)
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

/* Has the array no known length? */
static bool unbounded(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die range;

	if (dwarf_tag(type) != DW_TAG_array_type || dwarf_child(type, &range))
		return false;
	do {
		Dwarf_Word v;

		if (dwarf_tag(&range) == DW_TAG_subrange_type)
			return dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attr), &v) ? !dwarf_hasattr(&range, DW_AT_upper_bound) : !v;
	} while (dwarf_next_sibling(&range));
	return false;
}

bool type_endless(Dwarf_Die *type)
{
	Dwarf_Die member, of;
	bool endless = false;

	if (dwarf_child(type, &member))
		return false;
	do {
		if (dwarf_tag(&member) == DW_TAG_member)
			endless = type_of(&member, &of) && unbounded(&of);
	} while (dwarf_next_sibling(&member));
	return endless;
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
		    !qualified_type_of(&member, &of, &said) || *offset < begin ||
		    (*offset - begin >= type_size(&of) && !unbounded(&of)))
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

void type_path(FILE *out, const Dwarf_Die *of, uint64_t offset, bool whole, enum variable_sort *sort)
{
	Dwarf_Die type = *of;

	for (unsigned depth = 0; depth < MAX_DEPTH && (offset || !whole); depth++) {
		int tag = dwarf_tag(&type);

		if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type
			    ? !into_member(out, &type, &offset, sort)
			    : tag != DW_TAG_array_type || !into_element(out, &type, &offset, sort))
			break;
	}
	if (offset && out)
		fprintf(out, "+%llu", (unsigned long long)offset);
}
