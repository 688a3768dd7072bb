/* SPDX-License-Identifier: MIT
 *
 * The specification `self`: what the structure does when operations run one at a time. The program
 * of a run is executed with its operations in every order that its threads allow; what is seen is
 * what other executions are allowed to show.
 */
#ifndef LINCHPIN_JUDGE_SELF_H
#define LINCHPIN_JUDGE_SELF_H

#include "lin/orders.h"
#include "run/trace.h"

struct self;

/* Is that the specification's name? NULL is none. */
bool self_named(const char *specification);

/* Does an object of the run, or `specification` (may be NULL), name it? Objects become known as the
 * run is read. */
bool self_wanted(const struct run *run, const char *specification);

/* The sequential executions in RUNDIR/self, made first if they are not there. NULL and *e on
 * failure; free it with self_free. */
struct self *self_open(const struct run *run, struct error *e);
void self_free(struct self *s);

/* Have all sequential executions been seen? Otherwise what was not seen may still be allowed. */
bool self_complete(const struct self *s);

const struct orders *self_orders(const struct self *s);
/* Where the orders of an object begin (a location of any run of the same program), and the symbol
 * of an operation. */
uint32_t self_root(struct self *s, const struct run *run, uint32_t location);
uint32_t self_symbol(struct self *s, const struct run *run, const struct operation *op);

#endif
