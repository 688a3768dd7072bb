/* SPDX-License-Identifier: MIT
 *
 * The picture as an image for documents: fixed colours on white, no script, every label written
 * out.
 */
#include "lin/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEFT   96.0 /* of the chart: room for the names of threads */
#define LANE   32.0
#define BAR    20.0
#define AXIS   24.0 /* height of the axis */
#define DIGIT  6.4  /* width of a digit at it */
#define SHOWN  34   /* characters of a label that are written */
#define MARGIN 14.0

struct drawing {
	FILE *to;
	const struct picture *p;
	double *tops;       /* of the rows */
	double top, bottom; /* of the rows */
	double width;
};

static double row_height(const struct picture_row *row)
{
	return row->lanes * LANE + 8;
}

static void escape(FILE *to, const char *s)
{
	picture_escape(to, s, strlen(s));
}

/* Bytes of the first `most` characters. */
static size_t prefix(const char *s, size_t most)
{
	size_t n = 0;

	for (; s[n]; n++) {
		if (((unsigned char)s[n] & 0xc0) != 0x80 && !most--)
			break;
	}
	return n;
}

static void write_start(const struct drawing *d)
{
	const struct picture *p = d->p;
	double height = d->bottom + AXIS + MARGIN;

	fprintf(d->to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"DejaVu Sans, Liberation Sans, Arial, "
		"sans-serif\" font-size=\"12\">\n"
		"<title>",
		d->width, height, d->width, height);
	escape(d->to, p->name);
	fputs("</title>\n", d->to);
	if (p->result->why) {
		fputs("<desc>", d->to);
		escape(d->to, p->result->why);
		fputs("</desc>\n", d->to);
	}
	fputs("<defs><linearGradient id=\"fade\"><stop offset=\"0\" stop-color=\"#fff\"/><stop "
	      "offset=\"1\" stop-color=\"#fff\" "
	      "stop-opacity=\"0\"/></linearGradient><linearGradient id=\"wash\"><stop offset=\"0\" "
	      "stop-color=\"#c8242b\" stop-opacity=\".1\"/><stop offset=\"1\" "
	      "stop-color=\"#c8242b\" stop-opacity=\"0\"/></linearGradient><pattern id=\"hatch\" "
	      "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" "
	      "stroke=\"#d0d4d8\"/></pattern></defs>\n",
	      d->to);
	fprintf(d->to, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", d->width, height);
}

/* The sentence, broken into lines. */
static double write_why(FILE *to, const char *why, double width)
{
	size_t most = (size_t)((width - 2 * MARGIN) / 6.6);
	double y = MARGIN + 10;

	most = most < 40 ? 40 : most;
	while (why && *why) {
		size_t n = prefix(why, most);

		if (why[n]) {
			size_t blank = n;

			while (blank && why[blank] != ' ')
				blank--;
			n = blank ? blank : n;
		}
		if (to) {
			fprintf(to, "<text x=\"%.0f\" y=\"%.1f\" fill=\"#8c1318\">", MARGIN, y);
			picture_escape(to, why, n);
			fputs("</text>\n", to);
		}
		y += 17;
		why += n;
		why += *why == ' ';
	}
	return y;
}

static void write_rows(const struct drawing *d)
{
	for (size_t r = 0; r < d->p->nrows; r++) {
		const struct picture_row *row = &d->p->rows[r];
		double height = row_height(row);

		fprintf(d->to,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"fill=\"%s\"/>\n",
			MARGIN, d->tops[r], d->width - 2 * MARGIN, height,
			r % 2 ? "#fff" : "#f4f5f6");
		fprintf(d->to, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#5b636b\">", MARGIN + 8,
			d->tops[r] + height / 2 + 4);
		if (row->thread >= 0 && history_has_thread(d->p->h, (uint32_t)row->thread))
			picture_escape(d->to, d->p->h->threads[row->thread],
				       prefix(d->p->h->threads[row->thread], 10));
		else
			fprintf(d->to, "thread %" PRId32, row->thread);
		fputs("</text>\n", d->to);
	}
}

static double bar_top(const struct drawing *d, const struct picture_op *o)
{
	return d->tops[o->row] + 4 + o->lane * LANE + 2;
}

/* The number of an operation, in the witness or in the order; returns where the label begins. */
static double write_number(const struct drawing *d, const struct picture_op *o, double x, double y)
{
	uint32_t number = o->witness                ? o->witness
			  : picture_has_order(d->p) ? o->order
						    : 0,
		 n = number;
	double width = 14;

	if (!number)
		return x + 8;
	for (; n >= 10; n /= 10)
		width += 6;
	fprintf(d->to,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" rx=\"7\" "
		"fill=\"%s\"/><text "
		"x=\"%.1f\" y=\"%.1f\" fill=\"#fff\" font-size=\"9.5\" font-weight=\"bold\" "
		"text-anchor=\"middle\">%u</text>",
		x + 4, y + BAR / 2 - 7, width, o->witness ? "#c8242b" : "#1c7c43",
		x + 4 + width / 2, y + BAR / 2 + 3.5, number);
	return x + 4 + width + 4;
}

static void write_title(const struct drawing *d, const struct picture_op *o)
{
	const char *state = picture_state(d->p, o);

	fputs("<title>", d->to);
	escape(d->to, o->label);
	if (state) {
		fputs("; then the object holds ", d->to);
		escape(d->to, state);
	}
	fputs("</title>", d->to);
}

static void write_op(const struct drawing *d, size_t i)
{
	const struct picture_op *o = &d->p->ops[i];
	double x = LEFT + o->x, width = o->end - o->x, y = bar_top(d, o);
	bool pending = d->p->h->ops[o->op].ret == TIME_PENDING;
	size_t n = prefix(o->label, SHOWN);
	double text;

	if (o->label[n])
		n = prefix(o->label, SHOWN - 1);
	fputs("<g>", d->to);
	write_title(d, o);
	fprintf(d->to,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" "
		"fill=\"%s\" stroke=\"%s\"/>",
		x, y, width, BAR, o->witness ? "#fbd5d3" : "#d9e3ef",
		o->witness ? "#c8242b" : "#9fb4cc");
	/* What never returned fades out. */
	if (pending)
		fprintf(d->to,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"41\" height=\"%.1f\" "
			"fill=\"url(#fade)\" transform=\"rotate(180 %.1f %.1f)\"/>",
			x + width - 40, y - 1, BAR + 2, x + width - 19.5, y + BAR / 2);
	text = write_number(d, o, x, y);
	fprintf(d->to,
		"<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" font-size=\"10.5\" font-family=\"DejaVu "
		"Sans Mono, Liberation Mono, monospace\">",
		text, y + BAR / 2 + 4, o->witness ? "#6d0f14" : "#1d3550");
	picture_escape(d->to, o->label, n);
	fprintf(d->to, "%s</text></g>\n", o->label[n] ? "\xe2\x80\xa6" : "");
}

/* Where operations took effect: below the bars, so that no text is covered. */
static void write_points(const struct drawing *d)
{
	double *points = picture_points(d->p);

	for (size_t i = 0; i < d->p->nops && picture_has_order(d->p); i++) {
		const struct picture_op *o = &d->p->ops[i];

		if (o->order)
			fprintf(d->to, "<path d=\"M%.1f %.1fl4 7h-8z\" fill=\"#1c7c43\"/>\n",
				LEFT + points[i], bar_top(d, o) + BAR + 1);
	}
	free(points);
}

static void write_axis(const struct drawing *d)
{
	int64_t base;
	size_t n;
	struct picture_tick *ticks = picture_ticks(d->p, DIGIT, &n, &base);

	fprintf(d->to,
		"<path d=\"M%.1f %.1fH%.1f\" stroke=\"#d0d4d8\"/><text x=\"%.1f\" y=\"%.1f\" "
		"fill=\"#5b636b\" font-size=\"10.5\">time</text>\n",
		MARGIN, d->bottom, d->width - MARGIN, MARGIN + 8, d->bottom + 16);
	for (size_t i = 0; i < n; i++)
		fprintf(d->to,
			"<path d=\"M%.1f %.1fv18\" stroke=\"#9fb4cc\"/><text x=\"%.1f\" y=\"%.1f\" "
			"fill=\"#5b636b\" font-size=\"10.5\">%s%" PRId64 "</text>\n",
			LEFT + ticks[i].x, d->bottom, LEFT + ticks[i].x + 3, d->bottom + 16,
			base ? "+" : "", (int64_t)((uint64_t)ticks[i].time - (uint64_t)base));
	free(ticks);
}

static void write_gaps(const struct drawing *d)
{
	for (size_t i = 0; i < d->p->ngaps; i++) {
		double x = LEFT + d->p->gaps[i].x;

		fprintf(d->to,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"%.1f\" "
			"fill=\"url(#hatch)\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#5b636b\" "
			"font-size=\"10\" text-anchor=\"middle\">%zu</text>\n",
			x - 13, d->top, d->bottom - d->top, x, d->top - 5, d->p->gaps[i].count);
	}
}

static void write_illegal(const struct drawing *d)
{
	double x, caption;
	bool left;

	if (d->p->illegal == UINT32_MAX)
		return;
	x = LEFT + d->p->ops[d->p->illegal].end;
	left = x + 170 > d->width;
	caption = d->top - (d->p->ngaps ? 21 : 7);
	fprintf(d->to,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"fill=\"url(#wash)\"/><path d=\"M%.1f %.1fV%.1f\" stroke=\"#c8242b\" "
		"stroke-width=\"1.5\" stroke-dasharray=\"5 3\"/><text x=\"%.1f\" y=\"%.1f\" "
		"fill=\"#c8242b\" font-size=\"11\" text-anchor=\"%s\">from here on no order "
		"fits</text>\n",
		x, d->top, d->width - MARGIN - x < 180 ? d->width - MARGIN - x : 180,
		d->bottom - d->top, x, caption - 11, d->bottom, left ? x - 6 : x + 6, caption,
		left ? "end" : "start");
}

void picture_svg(FILE *to, const struct picture *p)
{
	struct drawing d = { .to = to, .p = p, .width = LEFT + p->width + MARGIN };

	d.width = d.width < 420 ? 420 : d.width;
	d.tops = xmalloc((p->nrows + 1) * sizeof *d.tops);
	d.top = write_why(NULL, p->result->why, d.width) + (p->ngaps ? 16 : 2) +
		(p->illegal != UINT32_MAX ? 16 : 0);
	d.bottom = d.top;
	for (size_t r = 0; r < p->nrows; r++) {
		d.tops[r] = d.bottom;
		d.bottom += row_height(&p->rows[r]);
	}
	write_start(&d);
	write_why(to, p->result->why, d.width);
	write_rows(&d);
	write_gaps(&d);
	write_illegal(&d);
	for (size_t i = 0; i < p->nops; i++)
		write_op(&d, i);
	write_points(&d);
	write_axis(&d);
	fputs("</svg>\n", to);
	free(d.tops);
}
