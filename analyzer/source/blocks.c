/* SPDX-License-Identifier: MIT
 *
 * What a block of the heap holds: a type, so that its bytes have names.
 *
 * Nothing records that. It is what the program says where it allocates: `malloc(sizeof *n)`, `new node`. The
 * name behind `sizeof` or `new` is looked up in the debug information of that place, and must be as large as
 * the block is: once, or, of an array, some times. Where it is a function of the program that allocates for
 * others, the calls that led there are asked in turn. Of anything else nothing is known.
 */
#include "source/private.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATEMENT 400
#define MAX_LINES     4 /* of a statement */
#define MAX_CALLERS   3 /* that are asked */
#define MAX_NESTING   4 /* of types and namespaces */

/* What is behind `sizeof` or `new`. */
struct wording {
	char name[64];
	bool pointee; /* of that variable: `sizeof *n` */
	bool several; /* other sizes count as well */
};

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\n");
}

static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !of_word(at[-1])) && !of_word(at[n]))
			return at;
	return NULL;
}

/* The last name of `const struct a::b`; what is behind it, or NULL. */
static const char *read_name(const char *p, struct wording *w)
{
	static const char *const before[] = { "struct", "union", "class", "const", "typename" };
	size_t n;

	for (;;) {
		bool again = false;

		p = skip_blanks(p);
		for (n = 0; of_word(p[n]);)
			n++;
		if (!n || n >= sizeof w->name)
			return NULL;
		memcpy(w->name, p, n);
		w->name[n] = '\0';
		p = skip_blanks(p + n);
		for (size_t i = 0; i < sizeof before / sizeof *before; i++)
			again |= !strcmp(w->name, before[i]);
		if (!strncmp(p, "::", 2)) {
			p += 2;
			again = true;
		}
		if (!again)
			return p;
	}
}

static bool read_sizeof(const char *p, struct wording *w)
{
	bool brackets;

	p = skip_blanks(p);
	brackets = *p == '(';
	p = skip_blanks(p + brackets);
	w->pointee = *p == '*';
	p = read_name(p + w->pointee, w);
	if (!p || *p == '.' || *p == '[' || *p == '(' || !strncmp(p, "->", 2))
		return false;
	return !brackets || *p == ')';
}

static bool read_new(const char *p, struct wording *w)
{
	p = skip_blanks(p);
	if (*p == '(' && strchr(p, ')'))
		p = strchr(p, ')') + 1;
	p = read_name(p, w);
	return p && *p != '*' && *p != '<';
}

/* From the column of the call to the end of the statement; `new` has none that is of use. */
static bool find_wording(struct srcmap *m, const struct source_frame *f, struct wording *w)
{
	char text[MAX_STATEMENT] = "", *end;
	const char *line = srcmap_line_text(m, f->file, f->line), *at;
	size_t n = 0, column = f->column && line && f->column <= strlen(line) ? f->column - 1 : 0;

	for (uint32_t i = 0; line && i < MAX_LINES && !strchr(text, ';') && n < sizeof text - 2; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", line);
		line = srcmap_line_text(m, f->file, f->line + i + 1);
	}
	*w = (struct wording){ 0 };
	end = strchr(text + column, ';');
	if (end)
		*end = '\0';
	at = find_word(text + column, "sizeof");
	if (at) {
		w->several = find_word(at + 1, "sizeof") != NULL;
		return read_sizeof(at + strlen("sizeof"), w);
	}
	at = find_word(text, "new");
	return at && !find_word(at + 1, "new") && read_new(at + strlen("new"), w);
}

/* Is a block of so many bytes one, or some, of the type? */
static bool fits(Dwarf_Die *type, uint64_t bytes, const struct wording *w, struct block_type *found)
{
	uint64_t size = type_size(type);

	if (!size || bytes < size)
		return false;
	if (bytes > size && !type_endless(type) && (w->several || bytes % size))
		return false;
	found->known = true;
	found->type = *type;
	found->element = bytes > size && !type_endless(type) ? size : 0;
	return true;
}

/* Types of that name and size, in others and in namespaces; there must be only one. */
static unsigned count_types(Dwarf_Die *scope, uint64_t bytes, const struct wording *w, struct block_type *found,
			    unsigned depth)
{
	unsigned n = 0;
	Dwarf_Die die;

	if (depth > MAX_NESTING || dwarf_child(scope, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);
		bool holds = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
		const char *name = dwarf_diename(&die);
		Dwarf_Die type = die;

		if (name && !strcmp(name, w->name) && (holds || (tag == DW_TAG_typedef && type_of(&die, &type)))) {
			Dwarf_Off before = found->known ? dwarf_dieoffset(&found->type) : 0;

			n += fits(&type, bytes, w, found) && before != dwarf_dieoffset(&type);
		}
		if (holds || tag == DW_TAG_namespace)
			n += count_types(&die, bytes, w, found, depth + 1);
	} while (dwarf_next_sibling(&die));
	return n;
}

/* What the variables of that name point to, innermost first. */
static bool find_pointee(Dwarf_Die *scopes, int n, uint64_t bytes, const struct wording *w, struct block_type *found)
{
	for (int i = 0; i < n; i++) {
		Dwarf_Die die, type;

		if (dwarf_child(&scopes[i], &die))
			continue;
		do {
			int tag = dwarf_tag(&die);
			const char *name = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter
						   ? dwarf_diename(&die)
						   : NULL;

			if (name && !strcmp(name, w->name) && type_of(&die, &type) &&
			    dwarf_tag(&type) == DW_TAG_pointer_type && type_of(&type, &type) &&
			    fits(&type, bytes, w, found))
				return true;
		} while (dwarf_next_sibling(&die));
	}
	return false;
}

static void resolve(struct srcmap *m, const struct source_frame *f, uint64_t bytes, const struct wording *w,
		    struct block_type *found)
{
	uint64_t module = f->address >> ADDRESS_SHIFT, address = f->address & ((1ULL << ADDRESS_SHIFT) - 1);
	struct srcmap_module *mod = module && module <= m->nmodules ? &m->modules[module - 1] : NULL;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = mod && mod->elf && address ? module_unit(mod, address - 1, &bias) : NULL, *scopes = NULL;
	int n;

	if (!unit)
		return;
	if (!w->pointee) {
		if (count_types(unit, bytes, w, found, 0) != 1)
			found->known = false;
		return;
	}
	n = dwarf_getscopes(unit, address - 1 + mod->bias - bias, &scopes);
	if (!find_pointee(scopes, n, bytes, w, found))
		found->known = false;
	free(scopes);
}

static struct block_type find_type(struct srcmap *m, uint32_t site, uint64_t bytes)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(m, site, &frames);
	struct block_type found = { .bytes = bytes };

	for (uint32_t i = 0; i < MAX_CALLERS && i < n; i++) {
		const struct source_frame *f = &frames[n - 1 - i];
		struct wording w;

		if (!srcmap_in_program(m, f))
			break;
		if (!find_wording(m, f, &w)) {
			if (*w.name)
				break;
			continue;
		}
		resolve(m, f, bytes, &w, &found);
		break;
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
