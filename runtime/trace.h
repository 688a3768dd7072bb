/* SPDX-License-Identifier: MIT
 *
 * Writing the trace.
 */
#ifndef LP_RUNTIME_TRACE_H
#define LP_RUNTIME_TRACE_H

#include "event.h"
#include "leaks.h"

#include <stddef.h>
#include <stdint.h>

void trace_init(char **argv);
void trace_class(void);   /* writes the log of this execution as a class */
void trace_restart(void); /* forgets the classes written */
void trace_finish(void);

void trace_object(uint64_t addr, const char *specification);
void trace_note(const char *text);
void trace_leaks(struct leak *list, unsigned n);

/* A bound of the search (LP_LIMIT_*) was reached, at this event; named: by a call of this name. */
void limit_reached(unsigned limit, const struct event *e);
void limit_named(unsigned limit, const struct event *e, const char *name);

/* The trace's name for an address; what an event needs of names. */
uint32_t location_now(uint64_t addr);
struct ids ids_of(const struct event *e);

/* Room for a record's body; the record is there once it is committed with the length it has. */
uint8_t *writer_record(size_t max);
void writer_commit(unsigned type, size_t length);

void put_varint(uint8_t **p, uint64_t v);
static inline void put_svarint(uint8_t **p, int64_t v)
{
	put_varint(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

#endif
