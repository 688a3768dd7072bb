/* SPDX-License-Identifier: MIT
 *
 * Where parameters arrive is what the System V ABI says about their types, in their order. That
 * does not hold for copies of a function that the compiler made for itself, with parameters left
 * out or replaced by what they point to (gcc names them NAME.constprop.N, NAME.isra.N; clang may do
 * so to any static function). There the locations that DWARF gives at the first instruction are
 * taken.
 */
#include "spec/functions.h"
#include "source/dwarf.h"
#include "spec/fn_type.h"
#include "source/libraries.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

struct reader {
	struct functions *f;
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwarf_Die *unit;
	bool hooks;
	const char *chain[INLINED_CHAIN];
	unsigned nchain;
};

static struct function *function_named(struct functions *f, const char *name)
{
	bool added;
	uint32_t n = numbering_add(&f->names, name, strlen(name), &added);

	if (added) {
		VEC_GROW(f->list, f->n, f->capacity);
		f->list[f->n++] = (struct function){ .name = xstrdup(name) };
	}
	return &f->list[n];
}

const struct function *functions_find(const struct functions *f, const char *name)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i].name, name))
			return &f->list[i];
	return NULL;
}

static unsigned number_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &v) || v > UINT32_MAX
		       ? 0
		       : (unsigned)v;
}

/* ---- parameters ---- */

/* DWARF's numbers of registers to those of argument registers. */
static int argument_register(unsigned dwarf)
{
	static const int map[] = { -1, 2, 3, -1, 1, 0, -1, -1, 4, 5 };

	return dwarf < sizeof map / sizeof *map ? map[dwarf] : -1;
}

/* Where a parameter is at the first instruction, according to DWARF. */
static void located(Dwarf_Die *die, Dwarf_Addr pc, struct fn_param *p)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	Dwarf_Word value;
	size_t n;
	int reg;

	p->where = WHERE_GONE;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_const_value, &attr), &value)) {
		p->where = WHERE_CONST;
		p->value = value;
		return;
	}
	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, pc, &op, &n, 1) != 1 || !n)
		return;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 && n == 1) {
		reg = argument_register(op->atom - DW_OP_reg0);
		p->where = reg < 0 ? WHERE_UNKNOWN : WHERE_REGISTER;
		p->reg = reg < 0 ? 0 : (unsigned)reg;
	} else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31 && n == 2) {
		p->where = WHERE_CONST;
		p->value = op->atom - DW_OP_lit0;
	} else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts && n == 2) {
		p->where = WHERE_CONST;
		p->value = op->number;
	} else if (op->atom == DW_OP_addr && n == 2) {
		p->where = WHERE_ADDRESS;
		p->value = op->number;
	} else {
		p->where = WHERE_UNKNOWN;
	}
}

struct passing { /* the state of the ABI's rule between two parameters */
	unsigned next;
	bool lost; /* a structure in registers came before */
};

static void passed(struct passing *s, struct fn_param *p, uint64_t bytes, bool is_float)
{
	if (is_float) {
		p->where = bytes <= 8 ? WHERE_XMM : WHERE_MEMORY;
	} else if (p->type.kind == TYPE_OTHER) {
		p->where = bytes > 16 ? WHERE_MEMORY : WHERE_UNKNOWN;
		s->lost = s->lost || bytes <= 16;
	} else if (s->lost) {
		p->where = WHERE_UNKNOWN;
	} else if (s->next < 6) {
		p->where = WHERE_REGISTER;
		p->reg = s->next++;
	} else {
		p->where = WHERE_MEMORY;
	}
}

static void read_params(Dwarf_Die *die, Dwarf_Addr pc, struct fn_instance *out)
{
	struct passing state = { 0 };
	uint64_t bytes;
	bool is_float;
	Dwarf_Die child;

	fn_type_read(die, &out->result, &bytes, &is_float);
	/* The caller passes the place of a large result as the first argument. */
	if (out->result.kind == TYPE_OTHER && !is_float && bytes > 16)
		state.next = 1;
	if (dwarf_child(die, &child))
		return;
	do {
		struct fn_param *p = &out->params[out->nparams];
		const char *name;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    out->nparams == FUNCTION_MAX_PARAMS)
			continue;
		name = dwarf_diename(&child);
		*p = (struct fn_param){ .name = xstrdup(name ? name : "") };
		fn_type_read(&child, &p->type, &bytes, &is_float);
		passed(&state, p, bytes, is_float);
		if (out->changed)
			located(&child, pc, p);
		out->nparams++;
	} while (dwarf_next_sibling(&child));
}

static void free_instance(struct fn_instance *i)
{
	for (unsigned k = 0; k < i->nparams; k++) {
		free(i->params[k].name);
		fn_type_free(&i->params[k].type);
	}
	fn_type_free(&i->result);
}

/* ---- functions ---- */

static bool first_address(Dwarf_Die *die, Dwarf_Addr *pc)
{
	Dwarf_Addr base, end;

	if (!dwarf_lowpc(die, pc) && *pc)
		return true;
	return dwarf_ranges(die, 0, &base, pc, &end) > 0;
}

static bool of_system(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);

	return file && (!strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/lib/", 9));
}

/* Of several functions of one name, the program's own come before those of the system's headers. */
static void read_place(struct reader *r, Dwarf_Die *die, struct function *fn)
{
	const char *file = dwarf_decl_file(die), *directory;
	bool better = fn->system && !of_system(die);
	Dwarf_Attribute attr;

	if (!file)
		file = dwarf_diename(r->unit); /* clang's first file has the number 0 */
	if ((fn->file && !better) || !file)
		return;
	if (fn->declared) {
		free_instance(&fn->prototype);
		fn->prototype = (struct fn_instance){ 0 };
		fn->declared = false;
	}
	free(fn->file);
	fn->system = of_system(die);
	directory = dwarf_formstring(dwarf_attr(r->unit, DW_AT_comp_dir, &attr));
	fn->file = *file == '/' || !directory ? xstrdup(file) : xasprintf("%s/%s", directory, file);
	fn->line = number_attribute(die, DW_AT_decl_line);
}

/* clang removes parameters and results of functions that nobody else can call, and does not always
 * say so. Only its optimised functions have the attribute. */
static bool clang_may_change(struct reader *r, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(r->unit, DW_AT_producer, &attr));

	return producer && strstr(producer, "clang") &&
	       !dwarf_hasattr_integrate(die, DW_AT_external) &&
	       (dwarf_hasattr_integrate(die, DW_AT_call_all_calls) ||
		dwarf_hasattr_integrate(die, DW_AT_GNU_all_call_sites));
}

static void read_code(struct reader *r, Dwarf_Die *die, struct function *fn, Dwarf_Addr pc)
{
	const char *symbol = dwfl_module_addrname(r->module, pc + r->bias);
	struct fn_instance instance = { .module = r->f->nmodules - 1,
					.address = pc,
					.system = of_system(die),
					.hooks = r->hooks };

	for (uint32_t i = 0; i < fn->ninstances; i++)
		if (fn->instances[i].address == pc && fn->instances[i].module == instance.module)
			return;
	/* The cold rest of a function that was inlined elsewhere. */
	if (symbol && strstr(symbol, ".part."))
		return;
	instance.result_lost = symbol && strstr(symbol, ".isra.");
	instance.changed = instance.result_lost || (symbol && strstr(symbol, ".constprop."));
	if (number_attribute(die, DW_AT_calling_convention) == DW_CC_nocall ||
	    clang_may_change(r, die))
		instance.changed = instance.result_lost = true;
	read_params(die, pc, &instance);
	VEC_GROW(fn->instances, fn->ninstances, fn->instances_capacity);
	fn->instances[fn->ninstances++] = instance;
}

static void add_inlined(struct reader *r, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *path = NULL;
	struct fn_inlined in = { .nchain = r->nchain, .system = of_system(die) };
	struct function *fn;
	Dwarf_Files *files;
	size_t n;

	if (!name)
		return;
	fn = function_named(r->f, name);
	for (unsigned i = 0; i < r->nchain; i++)
		in.chain[i] = r->chain[i];
	in.line = number_attribute(die, DW_AT_call_line);
	if (!dwarf_getsrcfiles(r->unit, &files, &n) && number_attribute(die, DW_AT_call_file) < n)
		path = dwarf_filesrc(files, number_attribute(die, DW_AT_call_file), NULL, NULL);
	in.file = xstrdup(path ? path : "?");
	VEC_GROW(fn->inlined, fn->ninlined, fn->inlined_capacity);
	fn->inlined[fn->ninlined++] = in;
}

static void read_scope(struct reader *r, Dwarf_Die *scope, unsigned depth);

static void enter(struct reader *r, Dwarf_Die *die, unsigned depth)
{
	const char *name = dwarf_diename(die);
	bool pushed = name && r->nchain < INLINED_CHAIN;

	/* Names of `list` stay where they are. */
	if (pushed)
		r->chain[r->nchain++] = name;
	read_scope(r, die, depth + 1);
	r->nchain -= pushed;
}

static void read_function(struct reader *r, Dwarf_Die *die, unsigned depth)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	struct function *fn;
	Dwarf_Addr pc;

	if (!name || dwarf_hasattr(die, DW_AT_declaration))
		return;
	fn = function_named(r->f, name);
	read_place(r, die, fn);
	if (!fn->declared && !dwarf_attr(die, DW_AT_abstract_origin, &attr)) {
		read_params(die, 0, &fn->prototype);
		fn->declared = true;
	}
	if (!first_address(die, &pc))
		return;
	read_code(r, die, fn, pc);
	enter(r, die, depth);
}

static void read_scope(struct reader *r, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			read_function(r, &die, depth);
			break;
		case DW_TAG_inlined_subroutine:
			add_inlined(r, &die);
			enter(r, &die, depth);
			break;
		case DW_TAG_namespace:
		case DW_TAG_lexical_block:
			read_scope(r, &die, depth + 1);
			break;
		}
	} while (dwarf_next_sibling(&die));
}

/* ---- modules ---- */

static void read_dwarf(struct reader *r)
{
	Dwarf_Die *unit = NULL;

	if (!dwfl_module_getdwarf(r->module, &r->bias))
		return;
	if (r->f->nmodules == 1)
		r->f->debug = true;
	while ((unit = dwfl_module_nextcu(r->module, unit, &r->bias)) != NULL) {
		r->unit = unit;
		r->nchain = 0;
		read_scope(r, unit, 0);
	}
}

/* Is this among the names in the file, and so probably something that it calls? */
static bool has_name(const char *path, const char *name)
{
	size_t size;
	char *text = read_file(path, &size, NULL);
	bool found = text && memmem(text, size, name, strlen(name) + 1);

	free(text);
	return found;
}

static int read_module(struct functions *f, const char *path, struct error *e)
{
	struct reader r = { .f = f };
	struct error why;
	Dwfl *dwfl = dwarf_open(path, &r.module, &why);

	if (!dwfl)
		return error_set(e, "%s: %s", path, why.message);
	VEC_GROW(f->modules, f->nmodules, f->modules_capacity);
	f->modules[f->nmodules++] = realpath(path, NULL);
	if (!f->modules[f->nmodules - 1])
		f->modules[f->nmodules - 1] = xstrdup(path);
	r.hooks = has_name(path, "__tsan_func_entry");
	read_dwarf(&r);
	/* Names of callers live only as long as libdw's copy of the file, so they are copied. */
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = 0; k < f->list[i].ninlined; k++)
			for (unsigned c = 0; c < f->list[i].inlined[k].nchain; c++) {
				const char **name = &f->list[i].inlined[k].chain[c];

				*name = function_named(f, *name)->name;
			}
	dwfl_end(dwfl);
	return 0;
}

int functions_read(struct functions *f, const char *program, struct error *e)
{
	char **libraries;
	size_t n;

	*f = (struct functions){ 0 };
	if (read_module(f, program, e) < 0)
		return -1;
	f->opens = has_name(program, "dlopen");
	libraries = libraries_of(program, &n);
	for (size_t i = 0; i < n; i++) {
		/* What cannot be read has no functions that could be named. */
		read_module(f, libraries[i], NULL);
		free(libraries[i]);
	}
	free(libraries);
	return 0;
}

int functions_add(struct functions *f, const char *library, struct error *e)
{
	return read_module(f, library, e);
}

void functions_free(struct functions *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct function *fn = &f->list[i];

		for (uint32_t k = 0; k < fn->ninstances; k++)
			free_instance(&fn->instances[k]);
		free_instance(&fn->prototype);
		for (uint32_t k = 0; k < fn->ninlined; k++)
			free(fn->inlined[k].file);
		free(fn->instances);
		free(fn->inlined);
		free(fn->name);
		free(fn->file);
	}
	for (uint32_t i = 0; i < f->nmodules; i++)
		free(f->modules[i]);
	free(f->modules);
	free(f->list);
	numbering_free(&f->names);
	*f = (struct functions){ 0 };
}
