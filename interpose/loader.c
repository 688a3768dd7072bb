/* SPDX-License-Identifier: MIT
 *
 * Libraries that the program loads in an execution. They are instrumented, and named in traces,
 * before their constructors run. At the end of the execution they are unmapped, and the loader's
 * records are rolled back.
 *
 * How we learn of them: as debuggers do, through the function that the loader calls before and
 * after each change of its list of libraries (r_brk in <link.h>).
 *
 * The loader holds a lock while constructors and destructors run. A thread that waited for it would
 * wait for ever, because the holder does not run meanwhile. So a call of the loader is one step,
 * and what constructors and destructors do is part of it.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/heap.h"
#include "../runtime/maps.h"
#include "../runtime/modules.h"
#include "../runtime/services.h"
#include "interpose.h"

#include <dlfcn.h>
#include <elf.h>

/* In the same order as in loader.S: both come from the list. */
enum {
#define LOADER(name, state, note) number_##name,
#include "functions.def"
	FUNCTIONS
};

void *real_loader[FUNCTIONS];

#define MOST_STATE (16UL << 20)

static bool hooked;
static char dynamic_loader; /* calls are accesses to this */

/* ---- the calls ---- */

void *loader_look_up(unsigned number);
void *loader_look_up(unsigned number)
{
	static const char *const names[FUNCTIONS] = {
#define LOADER(name, state, note) #name,
#include "functions.def"
	};
	void *found = function_behind(names[number]); /* not by dlsym, which is one of them */

	if (!found)
		die("libc has no %s", names[number]);
	return real_loader[number] = found;
}

static void *real_function(unsigned number)
{
	return real_loader[number] ? real_loader[number] : loader_look_up(number);
}

void *library_function(const char *library, const char *name)
{
	void *(*open)(const char *, int), *(*find)(void *, const char *), *there, *found;
	int (*close)(void *);

	*(void **)&open = real_function(number_dlopen);
	*(void **)&find = real_function(number_dlsym);
	*(void **)&close = real_function(number_dlclose);
	there = open(library, RTLD_LAZY | RTLD_NOLOAD);
	if (!there)
		return NULL;
	found = find(there, name);
	close(there);
	return found;
}

/* A return instruction in the module of pc. */
static uint64_t return_instruction(uint64_t pc)
{
	uintptr_t lo, hi;

	if (!module_text(pc, &lo, &hi))
		return 0;
	for (uintptr_t p = pc; p < hi; p++)
		if (*(const uint8_t *)p == 0xc3)
			return p;
	for (uintptr_t p = lo; p < pc; p++)
		if (*(const uint8_t *)p == 0xc3)
			return p;
	return 0;
}

/* Was this library there from the start? The handle may be anything. */
static bool from_start(const struct link_map *handle, uint64_t pc)
{
	uint64_t dynamic;

	if (!handle)
		return false;
	rt->cur->pending.pc = pc; /* for the case that it crashes */
	rt->accessing = 1;
	dynamic = peek((uint64_t)&handle->l_ld, sizeof handle->l_ld);
	rt->accessing = 0;
	return module_from_start(dynamic);
}

/* Before a call of the loader. The loader looks at the return address to know its caller, so
 * that address must be in the caller's module; but control has to come back here. The result is
 * the address of a return instruction in that module, through which control comes back; 0 if
 * there is none; 1 if the call must not be made. */
uint64_t loader_enter(unsigned number, const struct link_map *handle);
uint64_t loader_enter(unsigned number, const struct link_map *handle)
{
	uint64_t pc = caller();

	/* A library from the start must still be there in the next execution. */
	if (number == number_dlclose && from_start(handle, pc))
		return 1;
	if (rt->tracing) {
		bool changes = number == number_dlopen || number == number_dlclose;

		announce(changes ? LP_EV_RMW : LP_EV_READ, &dynamic_loader, 1, pc)->flags =
			LP_SITE_ATOMIC | LP_SITE_NOVALUE;
		step(rt->cur);
	}
	rt->loaded |= number == number_dlopen || number == number_dlclose;
	rt->cur->loading++;
	set_tracing();
	return return_instruction(pc);
}

static void look_at_list(void);

/* The result of the call; name is its second argument. */
void *loader_leave(void *const *function, const char *name, void *result);
void *loader_leave(void *const *function, const char *name, void *result)
{
	if (!hooked && rt->loaded)
		look_at_list();
	rt->cur->loading--;
	set_tracing();
	if (result && (function == &real_loader[number_dlsym] || function == &real_loader[number_dlvsym]))
		return function_caught(name, result);
	return result;
}

/* ---- what the loader has done ---- */

static bool relocates_text(const struct dl_phdr_info *info)
{
	for (const ElfW(Dyn) *d = module_dynamic(info); d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_TEXTREL ||
		    (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_TEXTREL)))
			return true;
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	bool fresh;

	(void)size;
	(void)data;
	if (module_known(info->dlpi_addr) || !module_came(info, &fresh))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			fibers_late_tls();
	instrumentation.library_came(info, relocates_text(info), fresh);
	return 0;
}

static void look_at_list(void)
{
	uintptr_t lo, hi;

	modules_relist();
	real.dl_iterate_phdr(look_at, NULL);
	while (module_closed(&lo, &hi))
		instrumentation.library_closed(lo, hi);
}

/* Does [lo, hi) hold some of the loader's records? */
static bool holds_state(uintptr_t lo, uintptr_t hi)
{
	uintptr_t dtv = ((uintptr_t *)rt->root_fs)[1];

	if (dtv >= lo && dtv < hi)
		return true;
	for (const struct link_map *l = _r_debug.r_map; l; l = l->l_next)
		if ((uintptr_t)l >= lo && (uintptr_t)l < hi)
			return true;
	return false;
}

/* The loader keeps its records about the program's first libraries in memory of its own that is
 * in no module. It is rolled back only when something was loaded. */
static void add_state(uintptr_t lo, uintptr_t hi, const char *rest)
{
	if (same(rest, "rw-p", 4) && hi - lo <= MOST_STATE && !in_heap(lo) && holds_state(lo, hi))
		checkpoint_add_loader(lo, hi);
}

void loader_state(void)
{
	maps_each(add_state);
}

/* Called in place of the loader's function. */
static void list_changes(void)
{
	if (!active())
		return;
	rt->loaded = 1;
	if (_r_debug.r_state == RT_CONSISTENT)
		look_at_list();
}

/* The function is a single return instruction, and there is room after it, up to where the next
 * function may start. If it looks different, new libraries are found when dlopen returns. */
void loader_hook(void)
{
	uint8_t *at = (uint8_t *)_r_debug.r_brk;
	static const uint8_t mark[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (at && at[same(at, mark, sizeof mark) ? sizeof mark : 0] == 0xc3 &&
	    !((uintptr_t)at & 15))
		hooked = redirect(at, 16, (const void *)(uintptr_t)list_changes);
}

void loader_rollback(void)
{
	rt->loaded = 0;
	modules_went();
	instrumentation.libraries_gone();
}
