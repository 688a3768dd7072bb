/* SPDX-License-Identifier: MIT
 *
 * lin/ decides whether histories are linearizable; this folder itself has histories, specifications
 * and the problem that is made of both, and includes base/ only. Of its folders, adt/ has the
 * specifications, monitor/ the fast algorithms, search/ the general one, check/ the decision,
 * explain/ the reasons, format/ the readers of files, picture/ the drawings; what they may include
 * is in tests/layers/table.
 *
 * Is a history linearizable? One entry for all specifications and algorithms.
 */
#ifndef LINCHPIN_LIN_LIN_H
#define LINCHPIN_LIN_LIN_H

#include "lin/history.h"

struct adt;

/* A built-in specification by name ("set", "stack", ...), NULL if there is none. */
const struct adt *adt_find(const char *name);

enum lin_verdict {
	LIN_OK,
	LIN_VIOLATION,
	LIN_UNKNOWN, /* out of time or memory */
};

struct lin_options {
	/* for objects without one; NULL: such objects are an error */
	const char *specification;
	double seconds;     /* one deadline for the whole check; 0: none */
	size_t memory;      /* bytes for memo tables, all together; 0: a default of 1 GiB */
	int workers;        /* threads to use; 0 or 1: none but the caller's */
	bool general_only;  /* do not use the monitors (for tests) */
	bool witness;       /* compute result->witness and result->why on a violation */
	bool linearization; /* compute result->order on success */
};

struct lin_result {
	enum lin_verdict verdict;
	uint32_t object; /* the object that is not linearizable (or unknown) */
	uint32_t *witness;
	size_t nwitness; /* indices of operations; a minimal failing core */
	char *why;       /* one sentence in the words of the API, or NULL */
	uint32_t *order;
	/* a linearization; for LIN_UNKNOWN the deepest partial one; for LIN_VIOLATION, if both a
	 * witness and a linearization were asked for, the deepest partial one of the witness */
	size_t norder;
};

/* Checks the history. 0 and *result, or -1 and *e if it cannot be checked at all (an operation the
 * specification does not know, a missing specification, ...). Free the result with lin_result_free.
 * A tiny history costs microseconds. */
int lin_check(const struct history *h, const struct lin_options *options, struct lin_result *result,
	      struct error *e);
void lin_result_free(struct lin_result *result);

/* What each object holds after each operation of an order, as text in the words of the API: "[1, 2]",
 * "{3}", "7", cut if it is long. By position in the order, malloc; NULL where it is not known (after an
 * operation that is not possible there, and for specifications whose states only they know).
 * wanted[i] is whether the text behind order[i] is asked for; NULL: all. NULL and *e if the history
 * cannot be checked. */
char **lin_states(const struct history *h, const struct lin_options *options, const uint32_t *order,
		  size_t norder, const bool *wanted, struct error *e);
void lin_states_free(char **states, size_t n);

#endif
