/* SPDX-License-Identifier: MIT
 *
 * `linchpin bisect`: the commit that broke a test. `git bisect run` calls the same command again with --step,
 * whose exit status tells it what a commit is:
 *
 *	0     good: nothing was found
 *	1     bad: a violation, or the one with the fingerprint that is looked for
 *	125   neither can be told: it does not build, or cannot be explored
 *	128+  a signal: git gives up
 */
#include "base/budget.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/spawn.h"
#include "nightly/result.h"
#include "run/files.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD 0
#define BAD  1
#define SKIP 125
#define STOP (128 + SIGINT)

struct bisect {
	const char *build, *good, *bad, *finding;
	struct option_list with;
	bool step, require_complete;
	char **argv; /* the program under test and its arguments */
	int argc;
};

static int parse(struct bisect *b, int argc, char **argv)
{
	const struct option_row rows[] = {
		{ "build", 'b', OPTION_TEXT, "COMMAND", &b->build,
		  "builds the program; a commit for which it fails is skipped" },
		{ "good", 0, OPTION_TEXT, "COMMIT", &b->good, "where the test was still good" },
		{ "bad", 0, OPTION_TEXT, "COMMIT", &b->bad, "where it is bad (HEAD)" },
		{ "finding", 'f', OPTION_TEXT, "FINGERPRINT", &b->finding,
		  "bad is only what has this finding (any)" },
		{ "with", 0, OPTION_LIST, "OPTION", &b->with,
		  "an option of linchpin run; may be given several times" },
		{ "require-complete", 0, OPTION_FLAG, NULL, &b->require_complete,
		  "skip where nothing is found and the search is not finished" },
		{ "step", 0, OPTION_FLAG, NULL, &b->step,
		  "only test what is there; the exit status is for git bisect run" },
	};
	const struct option_table table = {
		.usage = "bisect [OPTION...] [--] PROGRAM [ARG...]",
		.about = "Finds the first commit with a violation in PROGRAM, by git bisect. Without --good it "
			 "goes on with a\nbisection that was begun with git bisect start.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
		.stop = true,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end == OPTIONS_OK) {
		b->argv = argv + first;
		b->argc = argc - first;
	}
	return (int)end;
}

/* ---- one commit ---- */

static bool asked_to_end(void)
{
	return isfinite(budget_left());
}

static int verdict(const struct bisect *b, const struct record *r)
{
	bool found = false;

	if (r->status == STATUS_FAILED)
		return SKIP;
	for (uint32_t i = 0; i < r->nfaults; i++)
		found |= !b->finding ||
			 !strncmp(r->faults[i].fingerprint, b->finding, strlen(b->finding));
	if (found)
		return BAD;
	return r->complete || !b->require_complete ? GOOD : SKIP;
}

static int explore(const struct bisect *b, const char *directory)
{
	char *json = xasprintf("%s/json", directory), *log = xasprintf("%s/log", directory);
	char *run = xasprintf("%s/run", directory);
	struct words argv = { 0 };
	struct record r = { 0 };
	int status, result;

	words_add(&argv, xstrdup("linchpin"));
	words_add(&argv, xstrdup("run"));
	words_add(&argv, xstrdup("-q"));
	for (uint32_t i = 0; i < b->with.n; i++)
		words_add(&argv, xstrdup(b->with.list[i]));
	words_add(&argv, xasprintf("--output=%s", run));
	words_add(&argv, xasprintf("--json=%s", json));
	words_add(&argv, xstrdup("--"));
	for (int i = 0; i < b->argc; i++)
		words_add(&argv, xstrdup(b->argv[i]));
	words_add(&argv, NULL);
	status = spawn_run("/proc/self/exe", argv.list, NULL, NULL, SPAWN_MESSAGES);
	result_read(json, log, status, &r);
	result = asked_to_end() || status >= 128 ? STOP : verdict(b, &r);
	if (result == BAD)
		fprintf(stderr, "linchpin: bad: %s\n", r.faults[0].message);
	else if (result == GOOD)
		fprintf(stderr, "linchpin: good: %llu classes, %s\n", (unsigned long long)r.classes,
			r.complete ? "all" : "not all");
	record_free(&r);
	words_free(&argv);
	run_files_remove(run);
	rmdir(run);
	unlink(json);
	free(run);
	free(log);
	free(json);
	return result;
}

static int test_commit(const struct bisect *b)
{
	const char *base = getenv("TMPDIR");
	char *directory;
	int result = 0;

	if (b->build) {
		char *const sh[] = { (char *)"sh", (char *)"-c", (char *)b->build, NULL };

		result = spawn_run("/bin/sh", sh, NULL, NULL, SPAWN_ERRORS);
		if (asked_to_end() || result >= 128)
			return STOP;
		if (result != 0) {
			fprintf(stderr, "linchpin: skipped: `%s` failed\n", b->build);
			return SKIP;
		}
	}
	directory = xasprintf("%s/linchpin-bisect-XXXXXX", base && *base == '/' ? base : "/tmp");
	if (mkdtemp(directory)) {
		result = explore(b, directory);
		rmdir(directory);
	} else {
		fprintf(stderr, "linchpin: %s: %s\n", directory, strerror(errno));
		result = STOP;
	}
	free(directory);
	return result;
}

/* ---- git ---- */

/* Its words end with a NULL. */
static int git(const char *first, const char *second, const char *third, const char *fourth)
{
	char *argv[] = { (char *)"git", (char *)first, (char *)second, (char *)third, (char *)fourth, NULL };

	return spawn_run("git", argv, NULL, NULL, SPAWN_ERRORS);
}

static char *git_text(const char *first, const char *second, const char *third, const char *fourth)
{
	char *argv[] = { (char *)"git", (char *)first, (char *)second, (char *)third, (char *)fourth, NULL };

	return spawn_text("git", argv);
}

static char *commit_of(const char *name, struct error *e)
{
	char *what = xasprintf("%s^{commit}", name);
	char *commit = git_text("rev-parse", "--verify", "--end-of-options", what);

	free(what);
	if (!commit)
		error_set(e, "git knows no commit %s", name);
	return commit;
}

static bool bisecting(void)
{
	char *path = git_text("rev-parse", "--git-path", "BISECT_START", NULL);
	bool is = path && access(path, F_OK) == 0;

	free(path);
	return is;
}

/* `git bisect run` with this command and --step. */
static int drive(const struct bisect *b)
{
	struct words argv = { 0 };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int status;

	self[n > 0 ? n : 0] = '\0';
	words_add(&argv, xstrdup("git"));
	words_add(&argv, xstrdup("bisect"));
	words_add(&argv, xstrdup("run"));
	words_add(&argv, xstrdup(n > 0 ? self : "linchpin"));
	words_add(&argv, xstrdup("bisect"));
	words_add(&argv, xstrdup("--step"));
	if (b->require_complete)
		words_add(&argv, xstrdup("--require-complete"));
	if (b->build)
		words_add(&argv, xasprintf("--build=%s", b->build));
	if (b->finding)
		words_add(&argv, xasprintf("--finding=%s", b->finding));
	for (uint32_t i = 0; i < b->with.n; i++)
		words_add(&argv, xasprintf("--with=%s", b->with.list[i]));
	words_add(&argv, xstrdup("--"));
	for (int i = 0; i < b->argc; i++)
		words_add(&argv, xstrdup(b->argv[i]));
	words_add(&argv, NULL);
	status = spawn_run("git", argv.list, NULL, NULL, SPAWN_ERRORS);
	words_free(&argv);
	return status;
}

/* A bisection between ends that are not what they are taken for finds nothing. */
static int check_end(const struct bisect *b, const char *commit, const char *name, int wanted,
		     struct error *e)
{
	int result;

	if (git("checkout", "-q", "--detach", commit) != 0)
		return error_set(e, "git could not check out %s", name);
	result = test_commit(b);
	if (result == wanted)
		return 0;
	if (result == STOP)
		return error_set(e, "interrupted");
	if (result == SKIP)
		return error_set(e, "%s cannot be tested", name);
	return error_set(e, "%s is %s: nothing to look for", name,
			 result == BAD ? "bad, not good" : "good, not bad");
}

/* What `git bisect run` has come to; *first is the commit. 2 is also its answer if only commits that were skipped are left. */
static int result_of(int status, char **first, struct error *e)
{
	fputc('\n', stderr); /* not all versions of git end their last line */
	if (status == 0) {
		*first = git_text("show", "-s", "--format=%h %s", "refs/bisect/bad");
		return *first ? EXIT_CLEAN : error_set(e, "git bisect has found no commit");
	}
	if (asked_to_end() || status >= 128)
		return error_set(e, "git bisect was interrupted");
	fprintf(stderr, "linchpin: the commit was not found out: those that are left cannot be tested\n");
	return EXIT_UNFINISHED;
}

static int between(const struct bisect *b, char **first, struct error *e)
{
	char *good = commit_of(b->good, e), *bad = good ? commit_of(b->bad ? b->bad : "HEAD", e) : NULL;
	int result = -1;

	if (good && bad && git("bisect", "start", NULL, NULL) != 0) {
		error_set(e, "git bisect cannot be started");
	} else if (good && bad) {
		result = check_end(b, bad, b->bad ? b->bad : "HEAD", BAD, e);
		if (result == 0)
			result = check_end(b, good, b->good, GOOD, e);
		if (result == 0 && (git("bisect", "bad", bad, NULL) != 0 ||
				    git("bisect", "good", good, NULL) != 0))
			result = error_set(e, "git bisect does not take these commits");
		if (result == 0)
			result = result_of(drive(b), first, e);
		git("bisect", "reset", NULL, NULL);
	}
	free(good);
	free(bad);
	return result;
}

static int bisect(const struct bisect *b, char **first, struct error *e)
{
	char *inside = git_text("rev-parse", "--is-inside-work-tree", NULL, NULL);
	bool is = inside && !strcmp(inside, "true");

	free(inside);
	if (!is)
		return error_set(e, "this is no working tree of git");
	if (bisecting()) {
		if (b->good || b->bad)
			return error_set(e, "a bisection is going on: leave out --good and --bad, or end it "
					    "with git bisect reset");
		return result_of(drive(b), first, e);
	}
	if (!b->good)
		return error_set(e, "where was the test still good? --good=COMMIT");
	return between(b, first, e);
}

int cmd_bisect(int argc, char **argv)
{
	struct bisect b = { 0 };
	struct error e;
	char *first = NULL;
	int result = parse(&b, argc, argv);

	if (result != OPTIONS_OK) {
		free(b.with.list);
		return result == OPTIONS_HELP ? EXIT_CLEAN : b.step ? STOP : EXIT_MISUSE;
	}
	budget_signals();
	if (b.step)
		result = test_commit(&b);
	else
		result = bisect(&b, &first, &e);
	if (first)
		printf("the first bad commit: %s\n", first);
	free(first);
	free(b.with.list);
	return result < 0 ? error_print(&e) : result;
}
