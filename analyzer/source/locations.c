/* SPDX-License-Identifier: MIT
 *
 * What locations are called.
 */
#include "base/text_table.h"
#include "source/private.h"

#include <stdlib.h>
#include <string.h>

static char *offset_name(char *base, uint64_t offset, char sign)
{
	char *name;

	if (!offset)
		return base;
	name = xasprintf("%s%c%llu", base, sign, (unsigned long long)offset);
	free(base);
	return name;
}

static char *global_name(struct srcmap *m, const struct location *l, bool whole)
{
	struct srcmap_module *mod;
	uint64_t address, offset = 0;
	const char *symbol;
	char *name;

	if (l->a >= m->nmodules)
		return xasprintf("module %u+0x%llx", l->a, (unsigned long long)l->offset);
	mod = &m->modules[l->a];
	address = module_address(mod, l->offset);
	name = module_variable(mod, address, whole);
	if (name)
		return name;
	symbol = module_symbol(mod, address, &offset);
	if (symbol)
		return offset_name(xstrdup(symbol), offset, '+');
	return xasprintf("%s+0x%llx", mod->name, (unsigned long long)address);
}

enum variable_sort srcmap_variable_sort(struct srcmap *m, uint32_t location)
{
	const struct location *l = &m->run->locations[location];
	struct srcmap_module *mod;

	if (l->type != LP_LOC_GLOBAL || l->a >= m->nmodules)
		return VARIABLE_UNKNOWN;
	mod = &m->modules[l->a];
	return module_variable_sort(mod, module_address(mod, l->offset));
}

/* The object that the block belongs to, if the program has told us: "stack", or "stack#2" where
 * there are several. */
static char *object_name(struct srcmap *m, const struct location *l, uint64_t *offset)
{
	const struct run *run = m->run;
	uint32_t number = 0, same = 0, found = NONE;
	const char *name;

	for (uint32_t i = 0; i < run->nobjects; i++) {
		const struct location *o = &run->locations[run->objects[i].location];

		if (o->region == l->region && o->offset <= l->offset && found == NONE) {
			found = i;
			*offset = l->offset - o->offset;
		}
	}
	for (uint32_t i = 0; found != NONE && i < run->nobjects; i++) {
		same += run->objects[i].specification == run->objects[found].specification;
		number = i == found ? same : number;
	}
	if (found == NONE)
		return NULL;
	name = run->strings[run->objects[found].specification];
	name = spec_guessed(name) ? spec_guessed(name) : name;
	return same > 1 ? xasprintf("%s#%u", name, number) : xstrdup(name);
}

static char *heap_name(struct srcmap *m, const struct location *l)
{
	uint64_t offset = l->offset;
	char *name = object_name(m, l, &offset), *printable;

	if (!name)
		return offset_name(xasprintf("heap T%s#%u", m->run->threads[l->a].name, l->b),
				   offset, '+');
	printable = text_printable(name);
	free(name);
	return offset_name(printable, offset, '+');
}

/* Pipes, events, ... */
static char *channel_name(const struct run *run, uint64_t number)
{
	uint64_t thread = number ? (number - 1) / LP_CHANNELS_EACH : 0;

	if (!number)
		return xstrdup("the table of descriptors");
	if (number == LP_CHANNEL_LOCKS)
		return xstrdup("the locks of files");
	if (thread >= run->nthreads)
		return xstrdup("the pipes and events");
	return xasprintf("pipe or event %llu of T%s",
			 (unsigned long long)((number - 1) % LP_CHANNELS_EACH + 1),
			 run->threads[thread].name);
}

static char *location_name(struct srcmap *m, const struct location *l)
{
	const struct run *run = m->run;

	switch (l->type) {
	case LP_LOC_GLOBAL:
		return global_name(m, l, false);
	case LP_LOC_HEAP:
		return heap_name(m, l);
	case LP_LOC_STACK:
		return offset_name(xasprintf("stack T%s", run->threads[l->a].name), l->offset, '-');
	case LP_LOC_FREED:
		return l->offset ? xasprintf("freed blocks of up to %llu bytes",
					     (unsigned long long)l->offset)
				 : xstrdup("freed large blocks");
	case LP_LOC_BLOCKS:
		return xstrdup("the lock of the blocks");
	case LP_LOC_CHANNEL:
		return channel_name(run, l->offset);
	case LP_LOC_TLS:
		return offset_name(xasprintf("thread-local T%s", run->threads[l->a].name),
				   l->offset, '+');
	default:
		return l->offset ? xasprintf("0x%llx", (unsigned long long)l->offset)
				 : xstrdup("NULL");
	}
}

const char *srcmap_location(struct srcmap *m, uint32_t location)
{
	if (location >= m->run->nlocations)
		return "?";
	m->locations = srcmap_grow(m->locations, &m->nlocations, m->run->nlocations, sizeof *m->locations);
	if (!m->locations[location])
		m->locations[location] = location_name(m, &m->run->locations[location]);
	return m->locations[location];
}

/* A field of a block with a type. */
static char *field_name(struct srcmap *m, const struct location *l, const struct block_type *type)
{
	uint64_t offset = l->offset;
	char *base = object_name(m, l, &offset), *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	/* What the object's name means is the beginning of the block, if it is there. */
	if (!base || offset != l->offset) {
		fprintf(out, "heap T%s#%u", m->run->threads[l->a].name, l->b);
	} else {
		char *printable = text_printable(base);

		fputs(printable, out);
		free(printable);
	}
	block_path(out, type, l->offset);
	fclose(out);
	free(base);
	return text;
}

const char *srcmap_location_in(struct srcmap *m, const struct trace *t, uint32_t location)
{
	const struct location *l = location < m->run->nlocations ? &m->run->locations[location] : NULL;
	const struct block_type *type;
	uint32_t key[2] = { location }, n;
	bool added;

	if (!l || l->type != LP_LOC_HEAP || !(type = block_type(m, t, l->region, &key[1])) ||
	    l->offset >= type->bytes)
		return srcmap_location(m, location);
	n = numbering_add(&m->fields, key, sizeof key, &added);
	if (added) {
		VEC_GROW(m->field_names, m->nfields, m->fields_capacity);
		m->field_names[m->nfields++] = field_name(m, l, type);
	}
	return m->field_names[n];
}

char *srcmap_object(struct srcmap *m, uint32_t location)
{
	if (location < m->run->nlocations && m->run->locations[location].type == LP_LOC_GLOBAL)
		return global_name(m, &m->run->locations[location], true);
	return xstrdup(srcmap_location(m, location));
}
