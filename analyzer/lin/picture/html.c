/* SPDX-License-Identifier: MIT
 *
 * The page. Style and script are files of their own (picture.css, picture.js), put into the object
 * file by the assembler. The bars are plain elements, so that the page shows everything without the
 * script, which adds zoom and tooltips.
 */
#include "lin/format/format.h"
#include "lin/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file as a string of that name. */
#define EMBED(name, file)                                                                          \
	__asm__(".section .rodata\n.hidden " #name "\n.global " #name "\n" #name                   \
		":\n.incbin \"" file "\"\n.byte 0\n.previous\n");                                  \
	extern const char name[] __attribute__((visibility("hidden")))

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

/* The witness as a table, in its order. */
static void write_witness(FILE *to, const struct picture *p)
{
	if (!p->result->nwitness)
		return;
	fputs("<table><thead><tr><th></th><th>operation</th><th>thread</th><th>called</"
	      "th><th>returned</th><th>line</th>"
	      "</tr></thead><tbody>\n",
	      to);
	for (size_t i = 0; i < p->result->nwitness && i < PICTURE_HTML_LIMIT; i++) {
		const struct history_op *op = &p->h->ops[p->result->witness[i]];
		char *text = format_op(p->h, op);

		fprintf(to,
			"<tr data-w=\"%zu\"><td><span class=\"number\">%zu</span></td><td><code>",
			i + 1, i + 1);
		escape(to, text);
		fprintf(to, "</code></td><td class=\"n\">%" PRId32 "</td><td class=\"n\">",
			op->thread);
		write_time(to, op->call);
		fputs("</td><td class=\"n\">", to);
		if (op->ret == TIME_PENDING)
			fputs("never", to);
		write_time(to, op->ret);
		fputs("</td><td class=\"n\">", to);
		if (op->line)
			fprintf(to, "%u", op->line);
		fputs("</td></tr>\n", to);
		free(text);
	}
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
	      "<span class=\"hint\" id=\"hint\"></span></nav>\n",
	      to);
}

static void write_op(FILE *to, const struct picture *p, size_t i)
{
	const struct picture_op *o = &p->ops[i];
	const struct history_op *op = &p->h->ops[o->op];

	fprintf(to, "<div class=\"op%s%s%s\" tabindex=\"0\" style=\"--x:%.1f;--e:%.1f",
		o->witness ? " witness" : "", op->ret == TIME_PENDING ? " pending" : "",
		i == p->illegal ? " last" : "", o->x, o->end);
	if (o->lane)
		fprintf(to, ";--lane:%u", o->lane);
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
	fputs(" title=\"", to);
	escape(to, o->label);
	fputs("\">", to);
	if (o->witness)
		fprintf(to, "<span class=\"number\">%u</span>", o->witness);
	escape(to, o->label);
	fputs("</div>\n", to);
}

static void write_point(FILE *to, const struct picture *p, size_t i, const double *points)
{
	const struct picture_op *o = &p->ops[i];

	if (!o->order || p->result->verdict == LIN_VIOLATION)
		return;
	fprintf(to, "<i class=\"point\" style=\"--x:%.1f", points[i]);
	if (o->lane)
		fprintf(to, ";--lane:%u", o->lane);
	fprintf(to, "\" data-i=\"%u\" data-n=\"%u\"></i>\n", o->op, o->order);
}

static void write_marks(FILE *to, const struct picture *p)
{
	for (size_t i = 0; i < p->ngaps; i++)
		fprintf(to,
			"<div class=\"gap\" style=\"--x:%.1f\" title=\"%zu operations are not "
			"shown here\"><span>%zu</span></div>\n",
			p->gaps[i].x, p->gaps[i].count, p->gaps[i].count);
	if (p->illegal != UINT32_MAX)
		fprintf(to,
			"<div class=\"stop\" style=\"--x:%.1f\"><span>the results up to here fit "
			"no order</span></div>\n",
			p->ops[p->illegal].end);
}

static void write_chart(FILE *to, const struct picture *p)
{
	double *points = picture_points(p);

	fputs("<div id=\"chart\"><div id=\"names\">\n", to);
	for (size_t r = 0; r < p->nrows; r++)
		fprintf(to, "<div style=\"--lanes:%u\">thread %" PRId32 "</div>\n",
			p->rows[r].lanes, p->rows[r].thread);
	fprintf(to,
		"</div><div id=\"view\"><div id=\"plane\" data-width=\"%.1f\" "
		"style=\"--w:%.1f\">\n",
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
	fputs("</div></div></div>\n", to);
	free(points);
}

static void write_legend(FILE *to, const struct picture *p)
{
	fputs("<p class=\"legend\"><span><span class=\"key\"></span>an operation, from call to "
	      "return</span>",
	      to);
	if (p->result->nwitness)
		fputs("<span><span class=\"key witness\"></span>the witness: without any of these "
		      "the rest would be correct</span><span><span class=\"key stop\"></span>where "
		      "it became impossible</span>",
		      to);
	if (p->result->norder && p->result->verdict != LIN_VIOLATION)
		fprintf(to, "<span><span class=\"key point\"></span>%s</span>",
			p->result->verdict == LIN_OK
				? "where it may have taken effect"
				: "where it took effect in the longest order found");
	if (p->omitted)
		fputs("<span>Numbers over hatched stripes: operations that are not shown</span>",
		      to);
	fputs("</p>\n", to);
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
	fputs("<div id=\"tip\" hidden></div>\n<script>\n", to);
	fputs(picture_js, to);
	fputs("</script></body></html>\n", to);
}
