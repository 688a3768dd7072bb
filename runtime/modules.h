/* SPDX-License-Identifier: MIT
 *
 * The executable and its libraries, by number.
 */
#ifndef LP_MODULES_H
#define LP_MODULES_H

#include "base.h"

#include <link.h>

/* What a module is, by its path. Libraries of the system are not instrumented, and their code is not
 * the program's: what they do to the program's memory is known from the calls of them. Of libstdc++
 * those functions are instrumented that its templates call for their nodes (instrument/select.c). */
enum library {
	LIBRARY_NONE, /* the program, or a library of its own */
	LIBRARY_LIBC,
	LIBRARY_LOADER,
	LIBRARY_STDCXX,
	LIBRARY_SYSTEM, /* another one */
};
enum library library_of(const char *path);

const char *base_name(const char *path);                           /* behind the last slash */
const ElfW(Dyn) * module_dynamic(const struct dl_phdr_info *info); /* NULL: it has none */

/* What a dynamic section says under this tag, 0 if nothing; and as an address in a module that was loaded at `base`, for
 * the loader makes addresses of some, where it can write. */
static inline uint64_t dynamic_value(const ElfW(Dyn) *d, int64_t tag)
{
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return d->d_un.d_val;
	return 0;
}

static inline const void *dynamic_address(const ElfW(Dyn) *d, uintptr_t base, int64_t tag)
{
	uint64_t value = dynamic_value(d, tag);

	return value ? (const void *)(value < base ? base + value : value) : NULL;
}

void modules_init(void);
void modules_describe(void); /* a record each into the trace */
void modules_file(struct text *t, int fd);

/* The module of an address and the offset from where it was loaded; -1 and the address itself if
 * there is none. */
int32_t module_find(uintptr_t addr, uint64_t *offset);
const char *module_path(int32_t module);
/* Is this code of the program itself, rather than of a library of the system? It is mapped. */
bool module_is_program(uint64_t pc);
/* The module whose code, or the byte behind it, is at pc, and the offset from where it was loaded; -1
 * if there is none. */
int32_t module_of_code(uint64_t pc, uint64_t *offset);
/* The executable segment around pc; false if there is none. */
bool module_text(uint64_t pc, uintptr_t *lo, uintptr_t *hi);

/* A pc as a key that is the same wherever its library is loaded, and back. */
uint64_t module_pc_key(uint64_t pc);
int32_t module_of_key(uint64_t key, uint64_t *offset);
uint64_t module_key(int32_t module, uint64_t offset);

/* Is this code of libc or the loader? It may hold their locks. */
bool module_is_libc(uint64_t pc);
bool module_from_start(uintptr_t addr);

/* Libraries that are loaded in an execution. What the loader lists is gone through between
 * modules_relist() and module_closed(): is there one at this base? */
void modules_relist(void);
bool module_known(uintptr_t base);
/* There is now. False if it has no segments, or there are too many. *fresh: for the first time. */
bool module_came(const struct dl_phdr_info *info, bool *fresh);
/* One that is listed no more, once; false if there is none left. Its addresses keep its name,
 * unless another library takes them. */
bool module_closed(uintptr_t *lo, uintptr_t *hi);
void modules_went(void); /* the execution is over, they are all gone */

#endif
