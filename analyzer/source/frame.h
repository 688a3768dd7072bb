/* SPDX-License-Identifier: MIT
 *
 * Positions in the source, for code that works without DWARF and without files.
 */
#ifndef LINCHPIN_SOURCE_FRAME_H
#define LINCHPIN_SOURCE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* One function on the stack of an event. Functions that the compiler inlined are frames like any
 * other. */
struct source_frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown */
	uint32_t line; /* of the access, or of the call that leads to the next frame; 0: unknown */
	uint32_t column; /* 0: unknown */
	/* tells positions on one line apart, and puts them in order: the program counter of the
	 * access or the return address of the call; for a call that was inlined, the first address
	 * of the inlined body. Distinct modules have distinct addresses. */
	uint64_t address;
	/* the compiler made one instruction of several statements and gave it no line: they are
	 * between `line` and this one. Else 0 */
	uint32_t until;
	/* the same for code of one execution of a statement, another one in each copy of it that the
	 * compiler has made; 0: not known, or what follows was inlined there */
	uint64_t statement;
	bool inlined; /* the call that leads to the next frame was inlined */
};

static inline uint32_t frame_last_line(const struct source_frame *f)
{
	return f->until > f->line ? f->until : f->line;
}

/* What the source map must offer. */
struct source_map {
	/* The frames of a site, outermost (the thread's start) first, the access itself last; 0 if
	 * nothing is known. Everything stays valid, at the same address, as long as the source map
	 * lives. */
	uint32_t (*frames)(void *data, uint32_t site, const struct source_frame **frames);
	/* The text of a source file (a `file` of some frame), NUL-terminated, or NULL; used to find
	 * loops. The callback itself may be NULL. The text need not outlive the next call. */
	const char *(*text)(void *data, const char *file);
	void *data;
	/* What an event at the site does (enum lp_kind); may be NULL. */
	unsigned (*kind)(void *data, uint32_t site);
	/* How many of the frames are the program's own, without those at the end that are in headers and
	 * libraries of the system; may be NULL: all are. */
	uint32_t (*own)(void *data, uint32_t site);
};

#endif
