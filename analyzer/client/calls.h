/* SPDX-License-Identifier: MIT
 *
 * Calls of a program's functions as C text, from debug information.
 */
#ifndef LINCHPIN_CLIENT_CALLS_H
#define LINCHPIN_CLIENT_CALLS_H

#include "spec/file.h"
#include "spec/functions.h"

/* What debug information says of the function; NULL and *e. */
const struct fn_instance *calls_find(const struct functions *f, const char *name, struct error *e);
/* Can all parameters be written? 0, or -1 and *e. */
int calls_possible(const struct functions *f, const char *name, struct error *e);

bool calls_return_nothing(const struct functions *f, const char *name);
/* Does some operation of the first object say which object it is about? */
bool calls_have_object(const struct spec_file *spec);
/* How large it is, 0 if that is not known; and its type, "struct list *", NULL if there is none. */
uint64_t calls_object_size(const struct spec_file *spec, const struct functions *f);
const char *calls_object_type(const struct spec_file *spec, const struct functions *f);

/* The prototype. */
void calls_declare(FILE *out, const struct functions *f, const char *name);
/* The call of an operation of `object`, with these texts as its arguments. */
void calls_write(FILE *out, const struct spec_file *spec, const struct functions *f,
		 const struct spec_op *op, const char *const *args);

#endif
