/* SPDX-License-Identifier: MIT
 *
 * What `generate` and `stress` have in common: their options, and the place where clients are built.
 */
#ifndef LINCHPIN_COMMAND_CLIENT_OPTIONS_H
#define LINCHPIN_COMMAND_CLIENT_OPTIONS_H

#include "client/emit.h"
#include "client/enumerate.h"
#include "client/sequential.h"
#include "command/options.h"

struct client_options {
	const char *spec, *compiler;
	uint64_t threads, operations, before, values, size, clients;
};

extern const struct client_options client_options_standard;

/* clang-format off */
#define CLIENT_ROWS(o)                                                                             \
	{ "spec", 0, OPTION_TEXT, "FILE", &(o)->spec,                                              \
	  "the specification file: operations, and how an object is made" },                       \
	{ "threads", 0, OPTION_NUMBER, "N", &(o)->threads, "threads, at most (3)" },               \
	{ "operations", 0, OPTION_NUMBER, "N", &(o)->operations,                                   \
	  "operations of a thread, at most (3)" },                                                 \
	{ "before", 0, OPTION_NUMBER, "N", &(o)->before,                                           \
	  "operations before the threads start, at most (3)" },                                    \
	{ "values", 0, OPTION_NUMBER, "N", &(o)->values,                                           \
	  "values of arguments of which the file says nothing (3)" },                              \
	{ "size", 0, OPTION_NUMBER, "N", &(o)->size, "operations of a client, at most (8)" },      \
	{ "clients", 0, OPTION_NUMBER, "N", &(o)->clients, "stop after N clients (0: as by default)" }, \
	{ "cc", 0, OPTION_TEXT, "COMPILER", &(o)->compiler, "the compiler ($CC, or cc)" }
/* clang-format on */

struct workshop {
	const struct client_options *options;
	struct enumerate_bounds bounds;
	struct spec_file spec;
	struct functions functions;
	struct alphabet alphabet;
	struct emitter emitter;
	struct sequential *sequential; /* NULL: nothing is known of sequential runs */
	char *directory;               /* a temporary one */
	char **objects;                /* what clients are linked with; NULL-terminated */
};

/* Reads the specification and what debug information says about the objects. 0, or -1 and *e.
 * Call workshop_end in both cases. */
int workshop_begin(struct workshop *w, const struct client_options *options, char **objects,
		   struct error *e);
void workshop_end(struct workshop *w);
/* Compiles the text, as `source`, with the objects. 0, or -1 and *e. */
int workshop_compile(const struct workshop *w, const char *text, const char *source,
		     const char *program, struct error *e);
/* How a user does it; to free. */
char *workshop_command(const struct workshop *w, const char *source, const char *program);
/* A file in the temporary directory; to free. */
char *workshop_path(const struct workshop *w, const char *name);

/* Clients of a size that are worth running: one of each choice of operations, then another one of
 * each, those first whose operations conflict. */
struct client_list {
	struct client *list;
	size_t n, trivial; /* trivial: left out, as sequential runs show that nothing can happen */
	bool all;          /* no other ones have this size */
};

void workshop_clients(const struct workshop *w, unsigned size, struct client_list *out);

int write_text_file(const char *path, const char *text, struct error *e);

#endif
