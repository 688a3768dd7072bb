/* SPDX-License-Identifier: MIT
 *
 * `linchpin suite`: explore the tests of a file, put what they came to into the database, and say what is
 * new.
 */
#include "base/budget.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/spawn.h"
#include "command/suite_jobs.h"
#include "nightly/board.h"
#include "nightly/result.h"
#include "nightly/screen.h"
#include "nightly/suite_outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAST 120 /* nights that are looked at */

struct suite_command {
	const char *db, *shard, *commit, *html, *junit, *sarif;
	uint64_t jobs;
	bool again, quiet, verbose;
	struct suite suite;
	struct suite_test **tests; /* of this shard, in the order of the file */
	struct record *records;    /* of them */
	bool *have;
	uint32_t n;
	struct store *store;
	struct night night;
	char *directory;
	double started;
	struct error e; /* of what happens while tests run */
	bool failed;
};

static int parse(struct suite_command *c, int argc, char **argv, const char **file)
{
	const struct option_row rows[] = {
		{ "db", 'd', OPTION_TEXT, "FILE", &c->db, "the database (linchpin.db)" },
		{ "jobs", 'j', OPTION_NUMBER, "N", &c->jobs, "tests at once (processors)" },
		{ "shard", 0, OPTION_TEXT, "K/N", &c->shard, "only the K-th of N parts of the tests" },
		{ "commit", 0, OPTION_TEXT, "TEXT", &c->commit, "what is tested (git's commit)" },
		{ "again", 0, OPTION_FLAG, NULL, &c->again,
		  "begin a new night even if the last one was interrupted" },
		{ "html", 0, OPTION_TEXT, "FILE", &c->html, "write a dashboard of all nights" },
		{ "junit", 0, OPTION_TEXT, "FILE", &c->junit, "write the tests as JUnit test cases" },
		{ "sarif", 0, OPTION_TEXT, "FILE", &c->sarif,
		  "write the findings as SARIF: new, unchanged, absent" },
		{ "quiet", 'q', OPTION_FLAG, NULL, &c->quiet, "print only what is new" },
		{ "verbose", 'v', OPTION_FLAG, NULL, &c->verbose, "print everything, known findings too" },
	};
	const struct option_table table = {
		.usage = "suite [OPTION...] FILE",
		.about = "Explores the tests that FILE lists, puts the results into a database, and says "
			 "what is new since the\nnights before. Exits with 1 only for what is new.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = 1,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end == OPTIONS_OK)
		*file = argv[first];
	return (int)end;
}

/* ---- the file ---- */

struct option_check {
	const char *option;
	bool known;
};

/* Is it an option of `linchpin run` that writes no file? Those that take a FILE or a DIR do, but for one. */
static void check_option(const struct option_table *table, void *data)
{
	struct option_check *c = data;
	size_t n = strcspn(c->option, "=");

	for (size_t i = 0; i < table->nrows; i++) {
		const struct option_row *row = &table->rows[i];
		bool writes = row->value && (!strcmp(row->value, "FILE") || !strcmp(row->value, "DIR")) &&
			      strcmp(row->name, "suppressions") != 0;

		if (strlen(row->name) == n && !strncmp(row->name, c->option, n))
			c->known = !c->option[n] == !row->value && !writes;
	}
}

static int check_options(const struct suite *s, struct error *e)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->tests[i].options.n; k++) {
			const char *option = s->tests[i].options.list[k];
			struct option_check c = { option + 2, false };
			char *argv[] = { (char *)"run", NULL };

			if (option[0] == '-' && option[1] == '-') {
				options_visit(check_option, &c);
				cmd_run(1, argv);
				options_visit(NULL, NULL);
			}
			if (!c.known)
				return error_set(e,
						 "%s:%u: `%s` is no option for a test: --NAME or "
						 "--NAME=VALUE as of `linchpin run`, none that names an "
						 "output",
						 s->path, s->tests[i].line, option);
		}
	return 0;
}

/* Which part a test belongs to depends on its name alone: it stays there when others come and go. */
static uint64_t part_of(const char *name, uint64_t parts)
{
	uint64_t h = 0x9e3779b97f4a7c15ULL;

	for (; *name; name++)
		h = hash_mix(h, (unsigned char)*name);
	return hash_mix(h, 1) % parts;
}

static int choose(struct suite_command *c, struct error *e)
{
	uint64_t part = 1, parts = 1;
	char *text = xstrdup(c->shard ? c->shard : "1/1"), *slash = strchr(text, '/');
	int result = slash ? 0 : -1;

	if (slash) {
		*slash = '\0';
		if (parse_number(text, "--shard", &part, e) < 0 ||
		    parse_number(slash + 1, "--shard", &parts, e) < 0)
			result = -1;
	}
	free(text);
	if (result < 0 || !part || part > parts)
		return error_set(e, "--shard must be K/N with K from 1 to N, not `%s`", c->shard);
	c->tests = xcalloc(c->suite.n, sizeof *c->tests);
	for (uint32_t i = 0; i < c->suite.n; i++)
		if (part_of(c->suite.tests[i].name, parts) == part - 1)
			c->tests[c->n++] = &c->suite.tests[i];
	c->records = xcalloc(c->n, sizeof *c->records);
	c->have = xcalloc(c->n, sizeof *c->have);
	return 0;
}

/* The commit of the working directory, with a + if files differ from it; "" if there is none. */
static char *revision(void)
{
	static char *const head[] = { (char *)"git", (char *)"rev-parse", (char *)"--short=12", (char *)"HEAD",
				      NULL };
	static char *const state[] = { (char *)"git", (char *)"-c", (char *)"core.fsmonitor=false",
				       (char *)"status", (char *)"--porcelain",
				       (char *)"--untracked-files=no", NULL };
	char *commit = spawn_text("git", head), *changed = commit ? spawn_text("git", state) : NULL, *all;

	all = xasprintf("%s%s", commit ? commit : "", changed && *changed ? "+" : "");
	free(commit);
	free(changed);
	return all;
}

/* ---- tests ---- */

static uint32_t number_of(const struct suite_command *c, const char *name)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->tests[i]->name, name))
			return i;
	return NONE;
}

/* What was done before the night was interrupted counts, if it would be done in the same way now. */
static int take_over(struct suite_command *c, struct error *e)
{
	struct record *list;
	uint32_t n, i, taken = 0;

	if (store_night(c->store, c->night.id, &list, &n, e) < 0)
		return -1;
	for (uint32_t k = 0; k < n; k++) {
		struct record *r = &list[k];
		char *build, *id, *command;

		i = number_of(c, r->test);
		if (i == NONE)
			continue;
		command = suite_command(c->tests[i]);
		build = result_build(c->tests[i], &id);
		if (*build && !strcmp(build, r->build) && !strcmp(command, r->command) &&
		    r->status != STATUS_FAILED) {
			c->records[i] = *r;
			*r = (struct record){ 0 };
			result_mark_known(c->tests[i], &c->records[i]);
			c->have[i] = true;
			taken++;
		}
		free(command);
		free(build);
		free(id);
	}
	records_free(list, n);
	if (n && !c->quiet)
		fprintf(stderr, "linchpin: night %lld was interrupted; %u of %u %s done\n",
			(long long)c->night.id, taken, c->n, plural(c->n, "test is", "tests are"));
	return 0;
}

static int done(const struct suite_test *t, struct record *r, void *data)
{
	struct suite_command *c = data;
	uint32_t i = number_of(c, t->name), have = 0;

	r->night = c->night.id;
	if (store_save(c->store, r, &c->e) < 0) {
		c->failed = true;
		return -1;
	}
	c->records[i] = *r;
	*r = (struct record){ 0 };
	c->have[i] = true;
	for (uint32_t k = 0; k < c->n; k++)
		have += c->have[k];
	if (!c->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%u of %u: %s, %s", have, c->n, t->name,
			status_name(c->records[i].status));
	return 0;
}

static int make_directory(struct suite_command *c, struct error *e)
{
	const char *base = getenv("TMPDIR");

	c->directory = xasprintf("%s/linchpin-suite-XXXXXX", base && *base == '/' ? base : "/tmp");
	if (mkdtemp(c->directory))
		return 0;
	free(c->directory);
	c->directory = NULL;
	return error_set(e, "no temporary directory: %s", strerror(errno));
}

/* All that are not done. True if then all are. */
static bool explore(struct suite_command *c)
{
	const struct suite_test **left = xcalloc(c->n, sizeof *left);
	struct suite_jobs jobs = { .tests = left,
				   .jobs = (unsigned)c->jobs,
				   .directory = c->directory,
				   .done = done,
				   .data = c };
	bool all;

	for (uint32_t i = 0; i < c->n; i++)
		if (!c->have[i])
			left[jobs.n++] = c->tests[i];
	all = suite_jobs_run(&jobs);
	if (!c->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	free(left);
	return all;
}

/* ---- what is said ---- */

struct comparison_data {
	struct record **past;
	uint32_t *npast;
	struct remarks remarks;
};

static int compare_all(struct suite_command *c, struct comparison_data *d, struct error *e)
{
	d->past = xcalloc(c->n, sizeof *d->past);
	d->npast = xcalloc(c->n, sizeof *d->npast);
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->have[i])
			continue;
		if (store_records(c->store, c->suite.name, c->tests[i]->name, c->night.id, PAST, &d->past[i],
				  &d->npast[i], e) < 0)
			return -1;
		compare(c->tests[i], &c->records[i], d->past[i], d->npast[i], &d->remarks);
	}
	return 0;
}

static int write_all(struct suite_command *c, const struct comparison_data *d, struct error *e)
{
	const struct suite_outputs o = { &c->night, c->records, c->have, c->n, &d->remarks };

	if (c->html && board_write(c->store, c->suite.name, c->html, e) < 0)
		return -1;
	if (c->junit && suite_junit(&o, c->junit, e) < 0)
		return -1;
	if (c->sarif && suite_sarif(&o, c->sarif, e) < 0)
		return -1;
	suite_annotations(&o);
	return 0;
}

static int tell(struct suite_command *c, bool all, struct error *e)
{
	struct comparison_data d = { 0 };
	struct summary s = { .night = &c->night,
			     .remarks = &d.remarks,
			     .tests = c->n,
			     .verbose = c->verbose,
			     .quiet = c->quiet };
	struct said *said = NULL;
	int result = compare_all(c, &d, e);
	bool fresh = false;

	for (uint32_t i = 0; i < d.remarks.n; i++)
		fresh |= d.remarks.list[i].fresh;
	for (uint32_t i = 0; i < c->n; i++)
		s.done += c->have[i];
	if (result == 0 && all) {
		said = remarks_said(&d.remarks, c->night.id);
		result = store_end(c->store, c->night.id, said, d.remarks.n, e);
	}
	if (result == 0) {
		s.seconds = now_seconds() - c->started;
		screen_print(stdout, &s);
		result = write_all(c, &d, e);
	}
	if (result == 0 && !all)
		fprintf(stderr, "linchpin: interrupted; the same command goes on where it stopped\n");
	if (result == 0)
		result = fresh ? EXIT_VIOLATION : all ? EXIT_CLEAN : EXIT_UNFINISHED;
	if (said)
		said_free(said, d.remarks.n);
	remarks_free(&d.remarks);
	for (uint32_t i = 0; i < c->n; i++)
		records_free(d.past[i], d.npast[i]);
	free(d.past);
	free(d.npast);
	return result;
}

static int run(struct suite_command *c, const char *file, struct error *e)
{
	char *commit;
	int result;
	bool all;

	if (suite_read(file, &c->suite, e) < 0 || check_options(&c->suite, e) < 0 || choose(c, e) < 0)
		return -1;
	c->store = store_open(c->db ? c->db : "linchpin.db", false, e);
	if (!c->store || make_directory(c, e) < 0)
		return -1;
	commit = c->commit ? xstrdup(c->commit) : revision();
	result = store_begin(c->store, c->suite.name, c->shard ? c->shard : "", commit, c->again, &c->night, e);
	free(commit);
	if (result < 0 || take_over(c, e) < 0)
		return -1;
	all = explore(c);
	if (c->failed) {
		*e = c->e;
		return -1;
	}
	return tell(c, all, e);
}

int cmd_suite(int argc, char **argv)
{
	struct suite_command c = { .jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) };
	struct error e;
	const char *file;
	int result = parse(&c, argc, argv, &file);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	if (!c.jobs || c.jobs > 256)
		c.jobs = c.jobs ? 256 : 1;
	c.started = now_seconds();
	budget_signals();
	result = run(&c, file, &e);
	for (uint32_t i = 0; i < c.n; i++)
		record_free(&c.records[i]);
	if (c.directory)
		rmdir(c.directory);
	store_close(c.store);
	night_free(&c.night);
	suite_free(&c.suite);
	free(c.directory);
	free(c.tests);
	free(c.records);
	free(c.have);
	return result < 0 ? error_print(&e) : result;
}
