/* SPDX-License-Identifier: MIT
 *
 * lin/picture/ includes lin/format/, lin/ and base/.
 *
 * A checked history as a picture: threads as rows, operations as bars, the witness marked, and the
 * point after which no order of the operations explains what has returned. picture.c chooses what
 * is shown and lays it out; axis.c and order.c add the times, the order and what the objects hold;
 * html.c and svg.c draw it.
 */
#ifndef LINCHPIN_LIN_PICTURE_PICTURE_H
#define LINCHPIN_LIN_PICTURE_PICTURE_H

#include "lin/lin.h"

struct picture_op {
	uint32_t op;  /* index in history->ops */
	uint32_t row; /* index in picture->rows */
	/* in the row: operations of one thread that overlap are in different lanes */
	uint32_t lane;
	uint32_t witness; /* its number in the witness from 1; 0: not part of it */
	uint32_t order;   /* its number in result->order from 1; 0: not part of it */
	double x, end; /* of the bar, in pixels; end is the picture's width if it never returned */
	char *label;   /* "push(7) -> true", in full */
	size_t next;   /* the next operation of the row; SIZE_MAX: none */
};

struct picture_row {
	int32_t thread;
	uint32_t lanes;
	size_t first; /* its first operation */
};

/* Operations left out between two events. */
struct picture_gap {
	double x;
	size_t count;
};

struct picture {
	const struct history *h;
	const struct lin_result *result;
	const char *name;       /* of the file */
	struct picture_op *ops; /* by time of call */
	size_t nops;
	struct picture_row *rows;
	size_t nrows;
	struct picture_gap *gaps;
	size_t ngaps;
	size_t omitted; /* operations that are not in the picture */
	double width;
	/* index in ops: with its return the history became impossible; UINT32_MAX: none */
	uint32_t illegal;
	/* by position in result->order: what the object holds then, or NULL; see picture_add_states */
	char **states;
};

/* A time at the axis. */
struct picture_tick {
	double x;
	int64_t time;
};

/* Chooses at most `limit` operations: the witness and what surrounds it. h and result must outlive
 * the picture. */
void picture_init(struct picture *p, const struct history *h, const struct lin_result *result,
		  const char *name, size_t limit);
void picture_free(struct picture *p);

/* Adds what the objects hold after each operation of the order; the options are those of the check.
 * Without it, or if it is not known, nothing is said about that. */
void picture_add_states(struct picture *p, const struct lin_options *options);
/* That of an operation, NULL if there is none. */
const char *picture_state(const struct picture *p, const struct picture_op *op);

/* Is the order that of the operations shown? On a violation it is one of the witness only. */
bool picture_has_order(const struct picture *p);

/* For each operation that has a number in the order: an x inside its bar, growing in that order.
 * Free it. */
double *picture_points(const struct picture *p);

/* The times of calls and returns, so many that their texts, `digit` pixels a digit, do not touch.
 * *base is what is subtracted from all of them: 0 unless they are long. Free it. */
struct picture_tick *picture_ticks(const struct picture *p, double digit, size_t *n, int64_t *base);

/* Writes [s, s+n) for markup: < > & " ' escaped, control characters and what is no UTF-8
 * replaced. */
void picture_escape(FILE *to, const char *s, size_t n);

#define PICTURE_HTML_LIMIT 3000
#define PICTURE_SVG_LIMIT  120

/* One self-contained page, one image. The caller checks the stream for errors (ferror). */
void picture_html(FILE *to, const struct picture *p);
void picture_svg(FILE *to, const struct picture *p);

#endif
