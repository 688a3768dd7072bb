/* SPDX-License-Identifier: MIT
 *
 * Sites to frames: the calls on the stack, each with the functions inlined into it, then the access
 * itself.
 *
 * A recorded pc is a return address: the call ends there, so the byte before belongs to it, and may
 * belong to another line or function than the byte after. Only the site of a crash is the
 * instruction itself.
 */
#include "base/text_table.h"
#include "source/private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES  4096 /* the innermost ones of a deep recursion */
#define MAX_UNWOUND 1024
#define PLACES      32

struct srcmap *srcmap_open(const struct run *run, struct error *e)
{
	struct srcmap *m = xcalloc(1, sizeof *m);

	m->run = run;
	m->modules = xcalloc(run->nmodules, sizeof *m->modules);
	m->places = xcalloc(PLACES, sizeof *m->places);
	while (m->nmodules < run->nmodules) {
		uint32_t i = m->nmodules++;

		if (module_open(&m->modules[i], run, i, e)) {
			srcmap_close(m);
			return NULL;
		}
	}
	return m;
}

static void free_lists(struct frame_list *lists, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(lists[i].frames);
	free(lists);
}

void srcmap_close(struct srcmap *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nmodules; i++)
		module_close(&m->modules[i]);
	for (uint32_t i = 0; i < m->nlocations; i++)
		free(m->locations[i]);
	for (uint32_t i = 0; i < PLACES; i++)
		free(m->places[i]);
	free_lists(m->contexts, m->ncontexts);
	free_lists(m->sites, m->nsites);
	free_lists(m->threads, m->nthreads);
	free_lists(m->stacks, m->nstacks);
	for (uint32_t i = 0; i < m->ntypes; i++)
		free(m->types[i]);
	for (uint32_t i = 0; i < m->nfields; i++)
		free(m->field_names[i]);
	numbering_free(&m->block_types);
	numbering_free(&m->fields);
	free(m->types);
	free(m->field_names);
	free(m->allocated);
	unwinder_free(m->unwinder);
	files_free(&m->files);
	free(m->modules);
	free(m->locations);
	free(m->places);
	srcmap_free_run(m->own_run);
	free(m);
}

void *srcmap_grow(void *array, uint32_t *n, uint32_t wanted, size_t size)
{
	if (*n >= wanted)
		return array;
	array = xreallocarray(array, wanted, size);
	memset((char *)array + *n * size, 0, (wanted - *n) * size);
	*n = wanted;
	return array;
}

/* Appends the frames at one pc. A module that the map does not know (its record came late) has
 * none. */
void frames_at(struct srcmap *m, uint32_t module, uint64_t pc, bool exact, struct frame_list *list)
{
	if (module < m->nmodules) {
		struct srcmap_module *mod = &m->modules[module];
		uint64_t address = module_address(mod, pc);

		module_frames(mod, &m->files, address - (exact || !address ? 0 : 1), address, list);
	} else {
		VEC_GROW(list->frames, list->n, list->capacity);
		list->frames[list->n++] = (struct source_frame){ .address = pc };
	}
}

static const struct frame_list *context_frames(struct srcmap *m, uint32_t id)
{
	const struct context *c = &m->run->contexts[id];
	struct frame_list *list = &m->contexts[id];

	if (!list->done) {
		frames_at(m, c->module, c->pc, false, list);
		list->done = true;
	}
	return list;
}

static void append_list(struct frame_list *to, const struct frame_list *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		VEC_GROW(to->frames, to->n, to->capacity);
		to->frames[to->n++] = from->frames[i];
	}
}

static void site_frames(struct srcmap *m, const struct site *s, struct frame_list *list)
{
	uint32_t chain[MAX_FRAMES], n = 0;

	m->contexts = srcmap_grow(m->contexts, &m->ncontexts, m->run->ncontexts, sizeof *m->contexts);
	for (uint32_t c = s->context; c != NONE && n < MAX_FRAMES; c = m->run->contexts[c].parent)
		chain[n++] = c;
	while (n > 0)
		append_list(list, context_frames(m, chain[--n]));
	frames_at(m, s->module, s->pc, s->kind == LP_EV_NONE, list);
}

uint32_t srcmap_frames(struct srcmap *m, uint32_t site, const struct source_frame **frames)
{
	struct frame_list *list;

	*frames = NULL;
	if (site >= m->run->nsites)
		return 0;
	m->sites = srcmap_grow(m->sites, &m->nsites, m->run->nsites, sizeof *m->sites);
	list = &m->sites[site];
	if (!list->done) {
		site_frames(m, &m->run->sites[site], list);
		list->done = true;
	}
	*frames = list->frames;
	return list->n;
}

const struct source_frame *srcmap_frame(struct srcmap *m, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(m, site, &frames);

	return n ? &frames[n - 1] : NULL;
}

/* The macros of linchpin.h are functions there; what matters is who uses them. */
static bool in_our_header(const char *file)
{
	size_t n = strlen(file), m = strlen("/linchpin.h");

	return n >= m && !strcmp(file + n - m, "/linchpin.h");
}

const struct source_frame *srcmap_known_frame(struct srcmap *m, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(m, site, &frames);

	for (uint32_t i = n; i-- > 0;)
		if (frames[i].line && !in_our_header(frames[i].file))
			return &frames[i];
	return n ? &frames[n - 1] : NULL;
}

uint32_t srcmap_stack(struct srcmap *m, uint32_t stack, const struct source_frame **frames)
{
	struct unwound calls[MAX_UNWOUND];
	struct frame_list *list;

	*frames = NULL;
	if (stack >= m->run->nstacks)
		return 0;
	m->stacks = srcmap_grow(m->stacks, &m->nstacks, m->run->nstacks, sizeof *m->stacks);
	list = &m->stacks[stack];
	if (!list->done) {
		uint32_t n = unwind(m, &m->run->stacks[stack], calls, MAX_UNWOUND);

		while (n-- > 0)
			frames_at(m, calls[n].module, calls[n].pc, calls[n].exact, list);
		list->done = true;
	}
	*frames = list->frames;
	return list->n;
}

static const struct srcmap_module *module_of_frame(const struct srcmap *m,
						   const struct source_frame *f)
{
	uint64_t module = f->address >> ADDRESS_SHIFT;

	return module && module <= m->nmodules ? &m->modules[module - 1] : NULL;
}

const char *srcmap_library(const struct srcmap *m, const struct source_frame *f)
{
	const struct srcmap_module *mod = module_of_frame(m, f);

	return mod && system_library(mod->path) ? mod->name : NULL;
}

bool srcmap_in_program(const struct srcmap *m, const struct source_frame *f)
{
	const struct srcmap_module *mod = module_of_frame(m, f);

	return f->line && mod && !system_library(mod->path) && !in_our_header(f->file) &&
	       strncmp(f->file, "/usr/include/", 13) != 0 && strncmp(f->file, "/usr/lib/", 9) != 0;
}

uint32_t srcmap_own_frames(struct srcmap *m, uint32_t site, const struct source_frame **frames)
{
	uint32_t all = srcmap_frames(m, site, frames), n = all;

	while (n > 0 && !srcmap_in_program(m, &(*frames)[n - 1]))
		n--;
	return n ? n : all;
}

const struct source_frame *srcmap_own_frame(struct srcmap *m, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_own_frames(m, site, &frames);

	if (n && srcmap_in_program(m, &frames[n - 1]))
		return &frames[n - 1];
	return srcmap_known_frame(m, site);
}

const struct source_frame *srcmap_thread_start(struct srcmap *m, uint32_t thread)
{
	const struct thread_info *t;
	struct frame_list *list;

	if (thread >= m->run->nthreads || m->run->threads[thread].module >= m->nmodules)
		return NULL;
	m->threads = srcmap_grow(m->threads, &m->nthreads, m->run->nthreads, sizeof *m->threads);
	t = &m->run->threads[thread];
	list = &m->threads[thread];
	if (!list->done) {
		frames_at(m, t->module, t->pc, true, list);
		list->done = true;
	}
	return list->n ? &list->frames[0] : NULL;
}

static char *address_text(struct srcmap *m, const struct source_frame *f)
{
	uint64_t module = f->address >> ADDRESS_SHIFT;
	uint64_t address = f->address & ((1ULL << ADDRESS_SHIFT) - 1), offset = 0;
	const char *symbol;

	if (!f->address)
		return xstrdup("?");
	if (module == 0 || module > m->nmodules)
		return xasprintf("0x%llx", (unsigned long long)f->address);
	symbol = module_symbol(&m->modules[module - 1], address ? address - 1 : 0, &offset);
	if (symbol)
		return xasprintf("%s+0x%llx", symbol, (unsigned long long)offset + 1);
	return xasprintf("%s+0x%llx", m->modules[module - 1].name, (unsigned long long)address);
}

const char *srcmap_place(struct srcmap *m, const struct source_frame *f, bool column)
{
	char **slot = &m->places[m->next_place++ % PLACES];

	free(*slot);
	if (!f)
		*slot = xstrdup("?");
	else if (f->file && f->line && column && f->column)
		*slot = xasprintf("%s:%u:%u", f->file, f->line, f->column);
	else if (f->file && f->line)
		*slot = xasprintf("%s:%u", f->file, f->line);
	else
		*slot = address_text(m, f);
	return *slot;
}

const char *srcmap_short_place(struct srcmap *m, const struct source_frame *f)
{
	struct source_frame g;

	if (!f || !f->file)
		return srcmap_place(m, f, false);
	g = *f;
	g.file = base_name(f->file);
	return srcmap_place(m, &g, false);
}

const char *srcmap_line_text(struct srcmap *m, const char *file, uint32_t line)
{
	const struct source_file *f = files_text(&m->files, file);

	return f && line >= 1 && line <= f->nlines ? f->cut + f->lines[line - 1] : NULL;
}

bool srcmap_by_hook(struct srcmap *m, uint32_t site)
{
	const struct site *s = &m->run->sites[site];
	struct srcmap_module *mod = s->module < m->nmodules ? &m->modules[s->module] : NULL;

	return mod && module_hooks(mod) && module_behind_call(mod, module_address(mod, s->pc));
}

bool srcmap_optimized(struct srcmap *m, uint32_t site)
{
	const struct site *s = &m->run->sites[site];
	struct srcmap_module *mod = s->module < m->nmodules ? &m->modules[s->module] : NULL;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	if (mod && module_debug(mod))
		unit = module_unit(mod, module_address(mod, s->pc), &bias);
	return unit && unit_is_optimized(unit);
}

static uint32_t source_frames(void *data, uint32_t site, const struct source_frame **frames)
{
	return srcmap_frames(data, site, frames);
}

static const char *source_text(void *data, const char *file)
{
	struct srcmap *m = data;
	const struct source_file *f = files_text(&m->files, file);

	return f ? f->text : NULL;
}

static unsigned source_kind(void *data, uint32_t site)
{
	const struct srcmap *m = data;

	return site < m->run->nsites ? m->run->sites[site].kind : LP_EV_NONE;
}

static uint32_t source_own(void *data, uint32_t site)
{
	const struct source_frame *frames;

	return srcmap_own_frames(data, site, &frames);
}

struct source_map srcmap_source(struct srcmap *m)
{
	return (struct source_map){
		.frames = source_frames,
		.text = source_text,
		.data = m,
		.kind = source_kind,
		.own = source_own,
	};
}

void srcmap_warnings(struct srcmap *m, FILE *out)
{
	for (uint32_t i = 0; i < m->nmodules; i++) {
		struct srcmap_module *mod = &m->modules[i];

		if (mod->warning && mod->used && !mod->warned) {
			fprintf(out, "linchpin: warning: %s\n", mod->warning);
			mod->warned = true;
		}
	}
}
