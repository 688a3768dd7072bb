/* SPDX-License-Identifier: MIT
 *
 * cover/ says what an exploration has tried. It includes base/, format/, run/, source/ and repair/.
 *
 * A statement is a line of the source. Of the lines of operations it is known
 *
 *	ran            whether some of their code has run, in any execution (marks.h). Lines without code of their
 *	               own are not there: what a compiler has merged or moved away has no line
 *	steps          whether they were seen to access memory that is not a thread's own stack
 *	conflicts      and with effects on another thread's step, or seeing effects of it
 *	overlapped     whether such a step could come while an operation of another thread was not
 *	               finished: in some class, it need be neither before its call nor after its return
 *
 * and of lines with conflicts that follow each other in an operation whether another thread's step came in
 * between: one that comes after what the operation has done, and before what it still does. If none ever
 * does, everything that was seen is as if these lines were atomic. Orders are those that all executions of a class have
 * in common.
 */
#ifndef LINCHPIN_COVER_COVER_H
#define LINCHPIN_COVER_COVER_H

#include "run/trace.h"
#include "source/map.h"

struct covered_line {
	const char *file, *function; /* of the map */
	uint32_t line;
	int8_t ran; /* -1: not known */
	bool acts; /* a step that compilers do not make for nothing, as they may read */
	bool steps, conflicts, overlapped; /* conflicts: it is in a pair */
};

/* Two lines of different threads, or one line in two, whose accesses conflict; by file and line, a first. */
struct covered_pair {
	uint32_t a, b; /* indices of lines */
	/* Was a seen before b, and b before a? Of one line: that of the thread that was made first, and the
	 * other one. */
	bool a_first, b_first;
	uint32_t location; /* of one such access */
};

/* Lines of one function, one or more, in which no other thread's step ever came in between. */
struct covered_block {
	uint32_t first, last; /* indices of lines with conflicts */
};

/* Operations of one name. */
struct covered_operation {
	uint32_t name; /* string id */
	bool overlapped;
};

/* A function that was not called at all, in a file that operations are in. */
struct uncalled {
	const char *file, *function;
	uint32_t line; /* the first one with code */
};

struct coverage_result {
	struct covered_line *lines; /* by file and line */
	uint32_t nlines, code, ran, steps, conflicts, overlapped; /* code: of which it is known whether they ran */
	struct covered_pair *pairs;
	uint32_t npairs, both;
	/* A thread has no steps while there is no other one: that an operation never overlapped is then all that is
	 * known of its lines. */
	struct covered_operation *operation_list;
	uint32_t noperations;
	struct covered_block *blocks;
	uint32_t nblocks;
	struct uncalled *uncalled;
	uint32_t nuncalled;
	uint64_t classes; /* that were looked at */
	bool operations;  /* else the whole program is one */
	bool marked;      /* RUNDIR/coverage is there */
};

struct coverage;

/* The run and the map must outlive it. Free it. */
struct coverage *coverage_new(const struct run *run, struct srcmap *map);
void coverage_free(struct coverage *c);

void coverage_see(struct coverage *c, const struct trace *t);

/* Of all that was seen; it lives as long as *c. */
const struct coverage_result *coverage_finish(struct coverage *c);

#endif
