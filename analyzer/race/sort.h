/* SPDX-License-Identifier: MIT
 *
 * Which accesses are atomic. Compiler hooks say it. In machine code only locked instructions say it; of an
 * aligned load or store the type of the variable decides, if it is known: _Atomic, std::atomic and
 * volatile. If it is another type, the access may still have been made by a builtin function; the line of
 * the source, and locked instructions on the same variable, are taken for signs of that. And compilers
 * read memory before the condition under which the program does, and use the value or not: a read of
 * machine code alone shows no race. They do not invent writes.
 */
#ifndef LINCHPIN_RACE_SORT_H
#define LINCHPIN_RACE_SORT_H

#include "race/race.h"
#include "race/sync.h"

struct sorter;

struct sorter *sorter_new(const struct run *run, struct srcmap *map, unsigned options);
void sorter_free(struct sorter *s);

/* The sort of each event of the trace: enum access_sort. */
void sorter_read(struct sorter *s, const struct trace *t, uint8_t *sorts);

#endif
