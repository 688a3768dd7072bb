/* SPDX-License-Identifier: MIT
 *
 * Inside the source map: modules (module.c), variables (variables.c), files
 * (files.c), and what puts them together (map.c).
 */
#ifndef LINCHPIN_SOURCE_PRIVATE_H
#define LINCHPIN_SOURCE_PRIVATE_H

#include "base/numbering.h"
#include "source/dwarf.h"
#include "source/map.h"

/* source_frame.address: a module's number + 1 above, the address as linked below. */
#define ADDRESS_SHIFT 48

struct variable {
	uint64_t address, size;
	const char *name;
	Dwarf_Die type; /* without names and qualifiers */
	enum variable_sort sort; /* that these said */
};

struct srcmap_module {
	const char *path;
	const char *name; /* last component of the path */
	uint32_t number;
	Dwfl *dwfl;
	Dwfl_Module *elf; /* NULL: nothing is known about this module */
	uint64_t bias;    /* what libdwfl adds to addresses as linked */
	uint64_t first;   /* lowest address as linked */
	bool symbols;     /* has a symbol table beyond that of the dynamic linker */
	bool debug;       /* has DWARF */
	char *warning;    /* NULL: none; printed when the module mattered */
	bool used, warned;
	bool hooks_known, hooks; /* compiler hooks are called */
	bool variables_read;
	struct variable *variables;
	uint32_t nvariables, variables_capacity;
};

struct source_file {
	char *raw; /* as DWARF has it, absolute */
	char *shown;
	char *text;      /* NULL: not read or not readable */
	char *cut;       /* the text again, with a zero at the end of each line */
	uint32_t *lines; /* offsets of the beginnings of lines */
	uint32_t nlines;
	bool read;
};

struct source_files {
	struct source_file **files;
	uint32_t nfiles, capacity, last;
	char *cwd;
};

struct frame_list {
	struct source_frame *frames;
	uint32_t n, capacity;
	bool done;
};

struct unwinder;

struct srcmap {
	const struct run *run;
	struct srcmap_module *modules;
	uint32_t nmodules;
	struct source_files files;
	/* by id; only the calls of their own pc in contexts */
	struct frame_list *contexts, *sites, *threads;
	uint32_t ncontexts, nsites, nthreads;
	struct frame_list *stacks; /* by id */
	uint32_t nstacks;
	struct unwinder *unwinder; /* NULL: not needed yet */
	struct run *own_run;       /* made for a program that was not run, or NULL */
	char **locations;          /* names by id */
	uint32_t nlocations;
	/* blocks.c: the allocation of each region in the trace that was asked for last */
	const struct event *scanned;
	uint64_t scanned_class;
	uint32_t nscanned, *allocated, nallocated;
	struct numbering block_types; /* by site and size */
	struct block_type **types;
	uint32_t ntypes, types_capacity;
	struct numbering fields; /* by location and type */
	char **field_names;
	uint32_t nfields, fields_capacity;
	char **places; /* ring of the last texts of srcmap_place */
	uint32_t next_place;
};

/* Opens the file of the module. -1 and *e if it is another build than that of the run. */
int module_open(struct srcmap_module *mod, const struct run *run, uint32_t number, struct error *e);
void module_close(struct srcmap_module *mod);
/* A pc of the run as the address in the ELF file. */
uint64_t module_address(const struct srcmap_module *mod, uint64_t pc);
/* Appends the frames at an address, outermost first. `pc` goes into the address of the
 * innermost. */
void module_frames(struct srcmap_module *mod, struct source_files *files, uint64_t address,
		   uint64_t pc, struct frame_list *list);
/* Where a unit was compiled. */
const char *unit_directory(Dwarf_Die *unit);
/* statement.c: was it compiled by gcc; and without optimization? */
bool unit_is_gcc(Dwarf_Die *unit);
bool unit_is_plain(Dwarf_Die *unit);
/* Does anything say that the compiler optimized? */
bool unit_is_optimized(Dwarf_Die *unit);
/* What source_frame.statement says, without the module, of the code of a row of the line table. */
uint64_t statement_of(Dwarf_Die *unit, Dwarf_Lines *lines, size_t n, size_t row);
/* Has it debug information? */
bool module_debug(struct srcmap_module *mod);
/* The compilation unit around an address; *bias is what to subtract from addresses in memory. */
Dwarf_Die *module_unit(const struct srcmap_module *mod, uint64_t address, Dwarf_Addr *bias);
/* The symbol around an address, as it is shown, and the distance from it, NULL if there is none. */
const char *module_symbol(const struct srcmap_module *mod, uint64_t address, uint64_t *offset);

/* Does its code call compiler hooks? */
bool module_hooks(struct srcmap_module *mod);
/* Is there a call before the address? */
bool module_behind_call(struct srcmap_module *mod, uint64_t address);

/* "items[2].key" for an address in a variable of the module; NULL if none is there. Free it. `whole`
 * names the largest thing that begins there: "items[2]". */
char *module_variable(struct srcmap_module *mod, uint64_t address, bool whole);

/* What the type of what is there says, all types on the way to it included. */
enum variable_sort module_variable_sort(struct srcmap_module *mod, uint64_t address);

/* What a block of the heap holds (blocks.c). */
struct block_type {
	bool known;
	Dwarf_Die type;
	uint64_t element; /* it is an array of such, each of so many bytes; else 0 */
	uint64_t bytes;   /* of the block */
};

/* Of the block with that region, as the trace allocates it, and a number for it; NULL if it is not known. */
const struct block_type *block_type(struct srcmap *m, const struct trace *t, uint32_t region, uint32_t *number);
/* Writes what is there in the block, "[2].key". */
void block_path(FILE *out, const struct block_type *b, uint64_t offset);

/* types.c: the type of a variable, member or element without names and qualifiers; what these say goes to
 * *sort if it is more than what is there. */
bool qualified_type_of(Dwarf_Die *die, Dwarf_Die *type, enum variable_sort *sort);
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* In bytes; 0 if it is unknown. */
uint64_t type_size(Dwarf_Die *type);
/* Is there an array of no known length at its end? */
bool type_endless(Dwarf_Die *type);
/* Writes how to get from something of the type to what is there in it, ".items[2].key", to out (or NULL); to
 * the largest thing that begins there with `whole`. More than *sort that types on the way say goes there. */
void type_path(FILE *out, const Dwarf_Die *of, uint64_t offset, bool whole, enum variable_sort *sort);

/* Makes an array of per-id entries as long as the table of the run has become. */
void *srcmap_grow(void *array, uint32_t *n, uint32_t wanted, size_t size);

/* Appends the frames at a pc of the run, outermost first: of a call if it is not exact. */
void frames_at(struct srcmap *m, uint32_t module, uint64_t pc, bool exact, struct frame_list *list);

/* code.c: a run made by srcmap_of_program; NULL is none. */
void srcmap_free_run(struct run *run);

/* unwind.c: the calls of a recorded stack, innermost first; how many of the `most` there is room
 * for. */
struct unwound {
	uint32_t module;
	uint64_t pc; /* of the run */
	bool exact;  /* the instruction itself, not the address behind a call */
};
uint32_t unwind(struct srcmap *m, const struct stack *s, struct unwound *calls, uint32_t most);
void unwinder_free(struct unwinder *u);

/* The name under which a file of DWARF is shown; `directory` is where it was compiled. */
const char *files_name(struct source_files *files, const char *directory, const char *path);
/* The file of that shown name with its text, NULL if it cannot be read. */
const struct source_file *files_text(struct source_files *files, const char *shown);
void files_free(struct source_files *files);

#endif
