/* SPDX-License-Identifier: MIT
 *
 * linchpin check: are recorded histories linearizable?
 */
#include "command/commands.h"
#include "command/options.h"
#include "lin/picture/picture.h"
#include "report/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WITNESS_SECONDS 5.0

struct check {
	const char *adt, *format_name, *html, *svg;
	bool json, order, general, quiet, convert;
	double timeout;
	uint64_t memory, jobs;
	const struct format *format; /* NULL: guess */
	struct text_style style;
};

static const char about[] = "Says for each FILE whether the history in it is linearizable: whether "
			    "its operations can be put into an order\n"
			    "that keeps to their times and that the specification allows. FILE - "
			    "is standard input. The format is guessed;\n"
			    "docs/history-formats.md describes all of them.\n\n"
			    "Exit codes: 0 linearizable, 1 not linearizable, 2 misuse or malformed "
			    "input, 3 unknown (out of time or memory);\n"
			    "of several files the worst: 2, 1, 3, 0.";

/* The order of exit codes when several files have different ones. */
static int severity(int code)
{
	static const int order[] = {
		[EXIT_CLEAN] = 0, [EXIT_UNFINISHED] = 1, [EXIT_VIOLATION] = 2, [EXIT_MISUSE] = 3
	};

	return order[code];
}

/* The message as "FILE:LINE: error: ..." where the checker named a line. */
static void fail(const struct check *c, const char *name, const char *message)
{
	unsigned line;
	int n = 0;

	if (c->json)
		check_report_json_error(stdout, name, message);
	if (sscanf(message, "line %u: %n", &line, &n) == 1 && n)
		fprintf(stderr, "%s:%u: error: %s\n", name, line, message + n);
	else
		fprintf(stderr, "%s: error: %s\n", name, message);
}

static int write_picture(const char *path, void (*draw)(FILE *, const struct picture *),
			 const struct picture *p)
{
	FILE *to = strcmp(path, "-") ? fopen(path, "w") : stdout;
	bool failed;

	if (to)
		draw(to, p);
	failed = !to || ferror(to);
	if (to && to != stdout)
		failed |= fclose(to) != 0;
	if (failed)
		fprintf(stderr, "linchpin: %s: %s\n", path, strerror(errno));
	return failed ? EXIT_MISUSE : EXIT_CLEAN;
}

static int draw_one(const char *path, void (*draw)(FILE *, const struct picture *), size_t limit,
		    const struct lin_options *options, const struct check_report *r)
{
	struct picture p;
	int code;

	picture_init(&p, r->h, r->result, r->name, limit);
	picture_add_states(&p, options);
	code = write_picture(path, draw, &p);
	picture_free(&p);
	return code;
}

static int draw(const struct check *c, const struct lin_options *options,
		const struct check_report *r)
{
	int code = EXIT_CLEAN;

	if (c->html)
		code = draw_one(c->html, picture_html, PICTURE_HTML_LIMIT, options, r);
	if (c->svg && code == EXIT_CLEAN)
		code = draw_one(c->svg, picture_svg, PICTURE_SVG_LIMIT, options, r);
	return code;
}

/* Long histories can be decided without an order, and finding one may be too much. */
static void warn_missing_order(const struct check *c, const struct check_report *r)
{
	if (c->order && r->result->verdict == LIN_OK && r->h->nops && !r->result->order)
		fprintf(stderr,
			"%s: warning: no order to print: the verdict came from an algorithm that "
			"makes none, and a search for one ran out of time or memory\n",
			r->name);
}

static int report(const struct check *c, const struct lin_options *options, struct check_report *r)
{
	static const int codes[] = {
		[LIN_OK] = EXIT_CLEAN,
		[LIN_VIOLATION] = EXIT_VIOLATION,
		[LIN_UNKNOWN] = EXIT_UNFINISHED,
	};
	int code;

	r->order = c->order;
	r->quiet = c->quiet;
	r->style = c->style;
	if (c->json)
		check_report_json(stdout, r);
	else
		check_report_text(stdout, r);
	warn_missing_order(c, r);
	code = draw(c, options, r);
	return code == EXIT_CLEAN ? codes[r->result->verdict] : code;
}

/* The verdict first, then the witness with a deadline of its own: to make a witness minimal can
 * take far longer than to see that there is one, and without a time limit the verdict must not wait
 * for it. */
static int check_both(const struct lin_options *options, const struct history *h,
		      struct check_report *r, struct lin_result *result, struct error *e)
{
	struct lin_options again = *options;
	struct lin_result with_witness;
	double start = now_seconds(), limit;

	if (lin_check(h, options, result, e) < 0)
		return -1;
	r->seconds = now_seconds() - start;
	if (result->verdict != LIN_VIOLATION)
		return 0;
	limit = 2 * r->seconds + WITNESS_SECONDS; /* the verdict once more, and the witness */
	if (options->seconds > 0 && options->seconds < limit)
		limit = options->seconds;
	again.witness = true;
	again.seconds = limit;
	if (lin_check(h, &again, &with_witness, e) < 0)
		return -1;
	r->cut = now_seconds() - start - r->seconds >= limit;
	if (with_witness.verdict == LIN_VIOLATION) {
		lin_result_free(result);
		*result = with_witness;
	} else {
		lin_result_free(&with_witness);
	}
	return 0;
}

static int check_history(const struct check *c, const char *name, const struct format *format,
			 const struct history *h)
{
	struct lin_options options = {
		.specification = c->adt ? c->adt : format->specification,
		.seconds = c->timeout,
		.memory = (size_t)c->memory << 20,
		.workers = (int)c->jobs,
		.general_only = c->general,
		.linearization = c->order || c->html || c->svg,
	};
	struct lin_result result = { .verdict = LIN_OK };
	struct check_report r = { .name = name, .format = format->name, .h = h, .result = &result };
	struct error e;
	int code;

	if (!h->nops)
		fprintf(stderr, "%s: warning: there are no operations in it\n", name);
	if (h->nops && check_both(&options, h, &r, &result, &e) < 0) {
		fail(c, name, e.message);
		return EXIT_MISUSE;
	}
	code = report(c, &options, &r);
	lin_result_free(&result);
	return code;
}

/* --adt is stronger than what the file says. */
static void drop_specifications(struct history *h)
{
	for (uint32_t i = 0; i < h->nobjects; i++) {
		free(h->objects[i].specification);
		h->objects[i].specification = NULL;
	}
}

static int check_text(const struct check *c, const char *name, const char *text, size_t size)
{
	const struct format *format = c->format ? c->format : format_guess(text, size);
	struct history h;
	struct error e;
	int code = EXIT_CLEAN;

	history_init(&h);
	if (format_parse(&h, name, text, size, format, &e) < 0) {
		if (c->json)
			check_report_json_error(stdout, name, e.message);
		fprintf(stderr, "%s\n", e.message);
		code = EXIT_MISUSE;
	} else {
		if (c->adt)
			drop_specifications(&h);
		if (c->convert)
			format_write(stdout, &h);
		else
			code = check_history(c, name, format, &h);
	}
	history_free(&h);
	return code;
}

static int check_file(const struct check *c, const char *path)
{
	bool standard_input = !strcmp(path, "-");
	struct error e;
	size_t size;
	char *text = read_file(standard_input ? "/dev/stdin" : path, &size, &e);
	int code;

	if (!text) {
		if (c->json)
			check_report_json_error(stdout, path, e.message);
		return error_print(&e);
	}
	code = check_text(c, standard_input ? "<stdin>" : path, text, size);
	free(text);
	return code;
}

static bool misused(struct check *c, int files)
{
	struct error e;

	if (c->format_name) {
		c->format = format_find(c->format_name);
		if (!c->format) {
			error_set(&e,
				  "there is no format %s; the formats are text, kv, edn, etcd, "
				  "violin, csv, jsonl",
				  c->format_name);
			error_print(&e);
			return true;
		}
	}
	if ((c->html || c->svg) && files > 1) {
		error_set(&e, "--html and --svg draw one history: give one FILE");
		error_print(&e);
		return true;
	}
	if (c->memory > SIZE_MAX >> 20 || c->jobs > 1024) {
		error_set(&e,
			  c->jobs > 1024 ? "--jobs must be at most 1024" : "--memory is too large");
		error_print(&e);
		return true;
	}
	return false;
}

int cmd_check(int argc, char **argv)
{
	struct check c = { .jobs = 1 };
	const struct option_row rows[] = {
		{ "adt", 'a', OPTION_TEXT, "SPEC", &c.adt,
		  "what the objects are: set, stack, queue, cas-register, ... or a plug-in" },
		{ "format", 'f', OPTION_TEXT, "NAME", &c.format_name,
		  "text, kv, edn, etcd, violin, csv or jsonl instead of guessing" },
		{ "html", 0, OPTION_TEXT, "FILE", &c.html, "draw the history as a page" },
		{ "svg", 0, OPTION_TEXT, "FILE", &c.svg, "draw it as an image" },
		{ "order", 'o', OPTION_FLAG, NULL, &c.order,
		  "print the order found for a linearizable history" },
		{ "json", 0, OPTION_FLAG, NULL, &c.json, "print one JSON object a file" },
		{ "convert", 0, OPTION_FLAG, NULL, &c.convert,
		  "do not check: print the history in linchpin's own text format" },
		{ "timeout", 't', OPTION_SECONDS, "SECONDS", &c.timeout,
		  "give up on a file after this time (0: never)" },
		{ "memory", 'm', OPTION_NUMBER, "MIB", &c.memory,
		  "memory for the search (default 1024)" },
		{ "jobs", 'j', OPTION_NUMBER, "N", &c.jobs, "threads to check with (default 1)" },
		{ "general", 0, OPTION_FLAG, NULL, &c.general, "use the general search only" },
		{ "quiet", 'q', OPTION_FLAG, NULL, &c.quiet,
		  "say nothing about linearizable histories" },
	};
	const struct option_table table = {
		.usage = "check [OPTION...] FILE...",
		.about = about,
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
	};
	int first, worst = EXIT_CLEAN;

	switch (options_parse(&table, argc, argv, &first)) {
	case OPTIONS_HELP:
		return EXIT_CLEAN;
	case OPTIONS_ERROR:
		return EXIT_MISUSE;
	case OPTIONS_OK:
		break;
	}
	if (misused(&c, argc - first))
		return EXIT_MISUSE;
	c.style = text_style_for(stdout);
	for (int i = first; i < argc; i++) {
		int code = check_file(&c, argv[i]);

		worst = severity(code) > severity(worst) ? code : worst;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("linchpin: standard output");
		return EXIT_MISUSE;
	}
	return worst;
}
