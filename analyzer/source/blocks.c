/* SPDX-License-Identifier: MIT
 *
 * What a block of the heap holds: a type, so that its bytes have names.
 *
 * Nothing records that. It is what the program says where it allocates: `malloc(sizeof *n)`, `new node`
 * (wording.c). The name behind `sizeof` or `new` is looked up in the debug information of that place, and must be
 * as large as the block is: once, or, of an array, some times. Where the size is a parameter of a function of the
 * program, which allocates for others, what they give is looked at, and so on. Of anything else nothing is known:
 * no name is better than a wrong one.
 */
#include "source/private.h"
#include "source/wording.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CALLERS 3 /* that are asked */
#define MAX_NESTING 4 /* of types and namespaces */

/* Before the elements of a `new T[n]` there may be their number. Is there none? */
static bool no_cookie(Dwarf_Die *type, uint64_t bytes, uint64_t size, const struct wording *w)
{
	int tag = dwarf_tag(type);

	return (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type) ||
	       w->elements * size == bytes || (size > sizeof(size_t) && size % 16);
}

/* Is a block of so many bytes one, or some, of the type? */
static bool fits(Dwarf_Die *type, uint64_t bytes, const struct wording *w, struct block_type *found)
{
	uint64_t size = type_size(type);

	if (!size || bytes < size)
		return false;
	found->element = 0;
	if (bytes > size || w->more) {
		if (type_endless(type))
			;
		else if (w->more || !w->several || bytes % size || (w->by_new && !no_cookie(type, bytes, size, w)))
			return false;
		else
			found->element = size;
	}
	found->known = true;
	found->type = *type;
	return true;
}

static bool holds_members(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* The type that the name means, if the entry is one of it. */
static bool names_type(Dwarf_Die *die, const char *wanted, Dwarf_Die *type)
{
	int tag = dwarf_tag(die);
	const char *name;

	if (!holds_members(tag) && tag != DW_TAG_typedef && tag != DW_TAG_template_type_parameter)
		return false;
	name = dwarf_diename(die);
	*type = *die;
	return name && !strcmp(name, wanted) && (holds_members(tag) || type_of(die, type));
}

/* Types of that name and size, in others and in namespaces; there must be only one. */
static unsigned count_types(Dwarf_Die *scope, uint64_t bytes, const struct wording *w, struct block_type *found,
			    unsigned depth)
{
	unsigned n = 0;
	Dwarf_Die die, type;

	if (depth > MAX_NESTING || dwarf_child(scope, &die))
		return 0;
	do {
		if (names_type(&die, w->name, &type)) {
			Dwarf_Off before = found->known ? dwarf_dieoffset(&found->type) : 0;

			n += fits(&type, bytes, w, found) && before != dwarf_dieoffset(&type);
		}
		if (holds_members(dwarf_tag(&die)) || dwarf_tag(&die) == DW_TAG_namespace)
			n += count_types(&die, bytes, w, found, depth + 1);
	} while (dwarf_next_sibling(&die));
	return n;
}

/* The scopes around a call, innermost first. */
struct scopes {
	Dwarf_Die *unit, *list;
	int n, function; /* the innermost that is one */
};

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/* False where they are not known to be those of the frame, which may be what others are inlined into. */
static bool find_scopes(struct srcmap *m, const struct source_frame *f, struct scopes *s)
{
	uint64_t module = f->address >> ADDRESS_SHIFT, address = f->address & ((1ULL << ADDRESS_SHIFT) - 1);
	struct srcmap_module *mod = module && module <= m->nmodules ? &m->modules[module - 1] : NULL;
	Dwarf_Addr bias = 0;
	const char *name;

	*s = (struct scopes){ .unit = NULL };
	if (mod && mod->elf && address)
		s->unit = module_unit(mod, address - 1, &bias);
	if (!s->unit)
		return false;
	s->n = dwarf_getscopes(s->unit, address - 1 + mod->bias - bias, &s->list);
	while (s->function < s->n && !is_function(&s->list[s->function]))
		s->function++;
	name = s->function < s->n ? dwarf_diename(&s->list[s->function]) : NULL;
	/* Of a lambda only the symbol may be known, `main::{lambda()#1}::operator()() const`. */
	return f->function && (name ? !strcmp(name, f->function) : s->n <= 0 && strchr(f->function, '('));
}

static bool is_variable(Dwarf_Die *die, const char *wanted)
{
	int tag = dwarf_tag(die);
	const char *name = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? dwarf_diename(die) : NULL;

	return name && !strcmp(name, wanted);
}

/* What the name means where the call is: a variable, or a type inside of the function; innermost first. */
static bool find_near(const struct scopes *s, const struct wording *w, Dwarf_Die *found)
{
	for (int i = 0; i < s->n; i++) {
		Dwarf_Die type;

		if (dwarf_child(&s->list[i], found))
			continue;
		do {
			if (!w->tagged && is_variable(found, w->name))
				return true;
			if (!w->pointee && i <= s->function && names_type(found, w->name, &type)) {
				*found = type;
				return true;
			}
		} while (dwarf_next_sibling(found));
	}
	return false;
}

static void resolve(const struct scopes *s, const struct wording *w, struct block_type *found)
{
	Dwarf_Die near, type;

	if (find_near(s, w, &near)) {
		int tag = dwarf_tag(&near);

		if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
			fits(&near, found->bytes, w, found);
		else if (w->pointee && type_of(&near, &type) && dwarf_tag(&type) == DW_TAG_pointer_type &&
			 type_of(&type, &type))
			fits(&type, found->bytes, w, found);
	} else if (!w->pointee && count_types(s->unit, found->bytes, w, found, 0) != 1) {
		found->known = false;
	}
}

/* Which parameters of the function the names are, a bit for each; 0 if one of them is none. */
static unsigned find_parameters(const struct scopes *s, const struct wording *w)
{
	unsigned found = 0, number = 0;
	Dwarf_Attribute of;
	Dwarf_Die function, die;

	if (s->function >= s->n)
		return 0;
	/* A copy may lack some of them. */
	function = s->list[s->function];
	if (dwarf_attr(&function, DW_AT_abstract_origin, &of) && !dwarf_formref_die(&of, &function))
		return 0;
	if (dwarf_child(&function, &die))
		return 0;
	do {
		Dwarf_Attribute attr;
		bool hidden; /* `this` */

		if (dwarf_tag(&die) != DW_TAG_formal_parameter ||
		    (dwarf_attr_integrate(&die, DW_AT_artificial, &attr) && !dwarf_formflag(&attr, &hidden) && hidden))
			continue;
		for (unsigned i = 0; i < w->nnames; i++)
			if (is_variable(&die, w->names[i]))
				found |= 1U << number;
		number++;
	} while (number < MAX_ARGUMENTS && dwarf_next_sibling(&die));
	return (unsigned)__builtin_popcount(found) == w->nnames ? found : 0;
}

static struct block_type find_type(struct srcmap *m, uint32_t site, uint64_t bytes)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(m, site, &frames);
	struct block_type found = { .bytes = bytes };
	struct asked asked = { .callee = NULL };
	bool goes_on = true;

	for (uint32_t i = 0; goes_on && i <= MAX_CALLERS && i < n; i++) {
		const struct source_frame *f = &frames[n - 1 - i];
		struct scopes scopes = { .unit = NULL };
		struct wording w;
		enum wording_sort sort = srcmap_in_program(m, f) ? wording_read(m, f, &asked, &w) : WORDING_NONE;

		goes_on = sort != WORDING_NONE && find_scopes(m, f, &scopes);
		if (goes_on && sort == WORDING_TYPE)
			resolve(&scopes, &w, &found);
		goes_on = goes_on && sort == WORDING_PARAMETERS;
		if (goes_on) {
			asked = (struct asked){ f->function, find_parameters(&scopes, &w), w.several };
			goes_on = asked.arguments;
		}
		free(scopes.list);
	}
	return found;
}

/* The event that allocates the region, NONE. The table is that of the trace that was asked for last; what it
 * says is looked at, for the trace may be another one in the same memory. */
static uint32_t allocation(struct srcmap *m, const struct trace *t, uint32_t region)
{
	bool same = m->scanned == t->events && m->scanned_class == t->number && m->nscanned == t->nevents;
	uint32_t at = same && region < m->nallocated ? m->allocated[region] : NONE;

	if (same && (at == NONE || (t->events[at].kind == LP_EV_ALLOC && t->events[at].region == region)))
		return at;
	m->nallocated = m->run->nregions;
	m->allocated = xreallocarray(m->allocated, m->nallocated + (size_t)1, sizeof *m->allocated);
	memset(m->allocated, 0xff, m->nallocated * sizeof *m->allocated);
	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->events[i].kind == LP_EV_ALLOC && t->events[i].region < m->nallocated)
			m->allocated[t->events[i].region] = i;
	m->scanned = t->events;
	m->nscanned = t->nevents;
	m->scanned_class = t->number;
	return region < m->nallocated ? m->allocated[region] : NONE;
}

const struct block_type *block_type(struct srcmap *m, const struct trace *t, uint32_t region, uint32_t *number)
{
	uint32_t at = allocation(m, t, region), n;
	uint64_t key[2];
	bool added;

	if (at == NONE)
		return NULL;
	key[0] = t->events[at].site;
	key[1] = t->events[at].size;
	n = numbering_add(&m->block_types, key, sizeof key, &added);
	if (added) {
		struct block_type *type = xmalloc(sizeof *type);

		*type = find_type(m, t->events[at].site, t->events[at].size);
		VEC_GROW(m->types, m->ntypes, m->types_capacity);
		m->types[m->ntypes++] = type;
	}
	*number = n;
	return m->types[n]->known ? m->types[n] : NULL;
}

void block_path(FILE *out, const struct block_type *b, uint64_t offset)
{
	enum variable_sort ignored = VARIABLE_PLAIN;

	if (b->element) {
		fprintf(out, "[%llu]", (unsigned long long)(offset / b->element));
		offset %= b->element;
	}
	type_path(out, &b->type, offset, false, &ignored);
}
