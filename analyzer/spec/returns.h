/* SPDX-License-Identifier: MIT
 *
 * What a function returns, as far as the text of its source shows it: constants that may mean that
 * something failed or that there is nothing.
 */
#ifndef LINCHPIN_SPEC_RETURNS_H
#define LINCHPIN_SPEC_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

struct returns {
	bool known;            /* the function was found in the source */
	bool zero, one, minus; /* 0 (NULL, false), 1 (true), -1 is returned */
	bool error;            /* an error number: -EINVAL, EBUSY */
	bool truth;            /* a comparison or the like */
	bool other;            /* anything else */
	unsigned nconstants;   /* different constants, without error numbers */
	int64_t constant;      /* one of them, the one that looks most like "nothing" */
	bool succeeds;         /* something is stored through the pointer, and then */
	int64_t success;       /* this is returned; otherwise another constant is */
};

/* `text` is that of the source file, in which the function begins in this line (from 1). `pointer`
 * is the parameter by which it gives a result, NULL: none. */
void returns_read(const char *text, const char *function, unsigned line, const char *pointer,
		  struct returns *out);

#endif
