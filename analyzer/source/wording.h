/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_SOURCE_WORDING_H
#define LINCHPIN_SOURCE_WORDING_H

#include "source/map.h"

#define MAX_ARGUMENTS 8

/* Which call it is in a statement, and which of its arguments make the size. */
struct asked {
	const char *callee; /* NULL: what allocates, of libc or the language */
	unsigned arguments; /* a bit for each; not of those */
	bool several;       /* what was called makes an array of such */
};

enum wording_sort {
	WORDING_NONE,
	WORDING_TYPE,       /* `sizeof *n`, `sizeof(struct node)`, `new node` */
	WORDING_PARAMETERS, /* only variables, which may be parameters */
};

struct wording {
	char name[64];
	bool pointee; /* of that variable: `sizeof *n` */
	bool tagged;  /* `struct node`, no variable */
	bool several; /* it may be an array of such */
	bool more;    /* something is added */
	bool by_new;
	uint64_t elements; /* `new node[3]`; 0: not said */
	char names[2][64]; /* the variables */
	unsigned nnames;
};

/* What the statement of the frame says of the size of the block. */
enum wording_sort wording_read(struct srcmap *m, const struct source_frame *f, const struct asked *asked,
			       struct wording *w);

#endif
