/* SPDX-License-Identifier: MIT
 *
 * The tables of a joined trace: what parts define, numbered anew (join.c).
 */
#ifndef LINCHPIN_RUN_JOIN_TABLES_H
#define LINCHPIN_RUN_JOIN_TABLES_H

#include "base/numbering.h"
#include "run/trace.h"

/* The body of the record that is being made. */
struct record {
	unsigned char *bytes;
	size_t n, capacity;
};

struct join_tables {
	FILE *to, *modules_file; /* NULL: nowhere */
	uint64_t bytes; /* written */
	struct record record;
	struct numbering strings, modules, contexts, sites, locations, stacks;
	struct numbering objects, notes, limits; /* those that were written */
	struct module *builds; /* by the numbers of modules */
	uint32_t nbuilds, builds_capacity;
	char *rebuilt; /* the path of a module of which there are several builds; NULL: of none */
	struct thread_info *threads;
	uint32_t nthreads, threads_capacity;
};

/* A part: for each of its ids that was used, the one in the joined trace; NONE. */
struct join_part {
	struct join_tables *tables;
	struct run *run;
	uint32_t *strings, *modules, *contexts, *sites, *locations, *stacks;
};

/* A line of RUNDIR/modules, as the runtime writes it. */
void join_module_line(FILE *to, uint32_t id, const struct module *m);

/* What a trace defines that was written before. */
void join_tables_know(struct join_tables *t, struct run *run);
void join_tables_free(struct join_tables *t);

void join_part_begin(struct join_part *p, struct join_tables *t, struct run *run);
void join_part_end(struct join_part *p);

/* Each gives the id in the joined trace of what has this id in the part, and defines it there if need be. */
uint32_t join_string(struct join_part *p, uint32_t id);
uint32_t join_site(struct join_part *p, uint32_t id);
uint32_t join_location(struct join_part *p, uint32_t id);
uint32_t join_stack(struct join_part *p, uint32_t id);
void join_thread(struct join_part *p, uint32_t id); /* threads have the same ids in all parts */

/* Objects, notes and limits. */
void join_said(struct join_part *p);

void put_byte(struct record *r, unsigned v);
void put_varint(struct record *r, uint64_t v);
void put_svarint(struct record *r, int64_t v);
/* Writes the record that was made. */
void join_record(struct join_tables *t, unsigned type);

#endif
