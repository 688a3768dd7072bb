/* SPDX-License-Identifier: MIT
 *
 * Load-time instrumentation, from the choice of modules to the copies in place.
 */
#include "instrument.h"
#include "../runtime/real.h"
#include "load.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#define MAX_MODULES   64
#define MAX_RANGES    512
#define MAX_PROBES    256
#define MAX_SITES     (1u << 24)
#define MAX_INSNS     (1u << 19)
#define REGION_FACTOR 64
#define REACH         0x7ff00000UL

struct site *instrument_sites;
uint32_t instrument_nsites;
struct probe instrument_probes[MAX_PROBES];

static struct module modules[MAX_MODULES];
static unsigned nmodules, nprobes;
static struct {
	uintptr_t lo, hi;
} fixed_ranges[MAX_RANGES];
static unsigned nranges;
static const char *only, *skip;

void vector_init(struct vector *v, size_t element, size_t capacity)
{
	v->data = map(0, round_up(element * capacity, PAGE), false, false);
	v->n = 0;
	v->capacity = capacity;
}

/* One pattern with * and ?. */
static bool glob(const char *pattern, const char *end, const char *s)
{
	while (pattern < end && *pattern != '*') {
		if (!*s || (*pattern != '?' && *pattern != *s))
			return false;
		pattern++, s++;
	}
	if (pattern == end)
		return !*s;
	for (;; s++) {
		if (glob(pattern + 1, end, s))
			return true;
		if (!*s)
			return false;
	}
}

/* Any of the patterns between commas. */
static bool matches(const char *list, const char *s)
{
	while (*list) {
		const char *end = list;

		while (*end && *end != ',')
			end++;
		if (glob(list, end, s))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

/* The system's own: what they do with the program's memory is known by what is called. */
static bool of_the_system(const char *name)
{
	static const char *const globs =
		"ld-linux*,libc.so*,libpthread.so*,libm.so*,libdl.so*,librt.so*,libstdc++.so*,"
		"libgcc_s.so*,libZydis.so*,libZycore.so*,libsched.so*,liblinchpin.so*,libatomic.so*"
		","
		"linux-vdso*,libtsan.so*,libasan.so*,libubsan.so*,libc++.so*,libc++abi.so*";

	return matches(globs, name);
}

bool system_library(const char *path)
{
	return of_the_system(base_name(path));
}

static void add_range(uintptr_t lo, uintptr_t hi)
{
	if (lo >= hi || nranges == MAX_RANGES)
		return;
	fixed_ranges[nranges].lo = lo;
	fixed_ranges[nranges++].hi = hi;
}

bool read_only_memory(uint64_t addr)
{
	for (unsigned i = 0; i < nranges; i++)
		if (addr >= fixed_ranges[i].lo && addr < fixed_ranges[i].hi)
			return true;
	return false;
}

bool static_data(uint64_t addr)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (addr >= modules[i].data_lo && addr + 8 <= modules[i].data_hi)
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
		}
		if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
			m->data_lo = lo;
			m->data_hi = hi;
		}
		if (p->p_type == PT_GNU_EH_FRAME)
			m->eh_frame_hdr = lo;
		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W))
			add_range(lo, hi);
		if (p->p_type == PT_GNU_RELRO)
			add_range(lo, hi & ~(PAGE - 1));
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

static int add_module(struct dl_phdr_info *info, size_t size, void *first)
{
	struct module *m = &modules[nmodules];
	const char *path = info->dlpi_name;
	size_t n;

	(void)size;
	zero(m, sizeof *m);
	read_header(m, info);
	if (*(bool *)first)
		path = rt->config.program;
	*(bool *)first = false;
	if (!path || !*path || m->lo >= m->hi || of_the_system(base_name(path)) ||
	    nmodules == MAX_MODULES - 1)
		return 0;
	m->path = path;
	n = (m->hi - m->lo) / 4 + 64;
	vector_init(&m->functions, sizeof(struct function), n);
	vector_init(&m->points, sizeof(struct point), n);
	vector_init(&m->fixups, sizeof(struct fixup), n);
	vector_init(&m->origins, sizeof(struct origin), n * 5);
	nmodules++;
	return 0;
}

/* Near enough for relative operands, and at the same place in every run. */
static uint8_t *near_region(const struct module *m, size_t size)
{
	uintptr_t lo = m->base < m->lo ? m->base : m->lo;

	for (uintptr_t gap = 0x4000000; gap + size < REACH - (m->hi - lo); gap += 0x4000000) {
		uintptr_t below = (lo - gap - size) & ~0xffffUL,
			  above = round_up(m->hi + gap, 0x10000);
		long p = -1;

		if (lo > gap + size + 0x100000)
			p = sys6(SYS_mmap, (long)below, (long)size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | 0x100000, -1, 0);
		if (p == (long)below)
			return (uint8_t *)p;
		if (p > 0)
			sys2(SYS_munmap, p, size);
		p = sys6(SYS_mmap, (long)above, (long)size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | 0x100000, -1, 0);
		if (p == (long)above)
			return (uint8_t *)p;
		if (p > 0)
			sys2(SYS_munmap, p, size);
	}
	return NULL;
}

static bool wanted(const struct module *m, const struct function *f)
{
	const char *name = f->name ? f->name : "?";

	if (equal(name, "_start") || equal(name, "deregister_tm_clones") ||
	    equal(name, "register_tm_clones") || equal(name, "__do_global_dtors_aux") ||
	    equal(name, "frame_dummy") || equal(name, "linchpin_find_"))
		return false;
	if (only && !matches(only, name) && !matches(only, base_name(m->path)))
		return false;
	return true;
}

/* Where an original that stays jumps into a function that does not, there must be a way to the
 * copy. */
static void keep_jumps(struct module *m, const struct vector *insns)
{
	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);

		if (i->target && m->points.n < m->points.capacity)
			*vector_add(&m->points, struct point) = (struct point){ i->target, 0 };
	}
}

static void copy_function(struct module *m, struct function *f, struct vector *insns)
{
	bool leaf;

	if (f->hi - f->lo < 2 || !wanted(m, f))
		return;
	f->why_not = skip && f->name && matches(skip, f->name) ? "skipped on request" : NULL;
	if (!f->why_not)
		f->why_not = decode_function(m, f, insns, &leaf);
	if (!f->why_not && ((size_t)(m->end - m->out) < insns->n * 160 + PAGE ||
			    m->fixups.capacity - m->fixups.n < insns->n ||
			    MAX_SITES - instrument_nsites < insns->n * 2))
		f->why_not = "no room for the copy";
	if (f->why_not) {
		keep_jumps(m, insns);
		return;
	}
	if (!insns->n)
		return;
	liveness(m, f, insns);
	emit_function(m, f, insns, leaf);
}

static void copy_module(struct module *m, struct vector *insns)
{
	size_t text = m->hi - m->lo, size = round_up(text * REGION_FACTOR + (1 << 20), 0x10000);

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
	m->map = map(0, round_up((text + 1) * sizeof *m->map, PAGE), false, false);
	m->dead = map(0, round_up(text + 16, PAGE), false, false);
	emit_module(m);
	for (size_t k = 0; k < m->functions.n; k++)
		copy_function(m, vector_at(&m->functions, struct function, k), insns);
	resolve_fixups(m);
	patch_module(m);
	size = round_up((uint64_t)(m->out - m->region), PAGE);
	sys2(SYS_munmap, m->region + size, (size_t)(m->end - m->region) - size);
	m->end = m->region + size;
	sys3(SYS_mprotect, m->region, size, PROT_READ | PROT_EXEC);
	sys2(SYS_munmap, m->fixups.data, round_up(m->fixups.capacity * sizeof(struct fixup), PAGE));
}

void instrument_prepare(char **envp)
{
	bool first = true;

	only = env_get(envp, "LINCHPIN_INSTRUMENT");
	skip = env_get(envp, "LINCHPIN_SKIP");
	if (only && equal(only, "none"))
		return;
	if ((uintptr_t)rt + sizeof *rt > 0x7fffffff) {
		complain("no memory below 2 GiB; code without compiler hooks is not instrumented");
		return;
	}
	real.dl_iterate_phdr(add_module, &first);
	for (unsigned i = 0; i < nmodules; i++)
		module_functions(&modules[i]);
}

void instrument_apply(void)
{
	struct vector insns;

	rt->glue.slow = instrument_slow;
	rt->glue.enter = instrument_enter;
	if (!nmodules)
		return;
	/* Away from the libraries, near which their copies have to be. */
	instrument_sites =
		map(0x0c0000000000UL, MAX_SITES * sizeof *instrument_sites, false, false);
	vector_init(&insns, sizeof(struct insn), MAX_INSNS);
	for (unsigned i = 0; i < nmodules; i++) {
		if (modules[i].hooked)
			continue;
		rt->glue.on = 1;
		copy_module(&modules[i], &insns);
	}
	sys2(SYS_munmap, insns.data, round_up(MAX_INSNS * sizeof(struct insn), PAGE));
}

static struct module *module_of(uint64_t at)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (at >= modules[i].lo && at < modules[i].hi)
			return &modules[i];
	return NULL;
}

bool instrumented_code(uint64_t original)
{
	const struct module *m = module_of(original);

	return m && m->region;
}

uint64_t instrument_original(uint64_t pc)
{
	for (unsigned i = 0; i < nmodules; i++) {
		const struct module *m = &modules[i];
		const struct origin *o = m->origins.data;
		size_t lo = 0, hi = m->origins.n;

		if (!m->region || pc < (uint64_t)m->region || pc >= (uint64_t)m->end)
			continue;
		/* The last one that begins at or before pc. */
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
	return nmodules ? trap_target(pc) : 0;
}

bool probe_function(uint64_t address, probe_fn *on_entry, probe_fn *on_return, void *cookie)
{
	struct module *m = module_of(address);
	struct function *f = m && !m->hooked ? module_function(m, address) : NULL;

	if (!f || f->lo != address || f->probe >= 0 || nprobes == MAX_PROBES || !wanted(m, f) ||
	    (skip && f->name && matches(skip, f->name)))
		return false;
	instrument_probes[nprobes] = (struct probe){ on_entry, on_return, cookie };
	f->probe = (int32_t)nprobes++;
	m->late_returns = true;
	return true;
}

void instrument_report(void)
{
	struct text t = { 0 };
	long fd = -1;

	for (unsigned i = 0; i < nmodules; i++) {
		const struct function *f = modules[i].functions.data;

		for (size_t k = 0; k < modules[i].functions.n; k++) {
			if (!f[k].why_not)
				continue;
			if (fd < 0)
				fd = sys4(SYS_openat, rt->fd_dir, "uninstrumented",
					  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
			if (fd < 0)
				return;
			text_add(&t, "%s %x %s: %s\n", base_name(modules[i].path),
				 f[k].lo - modules[i].base, f[k].name ? f[k].name : "?",
				 f[k].why_not);
			text_flush(&t, (int)fd);
		}
	}
	if (fd >= 0)
		sys1(SYS_close, fd);
}
