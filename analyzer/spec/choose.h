/* SPDX-License-Identifier: MIT
 *
 * spec/ reads and proposes specification files, and finds the functions that they name. It includes
 * base/, source/ and lin/.
 *
 * Finds the specification file of a program and resolves it.
 */
#ifndef LINCHPIN_SPEC_CHOOSE_H
#define LINCHPIN_SPEC_CHOOSE_H

#include "base/util.h"

struct spec_choice {
	char *file;                /* the specification file, NULL: none */
	const char *specification; /* a name, for objects without one; NULL: none */
	bool propose;              /* no specification was given, and the program has no marks */
	bool asked;                /* the user said what to check */
};

/*
 * `given` is what --spec says, NULL: nothing; then LINCHPIN_SPEC, then PROGRAM.lin if that exists.
 * A text is a file if it ends in .lin or names a file that is no shared object; `none` is nothing,
 * and nothing is proposed then, as if `check` is "none". Free with spec_choice_free.
 */
int spec_choose(const char *program, const char *given, const char *check,
		struct spec_choice *choice, struct error *e);
/* The same for what is recorded already: only a name can still be chosen. */
int spec_choose_name(const char *given, struct spec_choice *choice, struct error *e);
void spec_choice_free(struct spec_choice *choice);

/* LINCHPIN_SPEC if it is the name of a specification and no file; else NULL. */
const char *spec_from_environment(void);

/* Resolves the chosen file, or a proposal, against the program: what the runtime reads, to free;
 * NULL if there is nothing to say. A proposal that is used is printed unless quiet. */
int spec_make(const struct spec_choice *choice, const char *program, bool quiet, char **text,
	      struct error *e);

/* Writes it to the file `to`, or removes that if the text is NULL. */
int spec_save(const char *text, const char *to, struct error *e);

/* Prints the error as compilers do if it has a place in a file; EXIT_MISUSE. */
int spec_print(const struct error *e);

#endif
