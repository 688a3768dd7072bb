/* SPDX-License-Identifier: MIT
 *
 * One trace of several: the classes of run directories, one after the other, with the names of one.
 * What a trace defines is defined again where it is first used, so the bytes depend on the classes and
 * their order alone.
 */
#ifndef LINCHPIN_RUN_JOIN_H
#define LINCHPIN_RUN_JOIN_H

#include "base/util.h"
#include "format/run_dir.h"

struct joined;
struct module;

/* Are these the same module, but not the same build? */
bool module_rebuilt(const struct module *a, const struct module *b);

/* Goes on with the trace of a run directory, of which so many bytes and classes count; 0 bytes: a new one.
 * keys: parts may have equal classes, and RUNDIR/keys of each tells (LINCHPIN_PART). NULL and *e. */
struct joined *join_open(const char *directory, uint64_t bytes, bool keys, struct error *e);

/* Appends a part, and adds its counts to *s. `of`: only what is there by this status; NULL: all. -1 and *e. */
int join_add(struct joined *j, const char *part, const struct lp_status *of, struct lp_status *s, struct error *e);

/* Everything that was appended is in the files; join_sync: and on the disk. -1 and *e. */
int join_flush(struct joined *j, struct error *e);
int join_sync(struct joined *j, struct error *e);

/* NULL: nothing. */
void join_close(struct joined *j);

#endif
