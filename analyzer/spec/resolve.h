/* SPDX-License-Identifier: MIT
 *
 * From a specification file and a program to what the runtime reads (RUNDIR/ops, see
 * format/run_dir.h).
 */
#ifndef LINCHPIN_SPEC_RESOLVE_H
#define LINCHPIN_SPEC_RESOLVE_H

#include "spec/file.h"
#include "spec/functions.h"

/* 0 and the text, to free; or -1 and *e with "FILE:LINE:COLUMN: error: ...": a function that the
 * program does not have, that was inlined, a value that cannot be read. */
int spec_resolve(const struct spec_file *s, const struct functions *f, char **text,
		 struct error *e);

/* Can one operation of the file be resolved? As above; for proposals. */
int spec_resolve_op(const struct spec_file *s, const struct spec_op *op, const struct functions *f,
		    struct error *e);

#endif
