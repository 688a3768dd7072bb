/* SPDX-License-Identifier: MIT
 *
 * Clients as C source. Prototypes come from debug information, so nothing is included but what the
 * system has.
 */
#ifndef LINCHPIN_CLIENT_EMIT_H
#define LINCHPIN_CLIENT_EMIT_H

#include "client/client.h"
#include "spec/functions.h"

/* A program that names all functions that clients call, so that they are linked. To free. */
char *emit_probe(const struct spec_file *spec);

struct emitter {
	const struct spec_file *spec;
	const struct functions *functions;
	struct spec_call create; /* function NULL: there is no object */
	bool guessed;            /* nobody said how an object is made */
};

/* Finds out how an object is made, and whether all can be called. */
int emitter_make(struct emitter *m, const struct spec_file *spec, const struct functions *f,
		 struct error *e);

/* A program that runs the script that it is given as an argument (emit_argument). To free. */
char *emit_driver(const struct emitter *m);
char *emit_argument(const struct script *s);

/* A program of its own; `head` are lines for the comment at its top. To free. */
char *emit_client(const struct emitter *m, const struct script *s, const char *head);

#endif
