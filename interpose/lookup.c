/* SPDX-License-Identifier: MIT
 *
 * Functions by name, without the loader's functions that do so: these are caught themselves. What the program looks up
 * by name is what its calls get.
 */
#include "../runtime/modules.h"
#include "interpose.h"

#include <elf.h>

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden"))); /* of libsched.so */

/* By the table of hashes that GNU's linker makes: the number of buckets, that of the first symbol, and sizes of a filter
 * that is passed by; then the filter, the buckets, and for each symbol its hash, odd for the last one of a bucket. */
static void *function_in(const struct link_map *l, const char *name)
{
	const uint32_t *h = dynamic_address(l->l_ld, l->l_addr, DT_GNU_HASH), *buckets, *chain;
	const ElfW(Sym) *symbols = dynamic_address(l->l_ld, l->l_addr, DT_SYMTAB);
	const char *names = dynamic_address(l->l_ld, l->l_addr, DT_STRTAB);
	uint32_t hash = 5381, i;

	if (!h || !symbols || !names || !h[0])
		return NULL;
	for (const char *p = name; *p; p++)
		hash = hash * 33 + (uint8_t)*p;
	buckets = h + 4 + h[2] * (sizeof(ElfW(Addr)) / sizeof *h);
	chain = buckets + h[0] - h[1];
	i = buckets[hash % h[0]];
	for (bool more = i != 0; more; more = !(chain[i++] & 1)) {
		const ElfW(Sym) *s = &symbols[i];

		if ((chain[i] | 1) == (hash | 1) && equal(names + s->st_name, name) &&
		    s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			return (void *)(l->l_addr + s->st_value);
	}
	return NULL;
}

/* The library that is asked, of those behind this one: where its calls go. */
void *function_behind(const char *name)
{
	const struct link_map *l = _r_debug.r_map;
	void *found = NULL;

	while (l && l->l_ld != _DYNAMIC)
		l = l->l_next;
	for (l = l ? l->l_next : NULL; l && !found; l = l->l_next)
		found = function_in(l, name);
	return found;
}

void *function_caught(const char *name, void *found)
{
	const struct link_map *l = _r_debug.r_map;
	void *ours;

	if (module_is_program((uint64_t)found))
		return found;
	while (l && l->l_ld != _DYNAMIC)
		l = l->l_next;
	ours = l ? function_in(l, name) : NULL;
	return ours ? ours : found;
}
