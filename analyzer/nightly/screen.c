/* SPDX-License-Identifier: MIT */
#include "nightly/screen.h"
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHOWN 12 /* of a word, without --verbose */

static const enum text_color colors[WORD_COUNT] = {
	[WORD_NEW] = TEXT_RED,     [WORD_FAILED] = TEXT_RED,    [WORD_LIMIT] = TEXT_YELLOW,
	[WORD_FLAKY] = TEXT_MAGENTA, [WORD_STILL] = TEXT_YELLOW, [WORD_GONE] = TEXT_GREEN,
	[WORD_UNSEEN] = TEXT_YELLOW, [WORD_SLOWER] = TEXT_CYAN, [WORD_FEWER] = TEXT_CYAN,
	[WORD_KNOWN] = TEXT_DIM,
};

char *remark_text(const struct remark *r)
{
	const struct fault *f = r->fault;
	char place[512] = "", since[96] = "";

	if (f && f->file && f->line)
		snprintf(place, sizeof place, "%s:%llu: ", f->file, (unsigned long long)f->line);
	else if (f && f->file)
		snprintf(place, sizeof place, "%s: ", f->file);
	if (r->since && r->word != WORD_NEW)
		snprintf(since, sizeof since, " (since night %lld, found in %u %s)", (long long)r->since,
			 r->nights, plural(r->nights, "night", "nights"));
	return xasprintf("%s%s%s", place, r->text, since);
}

/* Is an earlier remark about the same fault, with the same word? */
static bool repeats(const struct remarks *all, uint32_t i)
{
	const struct remark *r = &all->list[i];

	for (uint32_t k = 0; r->fault && k < i; k++) {
		const struct remark *o = &all->list[k];

		if (o->word == r->word && o->fresh == r->fresh && o->fault &&
		    !strcmp(o->fault->fingerprint, r->fault->fingerprint))
			return true;
	}
	return false;
}

/* How many other tests have it. */
static uint32_t others(const struct remarks *all, uint32_t i)
{
	const struct remark *r = &all->list[i];
	uint32_t n = 0;

	for (uint32_t k = i + 1; r->fault && k < all->n; k++) {
		const struct remark *o = &all->list[k];

		n += o->word == r->word && o->fresh == r->fresh && o->fault &&
		     !strcmp(o->fault->fingerprint, r->fault->fingerprint);
	}
	return n;
}

static void print_remark(FILE *out, const struct text_style *s, const struct remarks *all, uint32_t i)
{
	const struct remark *r = &all->list[i];
	uint32_t more = others(all, i);
	char *text = remark_text(r), *printable = text_printable(text), *test = text_printable(r->test);
	const char *word = r->word == WORD_LIMIT && r->fresh ? "new limit" : word_name(r->word);

	fprintf(out, "%s%-13s%s  %s%s%s", text_begin(s, colors[r->word]), word, text_end(s, colors[r->word]),
		text_begin(s, TEXT_BOLD), test, text_end(s, TEXT_BOLD));
	if (more)
		fprintf(out, " and %u more %s", more, plural(more, "test", "tests"));
	fprintf(out, "\n               %s\n", printable);
	if (r->fault) {
		char *statements = text_printable(r->fault->statements);

		fprintf(out, "               %s%s  %s%s\n", text_begin(s, TEXT_DIM), r->fault->fingerprint,
			statements, text_end(s, TEXT_DIM));
		free(statements);
	}
	if (r->word == WORD_NEW && r->record->nmends)
		fprintf(out, "               repair: %s must be atomic%s\n", r->record->mends[0].text,
			r->record->mends[0].proven ? " (proven)" : "");
	if (r->fresh) {
		char *command = text_printable(r->record->command);

		fprintf(out, "               to see it: %s\n", command);
		free(command);
	}
	free(text);
	free(printable);
	free(test);
}

static void print_word(FILE *out, const struct text_style *s, const struct summary *m, enum word word)
{
	uint32_t shown = 0, hidden = 0;

	for (uint32_t i = 0; i < m->remarks->n; i++) {
		if (m->remarks->list[i].word != word || repeats(m->remarks, i))
			continue;
		if (!m->verbose && shown == SHOWN) {
			hidden++;
			continue;
		}
		print_remark(out, s, m->remarks, i);
		shown++;
	}
	if (hidden)
		fprintf(out, "%-13s  %u more: --verbose shows them\n", word_name(word), hidden);
}

static void print_counts(FILE *out, const struct summary *m)
{
	uint32_t counts[WORD_COUNT] = { 0 }, limits = 0, touched = 0;
	const char *last = NULL;
	bool any = false;

	for (uint32_t i = 0; i < m->remarks->n; i++) {
		const struct remark *r = &m->remarks->list[i];

		if (r->word == WORD_LIMIT && r->fresh)
			limits++;
		else if (!repeats(m->remarks, i))
			counts[r->word]++;
		if (r->word == WORD_KNOWN || (last && !strcmp(last, r->test)))
			continue;
		last = r->test;
		touched++;
	}
	for (unsigned w = 0; w < WORD_COUNT; w++) {
		if (w == WORD_LIMIT && limits) {
			fprintf(out, "%s%u new %s", any ? ", " : "", limits, plural(limits, "limit", "limits"));
			any = true;
		}
		if (!counts[w])
			continue;
		fprintf(out, "%s%u %s", any ? ", " : "", counts[w], word_name((enum word)w));
		any = true;
	}
	fprintf(out, "%s%u of %u %s as expected\n", any ? "; " : "", m->done - touched, m->done,
		plural(m->done, "test", "tests"));
}

static void print_head(FILE *out, const struct text_style *s, const struct summary *m)
{
	const struct night *n = m->night;
	char date[32];
	time_t started = (time_t)n->started;
	struct tm t;

	localtime_r(&started, &t);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M", &t);
	fprintf(out, "%s%s%s, night %lld (%s", text_begin(s, TEXT_BOLD), n->suite, text_end(s, TEXT_BOLD),
		(long long)n->id, date);
	if (*n->revision)
		fprintf(out, ", %s", n->revision);
	if (*n->shard)
		fprintf(out, ", shard %s", n->shard);
	fprintf(out, "): %u of %u %s in %.0f s\n", m->done, m->tests, plural(m->tests, "test", "tests"),
		m->seconds);
}

void screen_print(FILE *out, const struct summary *m)
{
	const struct text_style s = text_style_for(out);

	if (!m->quiet)
		print_head(out, &s, m);
	for (unsigned w = 0; w < WORD_COUNT; w++) {
		if (w == WORD_KNOWN && !m->verbose)
			continue;
		if (m->quiet && w != WORD_NEW && w != WORD_FAILED && w != WORD_LIMIT && w != WORD_FLAKY)
			continue;
		print_word(out, &s, m, (enum word)w);
	}
	if (!m->quiet)
		print_counts(out, m);
	fflush(out);
}

struct said *remarks_said(const struct remarks *r, int64_t night)
{
	struct said *list = xcalloc(r->n, sizeof *list);

	for (uint32_t i = 0; i < r->n; i++) {
		const struct remark *from = &r->list[i];

		list[i] = (struct said){
			.night = night,
			.test = xstrdup(from->test),
			.word = xstrdup(word_name(from->word)),
			.text = remark_text(from),
			.fingerprint = xstrdup(from->fault ? from->fault->fingerprint : ""),
			.fresh = from->fresh,
		};
	}
	return list;
}
