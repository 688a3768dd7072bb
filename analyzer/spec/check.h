/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_SPEC_CHECK_H
#define LINCHPIN_SPEC_CHECK_H

#include "spec/file.h"

/* Is this a specification, with the parameters that it needs? 0, or -1 and *e with the place. */
int spec_check_object(const struct spec_file *f, const struct spec_object *o, struct error *e);

/* Does the specification have this operation, and is every name that is used one that is given, and
 * the other way round? */
int spec_check_op(const struct spec_file *f, const struct spec_op *op, struct error *e);

#endif
