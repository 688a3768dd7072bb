/* SPDX-License-Identifier: MIT
 *
 * The loader looks up a function when it is called for the first time. In that execution it leaves words on the stack that
 * no other one has, and where a frame comes to lie on them they are part of a state (local_state.h). So functions
 * are looked up before the first execution, as with LD_BIND_NOW; those that are not found are left as they are.
 */
#include "../runtime/modules.h"
#include "interpose.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

struct imports {
	uintptr_t base;
	const ElfW(Rela) *slots;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Half) *versions; /* by symbol */
	const ElfW(Verneed) *needed;
	size_t nslots, nneeded;
};

/* Its own functions are found before those of others. */
static bool own_first(const ElfW(Dyn) *d)
{
	bool symbolic = dynamic_value(d, DT_FLAGS) & DF_SYMBOLIC;

	for (; !symbolic && d->d_tag != DT_NULL; d++)
		symbolic = d->d_tag == DT_SYMBOLIC; /* has no value */
	return symbolic;
}

/* Nothing is to be done for a module that has no versions: it takes older functions than dlsym finds. */
static bool read_imports(const struct dl_phdr_info *info, struct imports *m)
{
	const ElfW(Dyn) *d = module_dynamic(info);
	const uintptr_t base = info->dlpi_addr;

	*m = (struct imports){
		.base = base,
		.slots = dynamic_address(d, base, DT_JMPREL),
		.nslots = dynamic_value(d, DT_PLTRELSZ) / sizeof *m->slots,
		.symbols = dynamic_address(d, base, DT_SYMTAB),
		.strings = dynamic_address(d, base, DT_STRTAB),
		.versions = dynamic_address(d, base, DT_VERSYM),
		.needed = dynamic_address(d, base, DT_VERNEED),
		.nneeded = dynamic_value(d, DT_VERNEEDNUM),
	};
	return m->nslots && m->symbols && m->strings && m->versions && m->needed && !own_first(d);
}

/* The name of a version, by its number in this module; NULL if it is none that it asks others for. */
static const char *version_name(const struct imports *m, unsigned number)
{
	const uint8_t *library = (const uint8_t *)m->needed;

	for (size_t i = 0; i < m->nneeded; i++) {
		const ElfW(Verneed) *need = (const void *)library;
		const uint8_t *at = library + need->vn_aux;

		for (unsigned k = 0; k < need->vn_cnt; k++) {
			const ElfW(Vernaux) *version = (const void *)at;

			if (version->vna_other == number)
				return m->strings + version->vna_name;
			at += version->vna_next;
		}
		library += need->vn_next;
	}
	return NULL;
}

static bool same_module(const void *a, const void *b)
{
	uint64_t offset;

	return module_find((uintptr_t)a, &offset) == module_find((uintptr_t)b, &offset);
}

struct asked {
	uintptr_t addr;
	bool versions; /* the module says which there are: else what it has is taken for any version */
	bool fixed;    /* it has not been moved */
};

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct asked *asked = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || asked->addr - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
			continue;
		asked->versions = dynamic_value(module_dynamic(info), DT_VERDEF) != 0;
		asked->fixed = !info->dlpi_addr;
		return 1;
	}
	return 0;
}

static void look_at(struct asked *asked, const void *function)
{
	*asked = (struct asked){ .addr = (uintptr_t)function };
	real.dl_iterate_phdr(look_at_module, asked);
}

/* The first in the order of the modules, as the loader finds it. But dlsym also gives the linkage table's entry of a module
 * that has it for the function's address; in programs with fixed addresses that may be any function. */
static void *look_up(const struct imports *m, size_t symbol)
{
	unsigned number = m->versions[symbol] & 0x7fffU;
	const char *name = m->strings + m->symbols[symbol].st_name, *version;
	struct asked asked;
	void *first, *wanted;

	if (m->symbols[symbol].st_shndx != SHN_UNDEF)
		return NULL;
	first = real.dlsym(RTLD_DEFAULT, name);
	if (!first)
		return NULL;
	look_at(&asked, first);
	if (asked.fixed)
		return NULL;
	if (!asked.versions)
		return same_module(first, m->slots) ? NULL : first;
	version = version_name(m, number);
	wanted = version ? dlvsym(RTLD_DEFAULT, name, version) : NULL;
	return wanted && same_module(first, wanted) ? wanted : NULL;
}

/* A slot that has not been bound points back into the module. */
static int bind_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct imports m;

	(void)size;
	(void)data;
	if (!read_imports(info, &m))
		return 0;
	for (size_t i = 0; i < m.nslots; i++) {
		const ElfW(Rela) *r = &m.slots[i];
		uint64_t *slot = (uint64_t *)(m.base + r->r_offset), offset;
		void *found;

		if (ELF64_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT ||
		    module_find(*slot, &offset) != module_find((uintptr_t)slot, &offset))
			continue;
		found = look_up(&m, ELF64_R_SYM(r->r_info));
		if (found)
			*slot = (uint64_t)found;
	}
	return 0;
}

void functions_bind(void)
{
	real.dl_iterate_phdr(bind_module, NULL);
}
