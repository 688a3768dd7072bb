/* SPDX-License-Identifier: MIT */
#include "lin/picture/picture.h"
#include "nightly/screen.h"
#include "nightly/suite_outputs.h"
#include "report/sarif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void escape(FILE *to, const char *s)
{
	picture_escape(to, s, strlen(s));
}

static bool is_error(const struct remark *r)
{
	return r->word == WORD_FAILED;
}

static void write_remark(FILE *to, const struct remark *r)
{
	const char *element = is_error(r) ? "error" : "failure";
	char *text = remark_text(r);

	fprintf(to, "    <%s type=\"", element);
	escape(to, r->fault ? r->fault->kind : word_name(r->word));
	fputs("\" message=\"", to);
	escape(to, r->text);
	fputs("\">", to);
	escape(to, text);
	if (r->fault) {
		fputs("\nfingerprint: ", to);
		escape(to, r->fault->fingerprint);
		fputs("\nhistory: ", to);
		escape(to, r->fault->history);
	}
	if (r->word == WORD_NEW && r->record->nmends) {
		fputs("\nrepair: ", to);
		escape(to, r->record->mends[0].text);
		fputs(" must be atomic", to);
	}
	fputs("\nto see it: ", to);
	escape(to, r->record->command);
	fprintf(to, "</%s>\n", element);
	free(text);
}

static void write_case(FILE *to, const struct suite_outputs *o, const struct record *r)
{
	fputs("    <testcase classname=\"", to);
	escape(to, o->night->suite);
	fputs("\" name=\"", to);
	escape(to, r->test);
	fprintf(to, "\" time=\"%.3f\">\n", r->seconds);
	for (uint32_t i = 0; i < o->remarks->n; i++)
		if (o->remarks->list[i].record == r && o->remarks->list[i].fresh)
			write_remark(to, &o->remarks->list[i]);
	fprintf(to, "    <system-out>%s, %llu classes", status_name(r->status),
		(unsigned long long)r->classes);
	for (uint32_t i = 0; i < o->remarks->n; i++) {
		const struct remark *m = &o->remarks->list[i];
		char *text;

		if (m->record != r || m->fresh)
			continue;
		text = remark_text(m);
		fprintf(to, "\n%s: ", word_name(m->word));
		escape(to, text);
		free(text);
	}
	fputs("</system-out>\n    </testcase>\n", to);
}

static void write_all(FILE *to, const struct suite_outputs *o)
{
	uint32_t tests = 0, failures = 0, errors = 0;
	double seconds = 0;

	for (uint32_t i = 0; i < o->n; i++) {
		bool failed = false, error = false;

		if (!o->have[i])
			continue;
		tests++;
		seconds += o->records[i].seconds;
		for (uint32_t k = 0; k < o->remarks->n; k++) {
			const struct remark *r = &o->remarks->list[k];

			if (r->record != &o->records[i] || !r->fresh)
				continue;
			error |= is_error(r);
			failed |= !is_error(r);
		}
		failures += failed;
		errors += error;
	}
	fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"linchpin\" tests=\"%u\" "
		    "failures=\"%u\" errors=\"%u\" time=\"%.3f\">\n  <testsuite name=\"",
		tests, failures, errors, seconds);
	escape(to, o->night->suite);
	fprintf(to, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"%.3f\">\n", tests,
		failures, errors, seconds);
	for (uint32_t i = 0; i < o->n; i++)
		if (o->have[i])
			write_case(to, o, &o->records[i]);
	fputs("  </testsuite>\n</testsuites>\n", to);
}

int suite_junit(const struct suite_outputs *o, const char *file, struct error *e)
{
	FILE *to = fopen(file, "w");
	bool failed;

	if (!to)
		return error_set(e, "%s: %s", file, strerror(errno));
	write_all(to, o);
	failed = ferror(to);
	if (fclose(to) != 0 || failed)
		return error_set(e, "%s: %s", file, strerror(errno));
	return 0;
}

void suite_annotations(const struct suite_outputs *o)
{
	const char *github = getenv("GITHUB_ACTIONS");

	if (!github || strcmp(github, "true") != 0)
		return;
	for (uint32_t i = 0; i < o->remarks->n; i++) {
		const struct remark *r = &o->remarks->list[i];
		char *text;

		if (!r->fresh)
			continue;
		text = xasprintf("%s: %s\nlinchpin: %s", r->test, r->text, r->record->command);
		annotation_print(r->fault ? r->fault->file : NULL, r->fault ? (uint32_t)r->fault->line : 0,
				 0, text);
		free(text);
	}
	fflush(stdout);
}
