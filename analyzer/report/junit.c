/* SPDX-License-Identifier: MIT
 *
 * JUnit's format as Jenkins and GitLab read it, and lines that GitHub takes for remarks. A program is
 * a test case; each finding is a failure of it.
 */
#include "judge/verdict.h"
#include "lin/picture/picture.h"
#include "report/sarif.h"
#include "run/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void escape(FILE *to, const char *s)
{
	picture_escape(to, s ? s : "", s ? strlen(s) : 0);
}

static void place(FILE *to, const struct model_finding *f)
{
	if (!f->place.file)
		return;
	escape(to, f->place.file);
	fprintf(to, ":%u: ", f->place.line);
}

static void write_failure(FILE *to, const struct model *m, const struct model_finding *f)
{
	fprintf(to, "    <failure type=\"%s\" message=\"",
		f->finding->is_history ? "not-linearizable" : outcome_name(f->finding->outcome));
	escape(to, f->message);
	fputs("\">", to);
	place(to, f);
	escape(to, f->message);
	for (uint32_t i = 0; i < f->nnotes; i++) {
		putc('\n', to);
		if (f->notes[i].file) {
			escape(to, f->notes[i].file);
			fprintf(to, ":%u: ", f->notes[i].line);
		}
		escape(to, f->notes[i].text);
	}
	for (uint32_t i = 0; f->finding->repairable && i < m->nrepairs && i < 3; i++) {
		char *text = report_repair_text(&m->repairs[i]);

		fputs(i ? "\nor " : "\nrepair: ", to);
		escape(to, text);
		free(text);
	}
	fputs("\nhistory: ", to);
	escape(to, f->finding->history);
	fputs("\nto see every step: ", to);
	escape(to, f->again);
	fputs("</failure>\n", to);
}

static void write_summary(FILE *to, const struct model *m)
{
	fputs("    <system-out>bound: ", to);
	escape(to, m->bound);
	for (size_t i = 0; i < m->nlimits; i++) {
		fputs("\nlimit: ", to);
		escape(to, m->limits[i]);
	}
	fputs("</system-out>\n", to);
}

static void write_all(FILE *to, const struct model *m)
{
	const struct run *run = m->a->run;
	double seconds = run->status.seconds;
	size_t failures = m->n ? 1 : 0;

	fprintf(to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"linchpin\" "
		"tests=\"1\" "
		"failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n  <testsuite name=\"linchpin\" "
		"tests=\"1\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"%.3f\">\n  "
		"<testcase "
		"classname=\"",
		failures, seconds, failures, seconds);
	escape(to, base_name(run->program));
	fputs("\" name=\"", to);
	for (int i = 0; i < run->argc; i++) {
		if (i)
			putc(' ', to);
		escape(to, i ? run->argv[i] : base_name(run->argv[i]));
	}
	fprintf(to, "\" time=\"%.3f\">\n", seconds);
	for (size_t i = 0; i < m->n; i++)
		write_failure(to, m, &m->findings[i]);
	write_summary(to, m);
	fputs("  </testcase>\n  </testsuite>\n</testsuites>\n", to);
}

int junit_write(const struct model *m, const char *file, struct error *e)
{
	FILE *to = fopen(file, "w");
	bool failed;

	if (!to)
		return error_set(e, "%s: %s", file, strerror(errno));
	write_all(to, m);
	failed = ferror(to);
	if (fclose(to) != 0 || failed)
		return error_set(e, "%s: %s", file, strerror(errno));
	return 0;
}

/* What would end a property or the line. */
static void command_escape(const char *s, bool property)
{
	for (; s && *s; s++) {
		if (*s == '%')
			fputs("%25", stdout);
		else if (*s == '\n')
			fputs("%0A", stdout);
		else if (*s == '\r')
			fputs("%0D", stdout);
		else if (property && (*s == ':' || *s == ','))
			fputs(*s == ':' ? "%3A" : "%2C", stdout);
		else
			putchar(*s);
	}
}

void annotation_print(const char *file, uint32_t line, uint32_t column, const char *text)
{
	fputs("::error ", stdout);
	if (file) {
		fputs("file=", stdout);
		command_escape(file, true);
		if (line)
			printf(",line=%u", line);
		if (column)
			printf(",col=%u", column);
		putchar(',');
	}
	fputs("title=linchpin::", stdout);
	command_escape(text, false);
	putchar('\n');
}

void annotations_print(const struct model *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct model_finding *f = &m->findings[i];
		char *text;

		if (f->finding->repairable && m->nrepairs) {
			char *repair = report_repair_text(&m->repairs[0]);

			text = xasprintf("%s\n%s\n%s", f->message, repair, f->again);
			free(repair);
		} else {
			text = xasprintf("%s\n%s", f->message, f->again);
		}
		annotation_print(f->place.file, f->place.line, f->place.column, text);
		free(text);
	}
	if (!m->n && strcmp(model_verdict(m), "unfinished") == 0) {
		fputs("::notice title=linchpin::", stdout);
		command_escape(m->bound, false);
		putchar('\n');
	}
	fflush(stdout);
}
