/* SPDX-License-Identifier: MIT
 *
 * The page. Style and script are files of their own (picture.css, picture.js), put into the object
 * file by the assembler. The bars are plain elements, so that the page shows everything without the
 * script, which adds zoom, tooltips and keys.
 */
#include "base/embed.h"
#include "lin/format/format.h"
#include "lin/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT 6.7 /* pixels of a digit at the axis */
#define STRIP 20  /* height of a line of captions over the rows */

EMBED(picture_css, "analyzer/lin/picture/picture.css");
EMBED(picture_js, "analyzer/lin/picture/picture.js");

static void escape(FILE *to, const char *s)
{
	picture_escape(to, s, strlen(s));
}

static const char *verdict_class(const struct picture *p)
{
	return p->result->verdict == LIN_OK          ? "ok"
	       : p->result->verdict == LIN_VIOLATION ? "violation"
						     : "unknown";
}

static const char *verdict_words(const struct picture *p)
{
	return p->result->verdict == LIN_OK          ? "linearizable"
	       : p->result->verdict == LIN_VIOLATION ? "not linearizable"
						     : "unknown";
}

static void write_time(FILE *to, int64_t time)
{
	if (time != TIME_PENDING)
		fprintf(to, "%" PRId64, time);
}

static void write_header(FILE *to, const struct picture *p)
{
	fprintf(to, "<header class=\"%s\"><h1>", verdict_class(p));
	escape(to, p->name);
	fprintf(to, "</h1><span class=\"badge\">%s</span><span class=\"facts\">%zu %s",
		verdict_words(p), p->h->nops, plural(p->h->nops, "operation", "operations"));
	if (p->omitted)
		fprintf(to, ", of which %zu are shown", p->nops);
	fputs("</span></header>\n", to);
	if (p->result->why) {
		fprintf(to, "<div class=\"%s\"><p class=\"why\" id=\"why\">", verdict_class(p));
		escape(to, p->result->why);
		fputs("</p></div>\n", to);
	}
}

static const struct picture_op *shown_op(const struct picture *p, uint32_t op)
{
	for (size_t i = 0; i < p->nops; i++) {
		if (p->ops[i].op == op)
			return &p->ops[i];
	}
	return NULL;
}

/* The place of a witness operation in the longest order of the witness, and what is held then. */
static void write_place(FILE *to, const struct picture *p, uint32_t op)
{
	const struct picture_op *o = shown_op(p, op);
	const char *state = o ? picture_state(p, o) : NULL;

	if (!p->states)
		return;
	if (!o || !o->order) {
		fputs("<td class=\"n none\" data-label=\"in the longest order\">none</td><td></td>",
		      to);
		return;
	}
	fprintf(to,
		"<td class=\"n\" data-label=\"in the longest order\">%u</td><td data-label=\"then "
		"holds\"><code>",
		o->order);
	if (state)
		escape(to, state);
	fputs("</code></td>", to);
}

/* Histories of executions are in no file. */
static bool has_lines(const struct picture *p)
{
	return p->h->ops[p->result->witness[0]].line != 0;
}

static void write_witness_op(FILE *to, const struct picture *p, size_t i)
{
	const struct history_op *op = &p->h->ops[p->result->witness[i]];
	char *text = format_op(p->h, op);

	fprintf(to,
		"<tr data-w=\"%zu\"><td><span class=\"number\">%zu</span></td><td "
		"class=\"what\"><code>",
		i + 1, i + 1);
	escape(to, text);
	fprintf(to,
		"</code></td><td class=\"n\" data-label=\"thread\">%" PRId32
		"</td><td class=\"n\" data-label=\"called\">",
		op->thread);
	write_time(to, op->call);
	fputs("</td><td class=\"n\" data-label=\"returned\">", to);
	if (op->ret == TIME_PENDING)
		fputs("never", to);
	write_time(to, op->ret);
	fputs("</td>", to);
	if (op->line)
		fprintf(to, "<td class=\"n\" data-label=\"line\">%u</td>", op->line);
	else if (has_lines(p))
		fputs("<td></td>", to);
	write_place(to, p, p->result->witness[i]);
	fputs("</tr>\n", to);
	free(text);
}

/* The witness as a table, in the order of calls. */
static void write_witness(FILE *to, const struct picture *p)
{
	if (!p->result->nwitness)
		return;
	fputs("<table id=\"witness\"><thead><tr><th></th><th>operation</th><th class=\"n\">thread"
	      "</th><th class=\"n\">called</th><th class=\"n\">returned</th>",
	      to);
	if (has_lines(p))
		fputs("<th class=\"n\">line</th>", to);
	if (p->states) {
		fputs("<th class=\"n\" title=\"the place in the longest order of these operations "
		      "that "
		      "is possible\">longest order</th><th>",
		      to);
		if (p->h->nobjects > 1) {
			escape(to, p->h->objects[p->result->object].name);
			fputs(" then holds</th>", to);
		} else {
			fputs("object then holds</th>", to);
		}
	}
	fputs("</tr></thead><tbody>\n", to);
	for (size_t i = 0; i < p->result->nwitness && i < PICTURE_HTML_LIMIT; i++)
		write_witness_op(to, p, i);
	fputs("</tbody></table>\n", to);
}

static void write_buttons(FILE *to, const struct picture *p)
{
	fputs("<nav hidden><button id=\"out\" title=\"-\" aria-label=\"zoom "
	      "out\">&minus;</button><button id=\"in\" title=\"+\" aria-label=\"zoom "
	      "in\">+</button><button id=\"all\" title=\"0\">Everything</button>",
	      to);
	if (p->result->nwitness)
		fputs("<button id=\"core\" title=\"w\">Witness</button><button id=\"back\" "
		      "title=\"p\" aria-label=\"previous operation of the "
		      "witness\">&lsaquo;</button><button id=\"next\" title=\"n\" "
		      "aria-label=\"next operation of the witness\">&rsaquo;</button><button "
		      "id=\"dim\" title=\"d\" aria-pressed=\"false\">Dim the rest</button>",
		      to);
	fputs("<button id=\"scale\" title=\"t\" aria-pressed=\"false\">Time to scale</button>"
	      "<button id=\"help\" title=\"?\">Keys</button></nav>\n",
	      to);
}

static void write_op(FILE *to, const struct picture *p, size_t i)
{
	const struct picture_op *o = &p->ops[i];
	const struct history_op *op = &p->h->ops[o->op];
	const char *state = picture_state(p, o);

	fprintf(to, "<div class=\"op%s%s%s\" tabindex=\"0\" style=\"--x:%.1f;--e:%.1f",
		o->witness ? " witness" : "", op->ret == TIME_PENDING ? " pending" : "",
		i == p->illegal ? " last" : "", o->x, o->end);
	if (o->lane)
		fprintf(to, ";--lane-of:%u", o->lane);
	fprintf(to, "\" data-i=\"%u\" data-t=\"%" PRId32 "\" data-l=\"%u\" data-c=\"", o->op,
		op->thread, op->line);
	write_time(to, op->call);
	fputs("\" data-r=\"", to);
	write_time(to, op->ret);
	putc('"', to);
	if (o->witness)
		fprintf(to, " data-w=\"%u\"", o->witness);
	if (o->order)
		fprintf(to, " data-n=\"%u\"", o->order);
	if (state) {
		fputs(" data-s=\"", to);
		escape(to, state);
		putc('"', to);
	}
	fputs(" title=\"", to);
	escape(to, o->label);
	fputs("\">", to);
	if (o->witness)
		fprintf(to, "<span class=\"number\">%u</span>", o->witness);
	else if (o->order && picture_has_order(p))
		fprintf(to, "<span class=\"number order\">%u</span>", o->order);
	fputs("<span class=\"label\">", to);
	escape(to, o->label);
	fputs("</span></div>\n", to);
}

static void write_point(FILE *to, const struct picture *p, size_t i, const double *points)
{
	const struct picture_op *o = &p->ops[i];

	if (!o->order || !picture_has_order(p))
		return;
	fprintf(to, "<i class=\"point\" style=\"--x:%.1f", points[i]);
	if (o->lane)
		fprintf(to, ";--lane-of:%u", o->lane);
	fprintf(to, "\" data-i=\"%u\" data-n=\"%u\"></i>\n", o->op, o->order);
}

static void write_marks(FILE *to, const struct picture *p)
{
	for (size_t i = 0; i < p->ngaps; i++)
		fprintf(to,
			"<div class=\"gap\" style=\"--x:%.1f\" title=\"%zu %s not shown here\">"
			"<span>%zu</span></div>\n",
			p->gaps[i].x, p->gaps[i].count,
			plural(p->gaps[i].count, "operation is", "operations are"),
			p->gaps[i].count);
	if (p->illegal != UINT32_MAX)
		fprintf(to,
			"<div class=\"stop\" style=\"--x:%.1f\"><span>from here on no order fits"
			"</span></div>\n",
			p->ops[p->illegal].end);
}

static void write_axis(FILE *to, const struct picture *p)
{
	int64_t base;
	size_t n;
	struct picture_tick *ticks = picture_ticks(p, DIGIT, &n, &base);

	fprintf(to, "<div id=\"axis\" data-base=\"%" PRId64 "\">", base);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "<span style=\"--x:%.1f\">%" PRId64 "</span>", ticks[i].x,
			(int64_t)((uint64_t)ticks[i].time - (uint64_t)base));
	fputs("</div>\n", to);
	free(ticks);
}

static void write_names(FILE *to, const struct picture *p)
{
	fprintf(to, "<div id=\"chart\" style=\"--top:%dpx\"><div id=\"names\">\n",
		(p->illegal != UINT32_MAX ? STRIP : 0) + (p->ngaps ? STRIP : 0) + 6);
	for (size_t r = 0; r < p->nrows; r++) {
		int32_t thread = p->rows[r].thread;

		fprintf(to, "<div style=\"--lanes:%u\">", p->rows[r].lanes);
		if (thread >= 0 && history_has_thread(p->h, (uint32_t)thread))
			escape(to, p->h->threads[thread]);
		else
			fprintf(to, "<span class=\"word\">thread </span>%" PRId32, thread);
		fputs("</div>\n", to);
	}
	fputs("<div class=\"time\">time</div></div>", to);
}

static void write_chart(FILE *to, const struct picture *p)
{
	double *points = picture_points(p);

	write_names(to, p);
	fprintf(to, "<div id=\"view\"><div id=\"plane\" data-width=\"%.1f\" style=\"--w:%.1f\">\n",
		p->width, p->width);
	for (size_t r = 0; r < p->nrows; r++) {
		fprintf(to, "<div class=\"row\" style=\"--lanes:%u\">\n", p->rows[r].lanes);
		for (size_t i = p->rows[r].first; i != SIZE_MAX; i = p->ops[i].next) {
			write_op(to, p, i);
			write_point(to, p, i, points);
		}
		fputs("</div>\n", to);
	}
	write_marks(to, p);
	write_axis(to, p);
	fputs("</div></div></div>\n", to);
	free(points);
}

static void write_legend(FILE *to, const struct picture *p)
{
	int64_t base;
	size_t n;

	fputs("<p class=\"legend\"><span><span class=\"key\"></span>an operation, from call to "
	      "return</span>",
	      to);
	if (p->result->nwitness)
		fputs("<span><span class=\"key witness\"></span>the witness: these alone fit no "
		      "order</span><span><span class=\"key stop\"></span>with this return it "
		      "became impossible</span>",
		      to);
	if (picture_has_order(p))
		fprintf(to,
			"<span><span class=\"key point\"></span>%s</span><span><span "
			"class=\"number order\">1</span> its place in that order</span>",
			p->result->verdict == LIN_OK
				? "where it may have taken effect"
				: "where it took effect in the longest order found");
	if (p->result->verdict == LIN_OK && p->h->nops && !p->result->norder)
		fputs("<span>No order is shown: the verdict came from an algorithm that makes "
		      "none, "
		      "and a search for one ran out of time or memory</span>",
		      to);
	if (p->omitted)
		fputs("<span><span class=\"key gap\"></span>operations that are not shown</span>",
		      to);
	free(picture_ticks(p, DIGIT, &n, &base));
	fputs("<span>Time is drawn by the order of events", to);
	if (base)
		fprintf(to, ", counted from %" PRId64, base);
	fputs("</span></p>\n", to);
}

static void write_help(FILE *to, const struct picture *p)
{
	fputs("<dialog id=\"keys\"><h2>Keys</h2><dl><dt>+ \xe2\x88\x92</dt><dd>zoom; the wheel "
	      "with Ctrl does the same</dd><dt>0</dt><dd>everything</dd>"
	      "<dt>\xe2\x86\x90 \xe2\x86\x92</dt><dd>move; or drag</dd>",
	      to);
	if (p->result->nwitness)
		fputs("<dt>w</dt><dd>the witness</dd><dt>n p</dt><dd>its next operation, the "
		      "previous one</dd><dt>d</dt><dd>dim the rest</dd>",
		      to);
	fputs("<dt>t</dt><dd>time to scale, or by the order of events</dd><dt>Tab</dt><dd>from "
	      "operation to operation</dd><dt>?</dt><dd>this list</dd></dl>"
	      "<p>What an object holds is written from first to last: of a stack the top is last, "
	      "of a queue what comes out next is first.</p>"
	      "<form method=\"dialog\"><button>Close</button></form></dialog>\n",
	      to);
}

void picture_html(FILE *to, const struct picture *p)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      to);
	escape(to, p->name);
	fprintf(to, ": %s</title>\n<style>\n", verdict_words(p));
	fputs(picture_css, to);
	fprintf(to, "</style></head><body>\n");
	write_header(to, p);
	write_witness(to, p);
	write_buttons(to, p);
	write_chart(to, p);
	write_legend(to, p);
	write_help(to, p);
	fputs("<div id=\"tip\" hidden></div>\n<script>\n", to);
	fputs(picture_js, to);
	fputs("</script></body></html>\n", to);
}
