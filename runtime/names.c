/* SPDX-License-Identifier: MIT
 *
 * Stable names: what a trace calls modules, code positions, call stacks and memory, independent of
 * addresses, and small ids for them handed out at first use. Each new id is described by a record
 * in the trace file before it is used.
 *
 * Calling contexts are a tree that is built as functions are entered (the shadow stack of a fiber
 * is one node), so an event needs only a number for its whole call stack.
 */
#include "rt.h"
#include "real.h"

#include <elf.h>
#include <link.h>

#define MAX_MODULES 256

struct key {
	uint64_t a, b, c;
};

struct table { /* keys to ids by order of first use */
	struct key *keys;
	uint32_t *slots; /* id + 1 */
	uint32_t n, capacity, mask;
};

struct module {
	uintptr_t base, lo, hi, text_lo, text_hi;
	char path[256];
	uint8_t build_id[64];
	unsigned build_id_size;
};

static struct names {
	struct table contexts; /* runtime nodes; node 0 is the root */
	struct table sites, locations, strings;
	uint32_t *context_ids; /* runtime node to trace id + 1 */
	uint32_t context_ids_capacity, ncontext_ids;
	struct module modules[MAX_MODULES];
	uint32_t nmodules, last_module;
	uint64_t threads_known;
	uint8_t thread_parent[MAX_FIBERS], thread_number[MAX_FIBERS];
} * names;

static uint32_t *slot_of(struct table *t, const struct key *k)
{
	uint32_t i = (uint32_t)(mix(mix(mix(0, k->a), k->b), k->c) >> 7) & t->mask;

	while (t->slots[i]) {
		const struct key *have = &t->keys[t->slots[i] - 1];

		if (have->a == k->a && have->b == k->b && have->c == k->c)
			break;
		i = (i + 1) & t->mask;
	}
	return &t->slots[i];
}

static void table_grow(struct table *t)
{
	uint32_t capacity = t->capacity ? t->capacity * 2 : 512;
	struct key *keys = memory_get(capacity * sizeof *keys);

	copy(keys, t->keys, t->n * sizeof *keys);
	t->keys = keys;
	t->capacity = capacity;
	t->mask = capacity * 2 - 1;
	t->slots = memory_get((t->mask + 1UL) * sizeof *t->slots);
	for (uint32_t i = 0; i < t->n; i++)
		*slot_of(t, &keys[i]) = i + 1;
}

static uint32_t intern(struct table *t, struct key k, bool *fresh)
{
	uint32_t *slot = slot_of(t, &k);

	*fresh = !*slot;
	if (*slot)
		return *slot - 1;
	if (t->n == t->capacity) {
		table_grow(t);
		slot = slot_of(t, &k);
	}
	t->keys[t->n] = k;
	*slot = ++t->n;
	return t->n - 1;
}

void put_varint(uint8_t **p, uint64_t v)
{
	while (v >= 0x80) {
		*(*p)++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*(*p)++ = (uint8_t)v;
}

/* A module of the address, or NULL; what a name needs is the offset from where it was loaded. */
static struct module *module_of(uintptr_t addr)
{
	struct module *m = &names->modules[names->last_module];

	if (addr >= m->lo && addr < m->hi)
		return m;
	for (uint32_t i = 0; i < names->nmodules; i++) {
		m = &names->modules[i];
		if (addr >= m->lo && addr < m->hi) {
			names->last_module = i;
			return m;
		}
	}
	return NULL;
}

/* Is this code of the program itself, rather than of the C and C++ libraries and the runtime? */
bool names_is_program(uint64_t pc)
{
	static const char *const system[] = { "libc.so",     "ld-linux", "libm.so",
					      "libpthread",  "librt.so", "libdl.so",
					      "libstdc++",   "libgcc_s", "libsched.so",
					      "liblinchpin", "[vdso]" };
	const struct module *m = module_of(pc);
	const char *base;

	if (!m || pc < m->text_lo || pc >= m->text_hi)
		return false;
	base = m->path;
	for (const char *p = m->path; *p; p++)
		if (*p == '/')
			base = p + 1;
	for (unsigned i = 0; i < sizeof system / sizeof *system; i++)
		if (same(base, system[i], length(system[i])))
			return false;
	return true;
}

static void put_pc(uint8_t **p, uint64_t pc)
{
	struct module *m = module_of(pc);

	put_varint(p, m ? (uint64_t)(m - names->modules) + 1 : 0);
	put_varint(p, m ? pc - m->base : pc);
}

uint32_t intern_string(const char *s)
{
	size_t n = length(s);
	struct key k = { n, 0xcbf29ce484222325ULL, 0x9ae16a3b2f90404fULL };
	bool fresh;
	uint32_t id;

	for (size_t i = 0; i < n; i++) {
		k.b = (k.b ^ (uint8_t)s[i]) * 0x100000001b3ULL;
		k.c = mix(k.c, (uint8_t)s[i]);
	}
	id = intern(&names->strings, k, &fresh);
	if (fresh) {
		copy(writer_record(n), s, n);
		writer_commit(LP_REC_STRING, n);
	}
	return id;
}

uint32_t context_enter(uint32_t parent, uint64_t pc)
{
	bool fresh;

	/* The fiber's own start is not a call of the program. */
	if (in_runtime_text(pc))
		return parent;
	return intern(&names->contexts, (struct key){ parent, pc, 0 }, &fresh);
}

uint32_t context_parent(uint32_t context)
{
	return context ? (uint32_t)names->contexts.keys[context].a : 0;
}

/* The trace's id + 1 of a runtime node, 0 for the root. */
uint32_t intern_context(uint32_t context)
{
	uint8_t *start, *p;
	uint32_t parent;

	if (!context)
		return 0;
	if (context >= names->context_ids_capacity) {
		uint32_t *more = memory_get(names->contexts.capacity * sizeof *more);

		copy(more, names->context_ids, names->context_ids_capacity * sizeof *more);
		names->context_ids = more;
		names->context_ids_capacity = names->contexts.capacity;
	}
	if (names->context_ids[context])
		return names->context_ids[context];
	parent = intern_context(context_parent(context));
	start = p = writer_record(64);
	put_varint(&p, parent);
	put_pc(&p, names->contexts.keys[context].b);
	writer_commit(LP_REC_CONTEXT, (size_t)(p - start));
	names->context_ids[context] = ++names->ncontext_ids;
	return names->context_ids[context];
}

uint32_t intern_site(unsigned kind, unsigned flags, uint32_t size, uint64_t pc, uint32_t context)
{
	bool fresh;
	uint32_t id = intern(&names->sites,
			     (struct key){ pc, (uint64_t)size << 16 | flags << 8 | kind, context },
			     &fresh);
	uint8_t *start, *p;
	uint32_t ctx;

	if (!fresh)
		return id;
	ctx = intern_context(context);
	start = p = writer_record(64);
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)flags;
	put_varint(&p, size);
	put_pc(&p, pc);
	put_varint(&p, ctx);
	writer_commit(LP_REC_SITE, (size_t)(p - start));
	return id;
}

uint32_t intern_location(uint64_t addr, uint64_t block, uint64_t block_base)
{
	struct key k = { addr, LP_LOC_OTHER, 0 };
	uint64_t a = 0, b = 0;
	struct module *m = NULL;
	struct fiber *f;
	uint8_t *start, *p;
	bool fresh;
	uint32_t id;

	if (block) {
		k = (struct key){ addr - block_base, LP_LOC_HEAP, block };
		a = block >> 32;
		b = (uint32_t)block;
	} else if ((m = module_of(addr))) {
		a = (uint64_t)(m - names->modules);
		k = (struct key){ addr - m->base, LP_LOC_GLOBAL, a };
	} else if ((f = fiber_by_stack(addr))) {
		a = f->id;
		k = (struct key){ f->stack_hi - addr, LP_LOC_STACK, a };
	} else if ((f = fiber_by_tls(addr, &a))) {
		k = (struct key){ a, LP_LOC_TLS, f->id };
		a = f->id;
	}
	id = intern(&names->locations, k, &fresh);
	if (!fresh)
		return id;
	start = p = writer_record(64);
	*p++ = (uint8_t)k.b;
	put_varint(&p, a);
	put_varint(&p, b);
	put_varint(&p, k.a);
	writer_commit(LP_REC_LOCATION, (size_t)(p - start));
	return id;
}

static void thread_record(unsigned parent_plus_1, unsigned number, uint64_t start_routine)
{
	uint8_t *start, *p;

	start = p = writer_record(64);
	put_varint(&p, parent_plus_1);
	put_varint(&p, number);
	put_pc(&p, start_routine);
	writer_commit(LP_REC_THREAD, (size_t)(p - start));
}

/*
 * Thread ids are places in the order of creation. Where several threads create threads, that order
 * may differ from execution to execution; an id then means another name, which the format cannot
 * say.
 */
void names_thread(uint32_t id)
{
	const struct fiber *f = &rt->fibers[id];
	uint8_t number = rt->fibers[f->parent].children;

	if (names->threads_known & bit(id)) {
		if (names->thread_parent[id] != f->parent || names->thread_number[id] != number)
			trace_note("threads are created in an order that depends on the schedule; "
				   "names of threads may be "
				   "those of another execution");
		return;
	}
	names->threads_known |= bit(id);
	names->thread_parent[id] = f->parent;
	names->thread_number[id] = number;
	thread_record(f->parent + 1U, number, (uint64_t)f->start);
}

static void build_id(struct module *m, const ElfW(Phdr) * p)
{
	const uint8_t *note = (const uint8_t *)(m->base + p->p_vaddr), *end = note + p->p_memsz;

	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *h = (const ElfW(Nhdr) *)note;
		const uint8_t *desc = note + sizeof *h + round_up(h->n_namesz, 4);

		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 &&
		    h->n_descsz <= sizeof m->build_id) {
			copy(m->build_id, desc, h->n_descsz);
			m->build_id_size = h->n_descsz;
		}
		note = desc + round_up(h->n_descsz, 4);
	}
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct module *m = &names->modules[names->nmodules];
	const char *path = info->dlpi_name;
	size_t n;

	(void)size;
	(void)data;
	if (names->nmodules == MAX_MODULES)
		return 0;
	m->base = info->dlpi_addr;
	m->lo = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD) {
			if (m->base + p->p_vaddr < m->lo)
				m->lo = m->base + p->p_vaddr;
			if (m->base + p->p_vaddr + p->p_memsz > m->hi)
				m->hi = m->base + p->p_vaddr + p->p_memsz;
			if (p->p_flags & PF_X) {
				m->text_lo = m->base + p->p_vaddr;
				m->text_hi = m->text_lo + p->p_memsz;
			}
		} else if (p->p_type == PT_NOTE) {
			build_id(m, p);
		}
	}
	if (!path || !*path)
		path = names->nmodules ? "[vdso]" : rt->config.program;
	n = length(path);
	copy(m->path, path, n < sizeof m->path ? n : sizeof m->path - 1);
	if (m->hi > m->lo)
		names->nmodules++;
	return 0;
}

/* What is known from the start: the modules and the main thread. */
static void describe_basics(void)
{
	for (uint32_t i = 0; i < names->nmodules; i++) {
		uint32_t id = intern_string(names->modules[i].path);
		uint8_t *start, *p;

		start = p = writer_record(16);
		put_varint(&p, id);
		writer_commit(LP_REC_MODULE, (size_t)(p - start));
	}
	names->threads_known = 1;
	thread_record(0, 0, 0);
}

void names_init(void)
{
	names = memory_get(sizeof *names);
	table_grow(&names->contexts);
	table_grow(&names->sites);
	table_grow(&names->locations);
	table_grow(&names->strings);
	names->contexts.n = 1; /* the root */
	real.dl_iterate_phdr(add_module, NULL);
	describe_basics();
}

/* After trace_restart: everything has to be described again. */
void names_forget(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct table *t = i == 0   ? &names->sites
				  : i == 1 ? &names->locations
					   : &names->strings;

		zero(t->slots, (t->mask + 1UL) * sizeof *t->slots);
		t->n = 0;
	}
	zero(names->context_ids, names->context_ids_capacity * sizeof *names->context_ids);
	names->ncontext_ids = 0;
	describe_basics();
}

void names_modules_file(struct text *t, int fd)
{
	for (uint32_t i = 0; i < names->nmodules; i++) {
		const struct module *m = &names->modules[i];

		text_add(t, "%u ", (unsigned long)i);
		for (unsigned k = 0; k < m->build_id_size; k++)
			text_add(t, "%c%c", "0123456789abcdef"[m->build_id[k] >> 4],
				 "0123456789abcdef"[m->build_id[k] & 15]);
		text_add(t, "%s %x %s\n", m->build_id_size ? "" : "-",
			 (unsigned long)(m->hi - m->lo), m->path);
		text_flush(t, fd);
	}
}
