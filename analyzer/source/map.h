/* SPDX-License-Identifier: MIT
 *
 * source/ finds lines, functions and variables in debug information. It includes base/ and run/.
 *
 * Where in the source a site of a run is, and what a location is called, from the DWARF and the
 * symbols of the modules on disk (libdw). Separate debug files are found by build-id or debug link,
 * as other tools do.
 *
 * Everything that is returned belongs to the map and is valid, at the same address, until
 * srcmap_close. The map follows the tables of its run as they grow; close it before the run.
 */
#ifndef LINCHPIN_SOURCE_MAP_H
#define LINCHPIN_SOURCE_MAP_H

#include "run/trace.h"
#include "source/frame.h"

struct srcmap;

/* NULL and *e if a module was rebuilt since the run: lines would be wrong. What only limits the map
 * (a module that is gone, that has no debug information) is a warning, see srcmap_warnings. */
struct srcmap *srcmap_open(const struct run *run, struct error *e);
void srcmap_close(struct srcmap *m);

/* The frames of a site, outermost first, the access itself last; inlined functions are frames.
 * Files are relative to the working directory where they are below it. 0 frames only if site is
 * NONE or not in the table. A frame in code without debug information has no file and line 0; its
 * function is the symbol, or NULL. */
uint32_t srcmap_frames(struct srcmap *m, uint32_t site, const struct source_frame **frames);
/* The innermost frame, NULL if there is none. */
const struct source_frame *srcmap_frame(struct srcmap *m, uint32_t site);
/* The innermost frame that has a line and is not one of linchpin.h, else the innermost frame. */
const struct source_frame *srcmap_known_frame(struct srcmap *m, uint32_t site);
/* The frames of a recorded stack in the same form. They may be those of libraries, too; the runtime's
 * are left out. 0 if stack is NONE. */
uint32_t srcmap_stack(struct srcmap *m, uint32_t stack, const struct source_frame **frames);
/* Has this frame a line in the program or a library of its own, and not in a header of the system? */
bool srcmap_in_program(const struct srcmap *m, const struct source_frame *f);
/* How many of the frames of a site remain without those at its end that are in headers and libraries
 * of the system: what the program itself does there. All of them if none would remain. */
uint32_t srcmap_own_frames(struct srcmap *m, uint32_t site, const struct source_frame **frames);
/* The innermost of these if it is in the program, else srcmap_known_frame(). */
const struct source_frame *srcmap_own_frame(struct srcmap *m, uint32_t site);
/* The name of the library of the system that a frame is in; NULL if it is in none. */
const char *srcmap_library(const struct srcmap *m, const struct source_frame *f);

/* Where a thread's start routine begins; NULL if it is not known. */
const struct source_frame *srcmap_thread_start(struct srcmap *m, uint32_t thread);

/* "file.c:41", with ":7" for the column if asked for; "pop+0x1f", "my_test+0x11e9" or "?" where
 * there is no line. */
const char *srcmap_place(struct srcmap *m, const struct source_frame *f, bool column);

/* The same without the directory and the column, for where there is little room. */
const char *srcmap_short_place(struct srcmap *m, const struct source_frame *f);

/* Line `line` (from 1) of a source file without its newline, or NULL. */
const char *srcmap_line_text(struct srcmap *m, const char *file, uint32_t line);

/* The line of the file at which the function around a line begins; 0 if that is not known. */
uint32_t srcmap_function_line(struct srcmap *m, const char *file, const char *function, uint32_t line);

/* A location in words: "items[2]", "stack.top", "counter+4", "heap T0.1#3+8", "stack T0.1-16",
 * "0x7f12...". */
const char *srcmap_location(struct srcmap *m, uint32_t location);
/* The same in that trace: what is in a block of the heap is named by its type, "heap T0.1#3.next", if it is
 * known from where it was allocated. */
const char *srcmap_location_in(struct srcmap *m, const struct trace *t, uint32_t location);
/* The same for the address of an object, which is the whole of what begins there: "stack", not its
 * first member. Free it. */
char *srcmap_object(struct srcmap *m, uint32_t location);

/* What the type of the variable at a location says about accesses of it. */
enum variable_sort {
	VARIABLE_UNKNOWN, /* no variable is known there */
	VARIABLE_PLAIN,
	VARIABLE_VOLATILE,
	VARIABLE_ATOMIC, /* _Atomic, std::atomic, atomic_flag */
};
enum variable_sort srcmap_variable_sort(struct srcmap *m, uint32_t location);
/* Was the event of a site announced by a compiler hook, not seen in machine code (assembly, files without
 * hooks)? */
bool srcmap_by_hook(struct srcmap *m, uint32_t site);
/* Does anything say that the compiler optimized the code of a site, and may have moved accesses there? */
bool srcmap_optimized(struct srcmap *m, uint32_t site);

/* A name of a symbol table as people write it: of C++ "std::vector::at". It stays. */
const char *symbol_shown(const char *name);

/* The map as the interface that the computation of repairs wants. */
struct source_map srcmap_source(struct srcmap *m);

/* What limited the positions given out so far, a line each, every line once in the life of the
 * map. */
void srcmap_warnings(struct srcmap *m, FILE *out);

#endif
