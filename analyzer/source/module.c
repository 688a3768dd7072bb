/* SPDX-License-Identifier: MIT
 *
 * One module of the program under test: its ELF file, its line table, its functions.
 *
 * A pc is looked up in the line table of its compilation unit: the row with the greatest address
 * that is not above it, whether or not it begins a statement (such a row names the part of the
 * statement that the compiler moved; its line is the better one). Rows with line 0 are the
 * compiler's own, or an instruction that it made of several statements; then the last line before
 * it counts, and the next one behind it is remembered as well (source_frame.until). Inlined
 * functions come from the DIE tree: each DW_TAG_inlined_subroutine around the pc is a call at its
 * call_line.
 */
#include "source/build_id.h"
#include "source/private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_INLINED 64  /* functions inlined into each other */
#define MAX_DEPTH   256 /* of scopes */

/* -1 if the file on disk is another build than the one that ran. */
static int check_build_id(struct srcmap_module *mod, const struct module *module, struct error *e)
{
	int rc = 0;
	char *now;

	if (!strcmp(module->build_id, "-"))
		return 0;
	now = build_id_of(mod->elf);
	if (strcasecmp(now, module->build_id)) {
		mod->elf = NULL;
		if (system_library(mod->path))
			mod->warning = xasprintf("%s was replaced since this run was made; its "
						 "functions are not named",
						 mod->path);
		else
			rc = error_set(e,
				       "%s was rebuilt since this run was made (build-id %.16s, "
				       "now %.16s): its lines may have moved; explore again",
				       mod->path, module->build_id, now);
	}
	free(now);
	return rc;
}

static uint64_t first_address(Elf *elf)
{
	uint64_t first = UINT64_MAX;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_vaddr < first)
			first = p.p_vaddr;
	}
	return first == UINT64_MAX ? 0 : first;
}

static bool has_symbol_table(Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

static void warn_missing(struct srcmap_module *mod, const char *why)
{
	mod->warning = xasprintf("%s: %s; its functions and lines cannot be named", mod->path, why);
}

/* Reports the file to libdwfl; NULL if it is no usable ELF file. */
static Elf *load(struct srcmap_module *mod, const char *path)
{
	struct error e;
	struct stat st;
	GElf_Addr bias;
	Elf *elf;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		warn_missing(mod, "the file is not there any more");
		return NULL;
	}
	mod->dwfl = dwarf_open(path, &mod->elf, &e);
	if (!mod->dwfl) {
		warn_missing(mod, e.message);
		return NULL;
	}
	elf = dwfl_module_getelf(mod->elf, &bias);
	if (!elf) {
		warn_missing(mod, dwfl_errmsg(-1));
		mod->elf = NULL;
		return NULL;
	}
	mod->bias = bias;
	return elf;
}

static void look_for_debug(struct srcmap_module *mod)
{
	Dwarf_Addr bias;

	if (dwfl_module_getdwarf(mod->elf, &bias)) {
		mod->debug = true;
		return;
	}
	mod->warning =
		xasprintf("%s has no debug information%s: positions are shown as %s; compile "
			  "with -g%s",
			  mod->path, mod->symbols ? "" : " and no symbols (it is stripped)",
			  mod->symbols ? "function and offset" : "module and offset",
			  mod->symbols ? "" : " and do not strip it");
}

bool module_debug(struct srcmap_module *mod)
{
	Dwarf_Addr bias;

	return mod->debug || dwfl_module_getdwarf(mod->elf, &bias);
}

int module_open(struct srcmap_module *mod, const struct run *run, uint32_t number, struct error *e)
{
	const struct module *module = &run->modules[number];
	char *path;
	Elf *elf;
	int rc;

	*mod = (struct srcmap_module){
		.path = module->path,
		.name = base_name(module->path),
		.number = number,
	};
	if (module->path[0] == '[' || !strncmp(module->path, "linux-vdso", 10))
		return 0;
	path = module->path[0] == '/' ? xstrdup(module->path)
				      : xasprintf("%s/%s", run->cwd, module->path);
	elf = load(mod, path);
	free(path);
	if (!elf)
		return 0;
	mod->first = first_address(elf);
	mod->symbols = has_symbol_table(elf);
	rc = check_build_id(mod, module, e);
	return rc;
}

void module_close(struct srcmap_module *mod)
{
	if (mod->dwfl)
		dwfl_end(mod->dwfl);
	free(mod->variables);
	free(mod->warning);
}

/* For a program that is not position independent the "offset from the load address" may or may not
 * count from 0; no program is so large that the two could be confused. */
uint64_t module_address(const struct srcmap_module *mod, uint64_t pc)
{
	return pc < mod->first ? pc + mod->first : pc;
}

const char *module_symbol(const struct srcmap_module *mod, uint64_t address, uint64_t *offset)
{
	GElf_Off distance = 0;
	GElf_Sym symbol;
	const char *name;

	if (!mod->elf)
		return NULL;
	name = dwfl_module_addrinfo(mod->elf, address + mod->bias, &distance, &symbol, NULL, NULL,
				    NULL);
	*offset = distance;
	return name && *name ? symbol_shown(name) : NULL;
}

bool module_hooks(struct srcmap_module *mod)
{
	int n = !mod->hooks_known && mod->elf ? dwfl_module_getsymtab(mod->elf) : 0;

	mod->hooks_known = true;
	for (int i = 0; i < n && !mod->hooks; i++) {
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym(mod->elf, i, &symbol, NULL);

		mod->hooks = name && !strcmp(name, "__tsan_func_entry");
	}
	return mod->hooks;
}

/* The bytes of the file at an address as linked, at least n; NULL if there are none. */
static const unsigned char *file_bytes(const struct srcmap_module *mod, uint64_t address, size_t n)
{
	Elf *elf = mod->elf ? dwfl_module_getelf(mod->elf, &(GElf_Addr){ 0 }) : NULL;
	size_t headers = 0, size = 0;
	const char *file = elf ? elf_rawfile(elf, &size) : NULL;

	if (!file || elf_getphdrnum(elf, &headers) < 0)
		return NULL;
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || address < p.p_vaddr ||
		    address - p.p_vaddr + n > p.p_filesz)
			continue;
		address = address - p.p_vaddr + p.p_offset;
		return address + n <= size ? (const unsigned char *)file + address : NULL;
	}
	return NULL;
}

bool module_behind_call(struct srcmap_module *mod, uint64_t address)
{
	const unsigned char *code = address > 6 ? file_bytes(mod, address - 6, 6) : NULL;

	/* call rel32; call *disp32(%rip) */
	return code && (code[1] == 0xe8 || (code[0] == 0xff && code[1] == 0x15));
}

/* Not all compilers write .debug_aranges; without it every unit is asked. */
Dwarf_Die *module_unit(const struct srcmap_module *mod, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(mod->elf, address + mod->bias, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(mod->elf, unit, bias)))
		if (dwarf_haspc(unit, address + mod->bias - *bias) > 0)
			return unit;
	return NULL;
}

static int line_of(Dwarf_Line *row)
{
	int line;

	return dwarf_lineno(row, &line) || line < 0 ? 0 : line;
}

/* The next row from number `i` on that has a line, of the same sequence. */
static Dwarf_Line *row_behind(Dwarf_Lines *lines, size_t n, size_t i)
{
	bool end;

	for (; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);

		if (dwarf_lineendsequence(row, &end) || end)
			break;
		if (line_of(row))
			return row;
	}
	return NULL;
}

/* The last row of the line table at or before `address`, of the same sequence, that has a line. If
 * it is not the one of the address, *behind is the next one that has a line; else NULL. */
static Dwarf_Line *find_row(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Line **behind, uint64_t *statement)
{
	Dwarf_Lines *lines;
	size_t n, low = 0, high, next;
	bool end;

	*behind = NULL;
	*statement = 0;
	if (dwarf_getsrclines(unit, &lines, &n))
		return NULL;
	high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr a;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &a))
			return NULL;
		if (a <= address)
			low = middle + 1;
		else
			high = middle;
	}
	next = low;
	while (low-- > 0) {
		Dwarf_Line *row = dwarf_onesrcline(lines, low);

		if (dwarf_lineendsequence(row, &end) || end)
			return NULL;
		if (!line_of(row))
			continue;
		if (low + 1 < next)
			*behind = row_behind(lines, n, next);
		else
			*statement = statement_of(unit, lines, n, low);
		return row;
	}
	return NULL;
}

/* What is constant while the frames at one address are collected. */
struct lookup {
	struct srcmap_module *mod;
	struct source_files *files;
	struct frame_list *list;
	Dwarf_Die *unit;
	const char *directory;
};

const char *unit_directory(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *s = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));

	return s ? s : "/";
}

static uint32_t unsigned_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (dwarf_formudata(dwarf_attr(die, name, &attr), &v) || v > UINT32_MAX)
		return 0;
	return (uint32_t)v;
}

static uint64_t tagged(const struct srcmap_module *mod, uint64_t address)
{
	return ((uint64_t)mod->number + 1) << ADDRESS_SHIFT |
	       (address & ((1ULL << ADDRESS_SHIFT) - 1));
}

/* Where the call of an inlined function is. */
static void call_position(const struct lookup *l, Dwarf_Die *die, struct source_frame *f)
{
	Dwarf_Files *files;
	const char *path = NULL;
	Dwarf_Addr begin;
	size_t n;

	*f = (struct source_frame){ 0 };
	if (!dwarf_getsrcfiles(l->unit, &files, &n)) {
		uint32_t i = unsigned_attribute(die, DW_AT_call_file);

		path = i < n ? dwarf_filesrc(files, i, NULL, NULL) : NULL;
	}
	f->line = unsigned_attribute(die, DW_AT_call_line);
	f->column = unsigned_attribute(die, DW_AT_call_column);
	if (path && f->line)
		f->file = files_name(l->files, l->directory, path);
	else
		f->line = f->column = 0;
	if (dwarf_entrypc(die, &begin)) {
		Dwarf_Addr base, end;

		if (dwarf_ranges(die, 0, &base, &begin, &end) <= 0)
			begin = 0;
	}
	f->address = tagged(l->mod, begin);
	f->inlined = true;
}

static void row_position(const struct lookup *l, Dwarf_Addr address, struct source_frame *f)
{
	uint64_t statement;
	Dwarf_Line *behind, *row = find_row(l->unit, address, &behind, &statement);
	const char *path = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int column;

	if (!path)
		return;
	f->file = files_name(l->files, l->directory, path);
	f->statement = statement ? tagged(l->mod, statement) : 0;
	f->line = (uint32_t)line_of(row);
	path = behind ? dwarf_linesrc(behind, NULL, NULL) : NULL;
	if (path && files_name(l->files, l->directory, path) == f->file)
		f->until = (uint32_t)line_of(behind);
	f->column = dwarf_linecol(row, &column) || column < 0 ? 0 : (uint32_t)column;
}

static void append(struct frame_list *list, const struct source_frame *f)
{
	VEC_GROW(list->frames, list->n, list->capacity);
	list->frames[list->n++] = *f;
}

/* The functions around an address: one with code of its own, then those inlined into it, outermost
 * first. */
struct functions {
	Dwarf_Die dies[MAX_INLINED];
	unsigned n;
};

static void find_functions(Dwarf_Die *scope, Dwarf_Addr address, struct functions *found,
			   unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(scope, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if (tag == DW_TAG_namespace)
			find_functions(&die, address, found, depth + 1);
		if ((!function && tag != DW_TAG_lexical_block) || dwarf_haspc(&die, address) <= 0)
			continue;
		if (tag == DW_TAG_subprogram)
			found->n = 0; /* a function inside a function is not inlined there */
		if (function && found->n < MAX_INLINED &&
		    !(found->n && dwarf_is_part(&found->dies[found->n - 1], &die)))
			found->dies[found->n++] = die;
		find_functions(&die, address, found, depth + 1);
		return;
	} while (dwarf_next_sibling(&die));
}

/* False if there is no function. */
static bool function_frames(struct lookup *l, Dwarf_Addr address, uint64_t pc)
{
	struct functions found = { .n = 0 };

	find_functions(l->unit, address, &found, 0);
	for (unsigned i = 0; i < found.n; i++) {
		struct source_frame f = { 0 };

		if (i + 1 < found.n) {
			call_position(l, &found.dies[i + 1], &f);
		} else {
			f.address = tagged(l->mod, pc);
			row_position(l, address, &f);
		}
		f.function = dwarf_diename(&found.dies[i]);
		append(l->list, &f);
	}
	return found.n > 0;
}

void module_frames(struct srcmap_module *mod, struct source_files *files, uint64_t address,
		   uint64_t pc, struct frame_list *list)
{
	struct source_frame f = { .address = tagged(mod, pc) };
	struct lookup l = { mod, files, list, NULL, NULL };
	Dwarf_Addr bias;
	uint64_t offset;

	if (!mod->used && mod->elf)
		look_for_debug(mod);
	mod->used = true;
	l.unit = mod->debug ? module_unit(mod, address, &bias) : NULL;
	if (l.unit) {
		l.directory = unit_directory(l.unit);
		if (function_frames(&l, address + mod->bias - bias, pc))
			return;
		row_position(&l, address + mod->bias - bias, &f);
	}
	f.function = module_symbol(mod, address, &offset);
	append(list, &f);
}
