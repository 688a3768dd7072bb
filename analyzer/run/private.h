/* SPDX-License-Identifier: MIT
 *
 * What reader.c and trace_reader.c share: the state behind a struct run.
 */
#ifndef LINCHPIN_RUN_PRIVATE_H
#define LINCHPIN_RUN_PRIVATE_H

#include "run/places.h"
#include "run/trace.h"

/* More entries than this in a table or events in a class cannot be right. */
#define READER_MAX_ENTRIES (1U << 28)

struct run_private {
	int fd;
	char *path; /* of the trace */

	/* A window of the file: `have` bytes from `start`. */
	uint8_t *window;
	size_t window_size, have;
	uint64_t start;

	uint64_t most;	  /* no record from this offset on counts */
	uint64_t least;	  /* so many bytes the search has written, as far as that is known */
	uint64_t scanned; /* the tables hold what all records before this offset say */
	uint32_t classes; /* among them */
	bool broken;      /* the record there is damaged, as `failure` says */
	struct error failure;
	struct places places;
	uint64_t next_class; /* that run_next reads */

	/* The class decoded last (its number, 0 if there is none): later ones share its
	 * beginning. */
	uint64_t base;
	struct event *events;
	uint32_t nevents, events_capacity;
	struct operation *ops;
	uint32_t nops, ops_capacity;
	uint32_t *outer; /* per operation: the one around it in its thread, or NONE */
	uint32_t outer_capacity;
	uint32_t *current; /* per thread: its innermost open operation, or NONE */
	uint32_t current_capacity;

	uint32_t *region_slots; /* hash table of region id + 1 by (type, a, b); 0 is free */
	uint32_t region_mask;
	uint32_t *region_first; /* per region: a location of it */
	uint32_t region_capacity;

	uint32_t modules_capacity, contexts_capacity, sites_capacity, locations_capacity;
	uint32_t threads_capacity, objects_capacity, strings_capacity, notes_capacity, limits_capacity, leaks_capacity;
	uint32_t stacks_capacity;
	uint32_t module_records;
};

/* The bytes of one record's body being read. */
struct cursor {
	const uint8_t *p, *end;
	const uint8_t *body; /* where the body begins, ... */
	uint64_t offset;     /* ... and its offset in the file */
	struct run *run;
	struct error *e;
};

/* Fills the error: file, byte, what is wrong, what to do. Returns -1. */
int cursor_broken(struct cursor *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cursor_varint_slow(struct cursor *c, uint64_t *v);

static inline int cursor_varint(struct cursor *c, uint64_t *v)
{
	if (c->p < c->end && *c->p < 0x80) {
		*v = *c->p++;
		return 0;
	}
	return cursor_varint_slow(c, v);
}

int cursor_byte(struct cursor *c, uint8_t *v);
int cursor_svarint(struct cursor *c, int64_t *v);
/* A varint that must be below `limit`; `what` names it in the message. */
int cursor_id(struct cursor *c, uint32_t limit, const char *what, uint32_t *id);
/* An id + 1, where 0 stands for NONE. */
int cursor_id_or_none(struct cursor *c, uint32_t limit, const char *what, uint32_t *id);

/* Adds what a record that is not a class says to the tables of the run. */
int tables_add(struct cursor *c, unsigned type);

/* Adds the stack of an LP_REC_STACK record. */
int add_stack(struct cursor *c, struct run *run);

/* Decodes the event at the cursor, in the base of the run. *thread: of the event before, then of
 * this one. */
int decode_event(struct cursor *c, struct event *ev, uint32_t *thread);
int decode_outcome(struct cursor *c, struct trace *t);
/* Drops the events of the base from `keep` on, and what they did to operations. */
void truncate_base(struct run *run, uint32_t keep);

/* As run_next, without a copy: events and operations of *t are the run's own, up to its next call, and NULL
 * before trace_free. Its threads are not counted. */
int run_look(struct run *run, struct trace *t, struct error *e);

/* Makes `to` (malloc'd, of *capacity elements) hold a copy of n elements; returns where it is
 * now. */
void *trace_copy_array(void *to, uint32_t *capacity, const void *from, uint32_t n, size_t size);

#endif
