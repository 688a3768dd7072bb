/* SPDX-License-Identifier: MIT
 *
 * client/ makes clients: small programs that call the operations of a specification file. It
 * includes base/, source/, lin/ and spec/.
 *
 * A client as it is enumerated: which operation with which values, by thread. Values that are only
 * to differ (`fresh`) are not chosen yet.
 */
#ifndef LINCHPIN_CLIENT_CLIENT_H
#define LINCHPIN_CLIENT_CLIENT_H

#include "spec/file.h"

struct adt;
struct adt_method;

#define CLIENT_MAX_OPS     12 /* those before the threads start and those of threads */
#define CLIENT_MAX_THREADS 4

/* A set of values of which arguments of one name are taken. */
struct domain {
	const char *argument;
	enum spec_values_kind kind;
	int64_t *values; /* none if they are fresh */
	uint32_t n;
};

/* An operation with the numbers of its values in their domains. */
struct symbol {
	uint32_t op; /* in spec_file.ops */
	uint8_t value[SPEC_MAX_ARGS];
	uint8_t domain[SPEC_MAX_ARGS];
};

struct alphabet {
	const struct spec_file *spec;
	struct domain *domains;
	uint32_t ndomains, domains_capacity;
	struct symbol *symbols;
	uint32_t nsymbols, symbols_capacity;
	uint32_t *single; /* by operation of the file: its line of `single` and 1; 0: none */
	bool *waits;      /* by operation of the file */
};

/* Of the first object of the file; `values` is how many an argument has of which the file says
 * nothing. */
void alphabet_make(struct alphabet *a, const struct spec_file *spec, unsigned values);
void alphabet_free(struct alphabet *a);

/* The data type of the first object, and what it says of an operation; NULL if it is not one of
 * those that are built in. */
const struct adt *client_adt(const struct spec_file *spec);
const struct adt_method *client_method(const struct spec_file *spec, uint32_t op);

struct client {
	uint16_t symbols[CLIENT_MAX_OPS]; /* in alphabet.symbols: before, then thread by thread */
	uint8_t nbefore, nthreads;
	uint8_t n[CLIENT_MAX_THREADS]; /* operations of each thread */
};

static inline unsigned client_size(const struct client *c)
{
	unsigned n = c->nbefore;

	for (unsigned t = 0; t < c->nthreads; t++)
		n += c->n[t];
	return n;
}

/* Are the operations of each `single` line in one thread? */
bool client_singles_kept(const struct alphabet *a, const struct client *c);

/* ---- with all values ---- */

#define SCRIPT_MAX_OPS 64
#define SCRIPT_GROUPS  (CLIENT_MAX_THREADS + 2)

struct script_op {
	uint32_t op; /* in spec_file.ops */
	int64_t args[SPEC_MAX_ARGS];
};

/* Group 0 is what runs before the threads, then the threads, then what runs after them. */
struct script {
	struct script_op ops[SCRIPT_MAX_OPS];
	unsigned nthreads;
	unsigned end[SCRIPT_GROUPS]; /* of each group; group g begins where the one before ends */
};

static inline unsigned script_first(const struct script *s, unsigned group)
{
	return group ? s->end[group - 1] : 0;
}

static inline unsigned script_size(const struct script *s)
{
	return s->end[s->nthreads + 1];
}

/* Chooses fresh values, and what looks at the object in the end: operations that read it, then
 * those that take out until nothing is left. */
void script_make(const struct alphabet *a, const struct client *c, struct script *s);
/* "[push(1)] {pop()}|{push(2) pop()} [pop()]"; to free. */
char *script_text(const struct spec_file *spec, const struct script *s);
/* Without the operation at that place; a thread that has none left goes. */
void script_remove(struct script *s, unsigned at);
/* The first operation of a thread, counted from 1, runs before the threads start. */
void script_hoist(struct script *s, unsigned thread);
/* The last operation of a thread runs after the threads have ended. */
void script_sink(struct script *s, unsigned thread);

#endif
