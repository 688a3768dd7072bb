/* SPDX-License-Identifier: MIT
 *
 * Unwinding of a recorded stack, by libdwfl, from the unwind tables of the modules' files.
 *
 * The record says nothing about where modules and stacks were in memory (they are elsewhere in each
 * run); so they get made-up addresses: module n at (n + 1) << 36, if it can be moved, and the top of
 * the stack at STACK_TOP. Words that were left out of the record read as 0: no call has that return
 * address, so a stack with a hole ends there.
 */
#include "source/private.h"

#include <stdlib.h>
#include <string.h>

#define STACK_TOP    0x7f0000000000ULL
#define MODULE_SHIFT 36
#define SP	     7
#define PC	     16
#define THREAD	     1

struct unwinder {
	struct srcmap *map;
	Dwfl *dwfl;
	Dwfl_Module **modules;
	const struct stack *stack;

	struct unwound *calls;
	uint32_t n, most;
};

static Dwfl_Module *report(struct unwinder *u, uint32_t number)
{
	const struct srcmap_module *mod = &u->map->modules[number];
	Dwfl_Module *module;
	char *path;
	void **data;

	if (!mod->elf)
		return NULL;
	path = mod->path[0] == '/' ? xstrdup(mod->path)
				   : xasprintf("%s/%s", u->map->run->cwd, mod->path);
	module = dwfl_report_elf(u->dwfl, mod->name, path, -1,
				 (GElf_Addr)(number + 1) << MODULE_SHIFT, false);
	free(path);
	if (module) {
		dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
		*data = (void *)(uintptr_t)(number + 1);
	}
	return module;
}

/* An address of the run as one of those made up; 0 if it cannot be. */
static uint64_t address_of(const struct unwinder *u, const struct stack_value *v)
{
	GElf_Addr bias;

	if (v->kind == LP_STACK_ADDRESS && v->at < STACK_TOP)
		return STACK_TOP - v->at;
	if (v->kind != LP_STACK_CODE || v->module >= u->map->nmodules || !u->modules[v->module] ||
	    !dwfl_module_getelf(u->modules[v->module], &bias))
		return 0;
	return module_address(&u->map->modules[v->module], v->at) + bias;
}

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	bool first = !*thread;

	(void)dwfl;
	*thread = data;
	return first ? THREAD : 0;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *data)
{
	const struct unwinder *u = data;
	const struct stack *s = u->stack;
	uint64_t sp = address_of(u, &s->registers[SP]), index = (address - sp) / 8;
	uint32_t low = 0, high = s->nwords;

	(void)dwfl;
	if (address < sp || address >= STACK_TOP)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->words[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	*result = low < s->nwords && s->words[low].index == index
			  ? address_of(u, &s->words[low].value)
			  : 0;
	return true;
}

/* A call of an address that is no code: its caller is where the stack says. */
static bool called_nowhere(const struct stack *s)
{
	return s->registers[PC].kind != LP_STACK_CODE && s->nwords && s->words[0].index == 0 &&
	       s->words[0].value.kind == LP_STACK_CODE;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
	const struct unwinder *u = data;
	const struct stack *s = u->stack;
	Dwarf_Word values[LP_STACK_REGISTERS];

	for (unsigned i = 0; i < LP_STACK_REGISTERS; i++)
		values[i] = address_of(u, &s->registers[i]);
	if (called_nowhere(s)) {
		values[PC] = address_of(u, &s->words[0].value) - 1;
		values[SP] += 8;
	}
	return dwfl_thread_state_registers(thread, 0, LP_STACK_REGISTERS, values);
}

static int note_frame(Dwfl_Frame *frame, void *data)
{
	struct unwinder *u = data;
	Dwarf_Addr pc;
	bool exact;
	void **number;
	GElf_Addr bias;
	Dwfl_Module *module;

	if (u->n == u->most || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	module = dwfl_addrmodule(u->dwfl, exact ? pc : pc - 1);
	if (!module)
		return DWARF_CB_ABORT;
	dwfl_module_info(module, &number, NULL, NULL, NULL, NULL, NULL, NULL);
	if (!strncmp(dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		     "libsched.so", 11) ||
	    !dwfl_module_getelf(module, &bias))
		return DWARF_CB_OK;
	u->calls[u->n++] = (struct unwound){
		.module = (uint32_t)(uintptr_t)*number - 1,
		.pc = pc - bias,
		.exact = exact,
	};
	return DWARF_CB_OK;
}

static struct unwinder *unwinder_new(struct srcmap *m)
{
	static const Dwfl_Thread_Callbacks callbacks = {
		.next_thread = next_thread,
		.memory_read = read_memory,
		.set_initial_registers = set_registers,
	};
	struct unwinder *u = xcalloc(1, sizeof *u);

	u->map = m;
	u->modules = xcalloc(m->nmodules, sizeof *u->modules);
	u->dwfl = dwarf_begin_process();
	if (!u->dwfl)
		return u;
	dwfl_report_begin(u->dwfl);
	for (uint32_t i = 0; i < m->nmodules; i++)
		u->modules[i] = report(u, i);
	dwfl_report_end(u->dwfl, NULL, NULL);
	if (!dwfl_attach_state(u->dwfl, NULL, THREAD, &callbacks, u)) {
		dwfl_end(u->dwfl);
		u->dwfl = NULL;
	}
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	free(u->modules);
	free(u);
}

uint32_t unwind(struct srcmap *m, const struct stack *s, struct unwound *calls, uint32_t most)
{
	struct unwinder *u = m->unwinder ? m->unwinder : (m->unwinder = unwinder_new(m));

	if (!u->dwfl)
		return 0;
	u->stack = s;
	u->calls = calls;
	u->most = most;
	u->n = 0;
	dwfl_getthread_frames(u->dwfl, THREAD, note_frame, u);
	return u->n;
}
