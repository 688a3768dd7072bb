/* SPDX-License-Identifier: MIT
 *
 * Load-time instrumentation, from the choice of modules to the finished copies.
 */
#include "../interpose/interpose.h"
#include "../runtime/memory.h"
#include "../runtime/modules.h"
#include "../runtime/unseen.h"
#include "instrument.h"
#include "coverage.h"
#include "event.h"
#include "load.h"
#include "spec_ops.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_MODULES   1024
#define MAX_PROBES    256
#define MAX_SITES     (1u << 24)
#define MAX_INSNS     (1u << 19)
#define REGION_FACTOR 64

struct site *instrument_sites;
uint32_t instrument_nsites;
struct probe instrument_probes[MAX_PROBES];

static struct module modules[MAX_MODULES];
static unsigned nmodules, nprobes, nlost;
static bool switched_off;
static bool prepared; /* what comes now is late */

void vector_init(struct vector *v, size_t element, size_t capacity)
{
	size_t size = round_up(element * capacity, PAGE);

	v->data = map(working_place(size), size, false, false);
	v->n = 0;
	v->capacity = capacity;
}

bool static_data(uint64_t addr)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (addr >= modules[i].data_lo && addr + 8 <= modules[i].data_hi &&
		    !modules[i].absent)
			return true;
	return false;
}

static void read_header(struct module *m, const struct dl_phdr_info *info)
{
	m->base = info->dlpi_addr;
	m->lo = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = m->base + p->p_vaddr, hi = lo + p->p_memsz;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			m->lo = lo < m->lo ? lo : m->lo;
			m->hi = hi > m->hi ? hi : m->hi;
			if (m->ntexts < MAX_TEXTS) {
				m->text[m->ntexts].lo = lo;
				m->text[m->ntexts++].hi = hi;
			}
		}
		if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
			m->data_lo = lo;
			m->data_hi = hi;
		}
		if (p->p_type == PT_GNU_EH_FRAME)
			m->eh_frame_hdr = lo;
		if (p->p_type == PT_DYNAMIC)
			m->dynamic = lo;
		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
			fixed_add(lo, hi, prepared);
		if (p->p_type == PT_GNU_RELRO)
			fixed_add(lo, hi & ~(PAGE - 1), prepared);
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = m->base + p->p_vaddr;

		if (p->p_type == PT_LOAD && m->eh_frame_hdr >= lo &&
		    m->eh_frame_hdr < lo + p->p_filesz) {
			m->eh_lo = lo;
			m->eh_hi = lo + p->p_filesz;
		}
	}
}

/* NULL if the module is not to be instrumented. */
static struct module *new_module(const struct dl_phdr_info *info, const char *path)
{
	struct module *m = &modules[nmodules];
	enum library library = path ? library_of(path) : LIBRARY_NONE;
	size_t n;

	if (nmodules == MAX_MODULES)
		return NULL;
	zero(m, sizeof *m);
	read_header(m, info);
	if (!path || !*path || m->lo >= m->hi ||
	    (library != LIBRARY_NONE && library != LIBRARY_STDCXX))
		return NULL;
	m->path = path;
	m->partly = library == LIBRARY_STDCXX;
	m->views = view_table_new();
	n = (m->hi - m->lo) / 4 + 64;
	vector_init(&m->functions, sizeof(struct function), n);
	vector_init(&m->points, sizeof(struct point), n);
	vector_init(&m->fixups, sizeof(struct fixup), n);
	vector_init(&m->origins, sizeof(struct origin), n * 5);
	nmodules++;
	return m;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *first)
{
	(void)size;
	new_module(info, *(bool *)first ? rt->config.program : info->dlpi_name);
	*(bool *)first = false;
	return 0;
}

static void copy_function(struct module *m, struct function *f, struct vector *insns)
{
	bool leaf;

	if (f->hi - f->lo < 2)
		return;
	if (!function_selected(m, f)) {
		if (!m->partly)
			scan_jumps(m, f->lo, f->hi);
		return;
	}
	f->why_not = function_code(m, f, insns, &leaf);
	if (skipped(f))
		f->why_not = "skipped on request";
	if (!f->why_not && ((size_t)(m->end - m->out) < insns->n * 168 + PAGE ||
			    m->fixups.capacity - m->fixups.n < insns->n ||
			    MAX_SITES - instrument_nsites < insns->n * 2))
		f->why_not = "no room for the copy";
	if (f->why_not) {
		nlost += f->probe >= 0;
		scan_jumps(m, f->lo, f->hi);
		return;
	}
	if (!insns->n)
		return;
	if (m->hooked && !announced_by_hooks(m, insns) && !m->ran) {
		scan_jumps(m, f->lo, f->hi);
		return;
	}
	liveness(m, f, insns);
	emit_function(m, f, insns, leaf);
}

static bool any_copied(const struct module *m)
{
	for (size_t k = 0; k < m->functions.n; k++)
		if (vector_at(&m->functions, struct function, k)->entry)
			return true;
	return false;
}

static bool any_selected(const struct module *m)
{
	for (size_t k = 0; k < m->functions.n; k++)
		if (function_selected(m, vector_at(&m->functions, struct function, k)))
			return true;
	return false;
}

/* Code of which nothing says where its functions are may jump into those that are known. */
static void scan_gaps(struct module *m)
{
	const struct function *f = m->functions.data;

	for (unsigned i = 0; i < m->ntexts; i++) {
		uint64_t at = m->text[i].lo;

		for (size_t k = 0; k < m->functions.n; k++) {
			if (f[k].lo < at || f[k].lo >= m->text[i].hi)
				continue;
			scan_jumps(m, at, f[k].lo);
			at = f[k].hi;
		}
		scan_jumps(m, at, m->text[i].hi);
	}
}

static void copy_module(struct module *m, struct vector *insns)
{
	size_t text = m->hi - m->lo, size = round_up(text * REGION_FACTOR + (1 << 20), 0x10000);

	if (!any_selected(m))
		return;
	if (size > 1UL << 30)
		size = 1UL << 30;
	m->region = m->out = near_region(m, size);
	if (!m->region) {
		complain("%s: no address space near it for instrumented copies; its accesses are "
			 "not seen",
			 m->path);
		return;
	}
	m->end = m->region + size;
	m->map = map(working_place((text + 1) * sizeof *m->map),
		     round_up((text + 1) * sizeof *m->map, PAGE), false, false);
	m->dead = map(working_place(text + 16), round_up(text + 16, PAGE), false, false);
	coverage_begin(m);
	emit_module(m);
	m->entries = m->points.n;
	for (size_t k = 0; k < m->functions.n; k++)
		copy_function(m, vector_at(&m->functions, struct function, k), insns);
	if (!any_copied(m)) {
		sys2(SYS_munmap, m->region, size);
		m->region = NULL;
		return;
	}
	if (!m->partly)
		scan_gaps(m);
	resolve_fixups(m);
	patch_module(m);
	size = round_up((uint64_t)(m->out - m->region), PAGE);
	sys2(SYS_munmap, m->region + size, (size_t)(m->end - m->region) - size);
	m->end = m->region + size;
	if (m->late)
		mapping_keep((uintptr_t)m->region, (uintptr_t)m->end);
	sys3(SYS_mprotect, m->region, size, PROT_READ | PROT_EXEC);
	sys2(SYS_munmap, m->fixups.data, round_up(m->fixups.capacity * sizeof(struct fixup), PAGE));
}

static void find_functions(struct module *m, bool stays)
{
	module_functions(m);
	m->stays = stays;
}

/* libstdc++ is only looked at for those that need it. */
static void find_all_functions(void)
{
	bool needed = false;

	for (unsigned i = 0; i < nmodules; i++)
		if (!modules[i].partly) {
			find_functions(&modules[i], switched_off);
			needed |= modules[i].needs;
		}
	for (unsigned i = 0; i < nmodules; i++) {
		if (modules[i].partly && needed)
			find_functions(&modules[i], switched_off);
		modules[i].stays |= modules[i].partly && !needed;
	}
}

static void need_late(const struct module *late)
{
	for (struct module *m = modules; m < late; m++)
		if (late->needs && m->partly && m->stays)
			unseen("what libstdc++ does to the containers of a library that is opened is "
			       "not seen",
			       NULL);
}

void instrument_prepare(void)
{
	bool first = true;

	switched_off = equal(rt->config.instrument, "none");
	real.dl_iterate_phdr(add_module, &first);
	find_all_functions();
	prepared = true;
}

static void copy_modules(struct module *from, struct module *to)
{
	struct vector insns;

	const size_t size = MAX_SITES * sizeof *instrument_sites;

	if (!instrument_sites)
		instrument_sites = map(working_place(size), size, false, false);
	vector_init(&insns, sizeof(struct insn), MAX_INSNS);
	for (struct module *m = from; m < to; m++)
		if (!m->stays)
			copy_module(m, &insns);
	for (struct module *m = from; m < to; m++)
		rt->instr.on |= reached_watch(m) || m->region;
	sys2(SYS_munmap, insns.data, round_up(MAX_INSNS * sizeof(struct insn), PAGE));
}

void instrument_apply(void)
{
	saved_init();
	rt->instr.slow = instrument_slow;
	rt->instr.enter = instrument_enter;
	rt->instr.enter_flags = instrument_enter_flags;
	if (nmodules)
		copy_modules(modules, modules + nmodules);
}

/* The copies of this file from an earlier load at this address. */
static struct module *made_before(uintptr_t base, const struct stat *file)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (modules[i].late && modules[i].absent && modules[i].base == base &&
		    modules[i].device == file->st_dev && modules[i].inode == file->st_ino)
			return &modules[i];
	return NULL;
}

static const char *keep_string(const char *s)
{
	char *p = memory_get(length(s) + 1);

	copy(p, s, length(s) + 1);
	return p;
}

void instrument_late(const struct dl_phdr_info *info, bool relocates_text, bool fresh)
{
	struct stat file;
	struct module *m, header = { 0 };
	bool is_file, was_on;

	is_file = sys2(SYS_stat, info->dlpi_name, &file) >= 0;
	m = is_file ? made_before(info->dlpi_addr, &file) : NULL;
	if (m) {
		read_header(&header, info); /* for the ranges */
		m->absent = false;
		patch_again(m);
		reached_arm();
		return;
	}
	m = new_module(info, info->dlpi_name);
	if (!m) {
		if (library_of(info->dlpi_name) == LIBRARY_NONE && !switched_off)
			unseen("more libraries are loaded than can be instrumented: accesses in some are "
			       "not seen",
			       NULL);
		return;
	}
	m->path = keep_string(info->dlpi_name);
	m->late = true;
	if (is_file) {
		m->device = file.st_dev;
		m->inode = file.st_ino;
	}
	find_functions(m, switched_off || relocates_text);
	if (relocates_text && !m->hooked && !switched_off)
		unseen("a library with relocations in its text is not instrumented: its accesses are "
		       "not seen",
		       NULL);
	if (!switched_off)
		need_late(m);
	if (is_file)
		spec_ops_late(&file, info->dlpi_addr);
	if (m->stays)
		return;
	was_on = rt->instr.on;
	copy_modules(m, m + 1);
	if (fresh)
		report_module(m);
	reached_arm();
	if (was_on || !rt->instr.on)
		return;
	/* Threads that exist already have not been prepared for it. */
	rt->need_restart = 1;
	abandon_execution();
}

void instrument_closed(uint64_t lo, uint64_t hi)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (modules[i].late && modules[i].lo >= lo && modules[i].hi <= hi)
			modules[i].absent = true;
	fixed_drop(lo, hi);
	call_stack_jumped();
}

void instrument_rollback(void)
{
	reached_rollback();
	fixed_drop(0, UINTPTR_MAX);
	for (unsigned i = 0; i < nmodules; i++)
		modules[i].absent = modules[i].late;
}

struct module *module_at(uint64_t at)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (at >= modules[i].lo && at < modules[i].hi && !modules[i].absent)
			return &modules[i];
	return NULL;
}

bool observed_code(uint64_t original)
{
	struct module *m = module_at(original);
	const struct function *f = m && m->partly ? module_function(m, original) : NULL;

	return m && (m->partly ? f && f->entry : m->region || m->hooked);
}

uint64_t instrument_original(uint64_t pc)
{
	for (unsigned i = 0; i < nmodules; i++) {
		const struct module *m = &modules[i];
		const struct origin *o = m->origins.data;
		size_t lo = 0, hi = m->origins.n;

		if (!m->region || pc < (uint64_t)m->region || pc >= (uint64_t)m->end)
			continue;
		/* The last function that begins at or before pc. */
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (o[mid].copy <= pc - (uint64_t)m->region)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo ? m->lo + o[lo - 1].original : pc;
	}
	return pc;
}

uint64_t instrument_trap(uint64_t pc)
{
	const struct module *m = module_at(pc);

	if (reached_trap(pc))
		return pc;
	return m ? trap_target(m, pc) : 0;
}

bool probe_function(uint64_t address, probe_fn *on_entry, probe_fn *on_return, void *cookie)
{
	struct module *m = module_at(address);
	struct function *f = m && !m->stays && !m->hooked ? module_function(m, address) : NULL;

	if (!f || f->lo != address || f->probe >= 0 || nprobes == MAX_PROBES ||
	    !function_selected(m, f) || skipped(f))
		return false;
	instrument_probes[nprobes] = (struct probe){ on_entry, on_return, cookie };
	f->probe = (int32_t)nprobes++;
	m->late_returns = true;
	return true;
}

unsigned probes_lost(void)
{
	return nlost;
}

void instrument_report(void)
{
	sys3(SYS_unlinkat, rt->fd_dir, "uninstrumented", 0);
	for (unsigned i = 0; i < nmodules; i++)
		report_module(&modules[i]);
}

/* For a debugger: see runtime/debug.h. Numbers of 8 bytes, in an order that only grows. */
struct copies_layout {
	uint64_t modules, count, size, lo, hi, region, end, map, origins, norigins, original;
};

EXPORT const struct copies_layout linchpin_copies;
EXPORT const struct copies_layout linchpin_copies = {
	.modules = (uint64_t)modules,
	.count = (uint64_t)&nmodules,
	.size = sizeof(struct module),
	.lo = offsetof(struct module, lo),
	.hi = offsetof(struct module, hi),
	.region = offsetof(struct module, region),
	.end = offsetof(struct module, end),
	.map = offsetof(struct module, map),
	.origins = offsetof(struct module, origins.data),
	.norigins = offsetof(struct module, origins.n),
	.original = offsetof(struct module, original),
};
