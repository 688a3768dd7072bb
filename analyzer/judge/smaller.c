/* SPDX-License-Identifier: MIT */
#include "judge/smaller.h"

#include "base/budget.h"
#include "judge/execute.h"
#include "run/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_GROUPS 16
#define MOST_WORDS  64

/* Seconds for all tries, beside so many times the time of the search; each has at most a part of them. */
#define SOME_TIME  3.0
#define SOME_TIMES 6.0
#define EACH	   0.25

struct script {
	char open[MOST_GROUPS]; /* '[' or '{' */
	unsigned ngroups;
	struct word {
		unsigned group;
		const char *text; /* in the argument */
		size_t length;
	} words[MOST_WORDS];
	unsigned nwords;
};

struct search {
	const struct analysis *a;
	const struct analysis_options *options;
	const char *directory;
	unsigned argument; /* which one it is */
	double until, each;
	char *text; /* of the script that is tried */
	char **argv;
};

/* ---- the notation ---- */

static const char *blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool read_group(struct script *s, const char **at)
{
	char close = **at == '[' ? ']' : '}';

	if ((**at != '[' && **at != '{') || s->ngroups == MOST_GROUPS)
		return false;
	s->open[s->ngroups] = **at;
	for (*at = blanks(*at + 1); **at != close; *at = blanks(*at)) {
		size_t n = strcspn(*at, " \t[]{}|");

		if (!n || s->nwords == MOST_WORDS)
			return false;
		s->words[s->nwords++] = (struct word){ s->ngroups, *at, n };
		*at += n;
	}
	s->ngroups++;
	*at = blanks(*at + 1);
	return true;
}

static bool read_script(struct script *s, const char *text)
{
	const char *at = blanks(text);

	*s = (struct script){ 0 };
	if (*at == '[' && !read_group(s, &at))
		return false;
	do {
		at = blanks(at);
		if (*at != '{' || !read_group(s, &at))
			return false;
	} while (*at++ == '|');
	at--;
	if (*at == '[' && !read_group(s, &at))
		return false;
	return !*at && s->nwords > 1;
}

static char *write_script(const struct script *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned at = 0;

	for (unsigned g = 0; g < s->ngroups; g++) {
		bool first = true;

		if (g)
			fputs(s->open[g] == '{' && s->open[g - 1] == '{' ? "|" : " ", out);
		fputc(s->open[g], out);
		for (; at < s->nwords && s->words[at].group == g; at++, first = false)
			fprintf(out, "%s%.*s", first ? "" : " ", (int)s->words[at].length, s->words[at].text);
		fputc(s->open[g] == '{' ? '}' : ']', out);
	}
	fclose(out);
	return text;
}

static void remove_group(struct script *s, unsigned group)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nwords; i++) {
		struct word w = s->words[i];

		if (w.group == group)
			continue;
		w.group -= w.group > group;
		s->words[n++] = w;
	}
	s->nwords = n;
	s->ngroups--;
	memmove(&s->open[group], &s->open[group + 1], s->ngroups - group);
}

/* A group that is empty then goes with it. */
static void remove_word(struct script *s, unsigned word)
{
	unsigned group = s->words[word].group;

	s->nwords--;
	memmove(&s->words[word], &s->words[word + 1], (s->nwords - word) * sizeof *s->words);
	for (unsigned i = 0; i < s->nwords; i++)
		if (s->words[i].group == group)
			return;
	remove_group(s, group);
}

static unsigned threads(const struct script *s)
{
	unsigned n = 0;

	for (unsigned g = 0; g < s->ngroups; g++)
		n += s->open[g] == '{';
	return n;
}

/* ---- tries ---- */

static void change(struct launch *l, struct settings *s, void *data)
{
	const struct search *search = data;

	l->argv = search->argv;
	s->progress = "none";
	s->max_time = search->each;
}

static bool same_way(const struct finding *f, const struct finding *g)
{
	if (f->is_history || g->is_history)
		return f->is_history == g->is_history;
	if (f->leak || g->leak)
		return f->leak && g->leak;
	return f->outcome == g->outcome && (f->outcome != LP_OUT_ASSERT || !strcmp(f->end, g->end));
}

static bool found_again(const struct search *s, struct run *run)
{
	const struct analysis_options options = {
		.check = s->a->check,
		.specification = s->options->specification,
		.races = s->options->races,
		.suppressions = s->options->suppressions,
		.leaks = s->options->leaks,
	};
	struct analysis a;
	struct error e;
	bool again = false;

	if (analysis_run(run, &options, &a, &e) == 0)
		for (size_t i = 0; i < a.nfindings && !again; i++)
			again = same_way(&s->a->findings[0], &a.findings[i]);
	analysis_free(&a);
	return again;
}

static bool try_script(struct search *s, const struct script *script)
{
	struct run *run = NULL;
	struct error e;
	bool again = false;

	if (now_seconds() > s->until || !threads(script))
		return false;
	free(s->text);
	s->text = write_script(script);
	s->argv[s->argument] = s->text;
	if (execute_again(s->a->run, s->directory, "with a smaller client", change, s, &e) == 0)
		run = run_open(s->directory, &e);
	if (run) {
		again = found_again(s, run);
		run_close(run);
	}
	run_files_remove(s->directory);
	return again;
}

/* Leaves out what can be; true if anything was. */
static bool make_smaller(struct search *s, struct script *script)
{
	bool smaller = false;

	for (unsigned g = 0; g < script->ngroups;) {
		struct script less = *script;

		remove_group(&less, g);
		if (try_script(s, &less)) {
			*script = less;
			smaller = true;
		} else {
			g++;
		}
	}
	for (unsigned i = 0; i < script->nwords;) {
		struct script less = *script;

		remove_word(&less, i);
		if (try_script(s, &less)) {
			*script = less;
			smaller = true;
		} else {
			i++;
		}
	}
	return smaller;
}

static char *search_smaller(struct search *s, struct script *script)
{
	char *directory = run_files_temporary("smaller", NULL), *text = NULL;
	bool smaller = false;

	if (!directory)
		return NULL;
	s->directory = directory;
	while (make_smaller(s, script))
		smaller = true;
	if (smaller)
		text = write_script(script);
	run_files_remove(directory);
	rmdir(directory);
	free(directory);
	free(s->text);
	return text;
}

char *smaller_client(const struct analysis *a, const struct analysis_options *options)
{
	double all = SOME_TIME + SOME_TIMES * a->run->status.seconds;
	struct search s = { .a = a, .options = options, .each = all * EACH, .until = now_seconds() + all };
	char *const *argv = a->run->argv, *text = NULL;
	struct script script;
	unsigned n = 0;

	while (argv[n])
		n++;
	for (unsigned i = 1; i < n && !s.argument; i++)
		if (read_script(&script, argv[i]))
			s.argument = i;
	if (!s.argument || !a->nfindings)
		return NULL;
	s.argv = xcalloc(n + 1, sizeof *s.argv);
	memcpy(s.argv, argv, n * sizeof *s.argv);
	text = search_smaller(&s, &script);
	free(s.argv);
	return text;
}
