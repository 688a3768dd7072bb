/* SPDX-License-Identifier: MIT
 *
 * The modules of the process: the executable and its libraries, by number. Those that are there
 * from the start keep their places. Others come and go with each execution, and each time may be
 * elsewhere, or where another one was.
 */
#include "modules.h"
#include "memory.h"
#include "names.h"
#include "real.h"
#include "run_dir.h"
#include "state.h"
#include "trace.h"
#include "unseen.h"

#include <elf.h>
#include <fcntl.h>

#define MAX_MODULES     1024
#define PC_MODULE_SHIFT 48

struct module {
	uintptr_t base, lo, hi, text_lo, text_hi;
	char path[1024];
	uint8_t build_id[64];
	unsigned build_id_size;
	bool system; /* see library_of() */
	bool absent; /* came in an execution, and is not there now */
	bool closed; /* unmapped before the end of the execution; its events need its name */
	bool listed; /* by the loader, as found since modules_relist() */
};

static struct modules {
	struct module list[MAX_MODULES];
	uint32_t n, last;
	uint32_t first; /* how many were there from the start */
	struct {
		uintptr_t lo, hi;
	} libc, loader; /* text */
} * modules;

static bool holds(const struct module *m, uintptr_t addr, bool closed)
{
	return addr >= m->lo && addr < m->hi && !m->absent && m->closed == closed;
}

/* A module of the address, or NULL; what a name needs is the offset from where it was loaded. */
static struct module *module_of(uintptr_t addr)
{
	struct module *m = &modules->list[modules->last];

	if (holds(m, addr, false))
		return m;
	for (uint32_t i = 0; i < modules->n; i++) {
		m = &modules->list[i];
		if (holds(m, addr, false)) {
			modules->last = i;
			return m;
		}
	}
	for (uint32_t i = modules->first; i < modules->n; i++)
		if (holds(&modules->list[i], addr, true))
			return &modules->list[i];
	return NULL;
}

const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

static bool begins(const char *s, const char *with)
{
	return same(s, with, length(with));
}

enum library library_of(const char *path)
{
	static const char *const others[] = {
		"libpthread.so", "libm.so",        "libdl.so",      "librt.so",     "libatomic.so",
		"libgcc_s.so",   "libc++.so",      "libc++abi.so",  "libtsan.so",
		"libasan.so",    "libubsan.so",    "libZydis.so",   "libZycore.so", "libnss_",
		"libsched.so",   "liblinchpin.so", "linux-vdso.so", "[vdso]",
	};
	const char *name = base_name(path);

	if (begins(name, "libc.so"))
		return LIBRARY_LIBC;
	if (begins(name, "ld-linux"))
		return LIBRARY_LOADER;
	if (begins(name, "libstdc++.so"))
		return LIBRARY_STDCXX;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (begins(name, others[i]))
			return LIBRARY_SYSTEM;
	for (; name > path + 7; name--)
		if (begins(name - 7, "/gconv/"))
			return LIBRARY_SYSTEM;
	return LIBRARY_NONE;
}

bool module_is_program(uint64_t pc)
{
	const struct module *m = module_of(pc);

	return m && pc >= m->text_lo && pc < m->text_hi && !m->system && !m->closed;
}

const ElfW(Dyn) * module_dynamic(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

int32_t module_find(uintptr_t addr, uint64_t *offset)
{
	const struct module *m = module_of(addr);

	*offset = m ? addr - m->base : addr;
	return m ? (int32_t)(m - modules->list) : -1;
}

const char *module_path(int32_t module)
{
	return modules->list[module].path;
}

/* A pc in a library that comes and goes is its number + 1 above the bits of an address, and the
 * offset. What a function by no convention has where a return address would be may have such bits,
 * too: they are not those of code. */
uint64_t module_pc_key(uint64_t pc)
{
	const struct module *m;

	if (UNLIKELY(pc >> PC_MODULE_SHIFT))
		return 0;
	if (LIKELY(modules->n == modules->first))
		return pc;
	m = module_of(pc);
	if (!m || m < &modules->list[modules->first])
		return pc;
	return (uint64_t)(m - modules->list + 1) << PC_MODULE_SHIFT | (pc - m->base);
}

int32_t module_of_key(uint64_t key, uint64_t *offset)
{
	if (!(key >> PC_MODULE_SHIFT))
		return module_find(key, offset);
	*offset = key & ((1UL << PC_MODULE_SHIFT) - 1);
	return (int32_t)(key >> PC_MODULE_SHIFT) - 1;
}

uint64_t module_key(int32_t module, uint64_t offset)
{
	if (module >= 0 && (uint32_t)module < modules->first)
		return modules->list[module].base + offset;
	return (uint64_t)(module + 1) << PC_MODULE_SHIFT | offset;
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

/* Absolute, for the program may change its directory. */
static void set_path(struct module *m, const char *path)
{
	struct text t = { 0 };
	char cwd[4096];
	bool relative = false;

	for (const char *p = path; *path != '/' && *p; p++)
		relative |= *p == '/';
	if (relative && sys2(SYS_getcwd, cwd, sizeof cwd) > 0)
		text_add(&t, "%s/", cwd);
	text_add(&t, "%s%c", path, '\0');
	copy(m->path, t.s, t.n < sizeof m->path ? t.n : sizeof m->path - 1);
}

/* Fills a module from what the loader says; false if it has no segments. */
static bool read_module(struct module *m, const struct dl_phdr_info *info, const char *path)
{
	zero(m, sizeof *m);
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
	set_path(m, path);
	m->system = library_of(m->path) != LIBRARY_NONE;
	return m->hi > m->lo;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name;

	(void)size;
	(void)data;
	if (modules->n == MAX_MODULES)
		die("the program has more than %u libraries", (unsigned long)MAX_MODULES);
	if (!path || !*path)
		path = modules->n ? "[vdso]" : rt->config.program;
	if (read_module(&modules->list[modules->n], info, path))
		modules->n++;
	return 0;
}

static void module_record(const struct module *m)
{
	uint32_t id = intern_string(m->path);
	uint8_t *start, *p;

	start = p = writer_record(16);
	put_varint(&p, id);
	writer_commit(LP_REC_MODULE, (size_t)(p - start));
}

static void module_line(struct text *t, const struct module *m)
{
	text_add(t, "%u ", (unsigned long)(m - modules->list));
	for (unsigned k = 0; k < m->build_id_size; k++)
		text_add(t, "%c%c", "0123456789abcdef"[m->build_id[k] >> 4],
			 "0123456789abcdef"[m->build_id[k] & 15]);
	text_add(t, "%s %x %s\n", m->build_id_size ? "" : "-", (unsigned long)(m->hi - m->lo),
		 m->path);
}

void modules_init(void)
{
	modules = memory_get(sizeof *modules);
	real.dl_iterate_phdr(add_module, NULL);
	modules->first = modules->n;
	for (uint32_t i = 0; i < modules->n; i++) {
		const struct module *m = &modules->list[i];
		enum library library = library_of(m->path);

		if (library == LIBRARY_LIBC) {
			modules->libc.lo = m->text_lo;
			modules->libc.hi = m->text_hi;
		} else if (library == LIBRARY_LOADER) {
			modules->loader.lo = m->text_lo;
			modules->loader.hi = m->text_hi;
		}
	}
}

int32_t module_of_code(uint64_t pc, uint64_t *offset)
{
	const struct module *m = module_of(pc);

	if (!m || pc < m->text_lo || pc > m->text_hi)
		return -1;
	*offset = pc - m->base;
	return (int32_t)(m - modules->list);
}

bool module_is_libc(uint64_t pc)
{
	return (pc >= modules->libc.lo && pc < modules->libc.hi) ||
	       (pc >= modules->loader.lo && pc < modules->loader.hi);
}

void modules_describe(void)
{
	for (uint32_t i = 0; i < modules->n; i++)
		module_record(&modules->list[i]);
}

void modules_file(struct text *t, int fd)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		module_line(t, &modules->list[i]);
		text_flush(t, fd);
	}
}

bool module_known(uintptr_t base)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		struct module *m = &modules->list[i];

		if (m->base != base || m->absent || m->closed)
			continue;
		m->listed = true;
		return true;
	}
	return false;
}

bool module_came(const struct dl_phdr_info *info, bool *fresh)
{
	struct module m, *to = &modules->list[modules->first];
	struct text t = { 0 };
	int fd;

	if (!read_module(&m, info, info->dlpi_name))
		return false;
	while (to < &modules->list[modules->n] &&
	       (!(to->absent || to->closed) || !equal(to->path, m.path) ||
		to->hi - to->lo != m.hi - m.lo))
		to++;
	if (to == &modules->list[MAX_MODULES]) {
		unseen("more libraries are loaded than can be kept track of: accesses in some are "
		       "not seen",
		       NULL);
		return false;
	}
	m.listed = true;
	*to = m;
	*fresh = to == &modules->list[modules->n];
	if (!*fresh)
		return true;
	modules->n++;
	module_record(to);
	module_line(&t, to);
	fd = run_dir_file("modules", O_WRONLY | O_APPEND);
	text_flush(&t, fd);
	sys1(SYS_close, fd);
	return true;
}

void modules_relist(void)
{
	for (uint32_t i = modules->first; i < modules->n; i++)
		modules->list[i].listed = false;
}

bool module_closed(uintptr_t *lo, uintptr_t *hi)
{
	for (uint32_t i = modules->first; i < modules->n; i++) {
		struct module *m = &modules->list[i];

		if (m->absent || m->closed || m->listed)
			continue;
		m->closed = true;
		*lo = m->lo;
		*hi = m->hi;
		return true;
	}
	return false;
}

void modules_went(void)
{
	for (uint32_t i = modules->first; i < modules->n; i++)
		modules->list[i].absent = true;
}

bool module_from_start(uintptr_t addr)
{
	const struct module *m = module_of(addr);

	return m && m < &modules->list[modules->first];
}

bool module_text(uint64_t pc, uintptr_t *lo, uintptr_t *hi)
{
	const struct module *m = module_of(pc);

	if (!m)
		return false;
	*lo = m->text_lo;
	*hi = m->text_hi;
	return true;
}
