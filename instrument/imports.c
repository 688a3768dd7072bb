/* SPDX-License-Identifier: MIT
 *
 * Names of functions of other modules, by the linkage table's entry or the pointer through which they
 * are called: the relocation of the pointer tells, whether or not it has been bound yet.
 */
#include "frame.h"
#include "../runtime/modules.h"

#include <elf.h>

struct dynamic {
	const Elf64_Rela *tables[2];
	uint64_t sizes[2];
	const Elf64_Sym *symbols;
	const char *strings;
};

static bool read_dynamic(const struct module *m, struct dynamic *d)
{
	const Elf64_Dyn *e = (const Elf64_Dyn *)m->dynamic;

	*d = (struct dynamic){
		.tables = { dynamic_address(e, m->base, DT_JMPREL), dynamic_address(e, m->base, DT_RELA) },
		.sizes = { dynamic_value(e, DT_PLTRELSZ), dynamic_value(e, DT_RELASZ) },
		.symbols = dynamic_address(e, m->base, DT_SYMTAB),
		.strings = dynamic_address(e, m->base, DT_STRTAB),
	};
	return d->symbols && d->strings;
}

const char *import_of_slot(const struct module *m, uint64_t slot)
{
	struct dynamic d;

	if (!read_dynamic(m, &d))
		return NULL;
	for (unsigned t = 0; t < 2; t++)
		for (uint64_t k = 0; d.tables[t] && k < d.sizes[t] / sizeof(Elf64_Rela); k++) {
			const Elf64_Rela *r = &d.tables[t][k];
			uint64_t type = ELF64_R_TYPE(r->r_info);

			if (m->base + r->r_offset == slot &&
			    (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT))
				return d.strings + d.symbols[ELF64_R_SYM(r->r_info)].st_name;
		}
	return NULL;
}

/* An entry is an indirect jump, which prefixes and a mark of a branch target may precede. */
uint64_t import_slot(uint64_t at)
{
	const uint8_t *p = (const uint8_t *)at;
	int32_t disp;

	if (same(p, "\xf3\x0f\x1e\xfa", 4))
		p += 4;
	if (*p == 0xf2)
		p++;
	if (p[0] != 0xff || p[1] != 0x25)
		return 0;
	__builtin_memcpy(&disp, p + 2, sizeof disp);
	return (uint64_t)p + 6 + (uint64_t)disp;
}

const char *import_at(const struct module *m, uint64_t at)
{
	uint64_t slot = import_slot(at);

	return slot ? import_of_slot(m, slot) : NULL;
}
