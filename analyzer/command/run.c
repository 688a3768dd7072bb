/* SPDX-License-Identifier: MIT
 *
 * `linchpin run`: check the program, explore it, report.
 */
#include "base/budget.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/parallel.h"
#include "command/report_rows.h"
#include "format/blocks.h"
#include "format/search.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "launch/progress.h"
#include "report/refused.h"
#include "report/report.h"
#include "report/watch.h"
#include "repair/ranges.h"
#include "run/files.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds by which the bound on time may be exceeded, so that short ones leave some for the report. */
#define GRACE 0.4

struct run_command {
	struct settings settings;
	struct report_options report;
	const char *output, *spec;
	const char *of_search; /* an option that says how a search is begun; NULL: none was given */
	struct spec_choice choice;
	struct option_list blocks;
	struct parallel parallel;
	char *program, *directory, *operations, *block_code;
	char **argv;
};

/* Does the option say how a search is begun? Then one that goes on has it from there. */
static bool of_search(const struct run_command *c, const struct option_row *row)
{
	const struct settings *s = &c->settings;
	const char *to = row->to;

	if (to == (const char *)&s->max_executions || to == (const char *)&s->max_time ||
	    to == (const char *)&s->stop_at)
		return false;
	return (to >= (const char *)s && to < (const char *)(s + 1)) ||
	       to == (const char *)&c->blocks || to == (const char *)&c->report.leaks;
}

static int parse(struct run_command *c, int argc, char **argv)
{
	struct settings *s = &c->settings;
	const struct option_row rows[] = {
		{ "search", 0, OPTION_CHOICE, LP_SEARCH_CHOICES, &s->search,
		  "how schedules are chosen (" LP_SEARCH_STANDARD ")" },
		{ "seed", 0, OPTION_NUMBER, "N", &s->seed, "seed of random searches (1)" },
		{ "max-executions", 0, OPTION_NUMBER, "N", &s->max_executions,
		  "stop after N executions; 0: no bound (0)" },
		{ "max-time", 0, OPTION_SECONDS, "SECONDS", &s->max_time,
		  "stop after this time; 0: no bound (60)" },
		{ "stop-at", 0, OPTION_NUMBER, "N", &s->stop_at,
		  "stop after N classes that ended with an error; 0: no bound (0)" },
		{ "keep", 0, OPTION_TEXT, "all|findings|N", &s->keep,
		  "record N classes, and of others one of each kind; findings: 0 (all)" },
		{ "max-steps", 0, OPTION_NUMBER, "N", &s->max_steps,
		  "steps that each thread may take (20000)" },
		{ "check", 0, OPTION_CHOICE, "lin|outcome|none", &s->check,
		  "what is checked (lin)" },
		{ "progress", 0, OPTION_CHOICE, LP_PROGRESS_CHOICES, &s->progress,
		  "also find operations that stalled threads keep from completing" },
		{ "equivalence", 0, OPTION_CHOICE, "auto|mazurkiewicz|observers|symmetry|observers+symmetry", &s->equivalence,
		  "which executions count as one (auto)" },
		{ "audit", 0, OPTION_FLAG, NULL, &s->audit,
		  "a stateful search checks that states it takes for the same are" },
		{ "spec", 0, OPTION_TEXT, "NAME|FILE", &c->spec,
		  "a specification file, or the specification of objects without one" },
		{ "isolate", 0, OPTION_CHOICE, "rollback|fork", &s->isolate,
		  "how an execution is undone (rollback)" },
		{ "malloc", 0, OPTION_CHOICE, "reuse|thread|quarantine", &s->malloc,
		  "what becomes of freed memory (reuse)" },
		{ "spurious", 0, OPTION_FLAG, NULL, &s->spurious,
		  "waits for conditions may end without a signal" },
		{ "instrument", 0, OPTION_TEXT, "GLOB,...", &s->instrument,
		  "see accesses only of these functions or modules; none: of none" },
		{ "skip", 0, OPTION_TEXT, "GLOB,...", &s->skip,
		  "do not see accesses of these functions" },
		{ "block", 0, OPTION_LIST, "FILE:FUNCTION:FIRST-LAST", &c->blocks,
		  "execute these lines as if they were atomic; may be given several times" },
		{ "enforce", 0, OPTION_CHOICE, LP_ENFORCE_CHOICES, &s->enforce,
		  "blocks: nobody else runs meanwhile, or no other block does (atomic)" },
		{ "jobs", 'j', OPTION_NUMBER, "N", &c->parallel.jobs,
		  "explore in parts, N at a time; 0: as many as there are processors" },
		{ "shard", 0, OPTION_TEXT, "I/N", &c->parallel.shard,
		  "explore the I-th of N shares of the search; linchpin merge joins them" },
		{ "resume", 0, OPTION_TEXT, "DIR", &c->parallel.resume,
		  "go on with the search of a run directory that -j or --shard has made" },
		{ "output", 'o', OPTION_TEXT, "DIR", &c->output,
		  "the run directory (a new linchpin.N)" },
		REPORT_ROWS(&c->report),
	};
	bool given[sizeof rows / sizeof *rows] = { false };
	const struct option_table table = {
		.usage = "run [OPTION...] [--] PROGRAM [ARG...] | --resume=DIR",
		.about = "Explores the schedules of PROGRAM, checks each execution, and reports.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.most = -1,
		.stop = true,
		.given = given,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end == OPTIONS_OK)
		c->argv = argv + first;
	for (size_t i = 0; i < table.nrows; i++)
		if (given[i] && of_search(c, &rows[i]))
			c->of_search = rows[i].name;
	return end;
}

/* The code of the blocks that are to be in force. */
static int find_blocks(struct run_command *c, struct error *e)
{
	struct block *blocks = xcalloc(c->blocks.n, sizeof *blocks);
	uint32_t n = 0;
	int result = 0;

	for (; n < c->blocks.n && result == 0; n += result == 0)
		result = block_parse(c->blocks.list[n], &blocks[n], e);
	if (n && result == 0) {
		c->block_code = blocks_text(c->program, blocks, n, e);
		result = c->block_code ? 0 : -1;
	}
	for (uint32_t i = 0; i < n; i++)
		block_forget(&blocks[i]);
	free(blocks);
	return result;
}

static int check_steps(const struct run_command *c, struct error *e)
{
	const uint64_t n = c->settings.max_steps;

	if (n >= LP_STEPS_LEAST && n <= LP_STEPS_MOST)
		return 0;
	return error_set(e, "--max-steps must be from %d to %d, not `%llu`", LP_STEPS_LEAST, LP_STEPS_MOST,
			 (unsigned long long)n);
}

static int check_keep(const struct run_command *c, struct error *e)
{
	const char *keep = c->settings.keep;

	if (!strcmp(keep, "all"))
		return 0;
	if (strcmp(keep, "findings") != 0 && (!*keep || keep[strspn(keep, "0123456789")]))
		return error_set(e, "--keep must be all, findings or a whole number, not `%s`", keep);
	if (c->report.races || c->report.races_all || c->report.coverage || c->report.lcov || c->report.leaks)
		return error_set(e, "%s looks at every class: it needs --keep=all",
				 c->report.races || c->report.races_all ? "--races"
				 : c->report.leaks			? "--leaks"
									: "--coverage");
	return 0;
}

/* What needs each class; NULL: nothing does. */
static const char *of_every_class(const struct run_command *c)
{
	return c->blocks.n					  ? "--block"
	       : strcmp(c->settings.progress, "none") != 0	  ? "--progress"
	       : c->report.leaks				  ? "--leaks"
	       : c->report.races || c->report.races_all		  ? "--races"
	       : c->report.coverage || c->report.lcov		  ? "--coverage"
								  : NULL;
}

/* Where it saves something, and each class has to be remembered anyway. Wrong results are only found when the search is over, and their repairs need each
 * class; how executions end is seen at once (OBSERVERS_WHILE_FINE). */
static bool observes_by_itself(const struct settings *s)
{
	return !strcmp(s->check, "none") && !strcmp(s->isolate, "rollback") && !strcmp(s->search, "auto");
}

/* Writes of which nobody can tell the order are in none then. */
static int choose_equivalence(struct run_command *c, struct error *e)
{
	struct settings *s = &c->settings;
	const char *needs = of_every_class(c);

	if (!strcmp(s->equivalence, "auto") && (needs || c->parallel.on || !observes_by_itself(s)))
		s->equivalence = "mazurkiewicz";
	if (!strcmp(s->equivalence, "auto") || !strcmp(s->equivalence, "mazurkiewicz"))
		return 0;
	if (!strcmp(s->check, "lin") && strcmp(s->equivalence, "symmetry") != 0)
		return error_set(e, "--equivalence=%s does not keep real-time order: it needs "
				    "--check=outcome or --check=none", s->equivalence);
	if (needs)
		return error_set(e, "%s looks at every class: it needs --equivalence=mazurkiewicz", needs);
	return 0;
}

/* Executions end in states that were met before, with what is behind. */
static int check_stateful(const struct run_command *c, struct error *e)
{
	const struct settings *s = &c->settings;
	const char *every = of_every_class(c);
	const char *whole = every				       ? every
			    : strcmp(s->equivalence, "mazurkiewicz") != 0 ? "--equivalence"
									  : NULL;

	if (!settings_stateful(s))
		return s->audit ? error_set(e, "--audit compares states: it needs --search=" LP_SEARCH_STATEFUL) : 0;
	if (whole)
		return error_set(e, "%s looks at every class, and --search=%s does not come to the end of each; use "
				    "--search=dpor",
				 whole, s->search);
	if (strcmp(s->isolate, "rollback") != 0)
		return error_set(e, "--search=%s compares states, which --isolate=%s does not keep in one process",
				 s->search, s->isolate);
	return 0;
}

/* Checks everything that an exploration needs. Makes the run directory last, so that nothing is
 * left after an error. */
static int prepare_new(struct run_command *c, struct error *e)
{
	char *runtime;
	const char *starter;
	bool debug_info;

	if (check_steps(c, e) < 0 || check_keep(c, e) < 0 || choose_equivalence(c, e) < 0 || check_stateful(c, e) < 0)
		return -1;
	runtime = runtime_find(e);
	free(runtime);
	if (!runtime)
		return -1;
	c->program = program_find(c->argv[0], e);
	if (!c->program || program_check(c->program, &debug_info, e) < 0)
		return -1;
	c->report.warned = !debug_info;
	starter = program_starts_another(c->program);
	if (starter)
		return error_set(e,
				 "%s starts another program, and only %s itself would be explored; "
				 "write `%s ... linchpin run -- ./test`",
				 c->program, starter, starter);
	if (!debug_info)
		fprintf(stderr,
			"linchpin: warning: %s has no debug information, so there will be no line "
			"numbers; compile with -g and do not strip it\n",
			c->program);
	c->settings.leaks = c->report.leaks;
	c->settings.coverage = c->report.coverage || c->report.lcov;
	if (find_blocks(c, e) < 0)
		return -1;
	if (spec_choose(c->program, c->spec, c->settings.check, &c->choice, e) < 0)
		return -1;
	c->report.specification = c->choice.specification;
	c->report.asked = c->choice.asked || (c->settings.check != settings_default.check &&
					      strcmp(c->settings.check, "none") != 0);
	if (spec_make(&c->choice, c->program, c->report.quiet, &c->operations, e) < 0)
		return -1;
	c->directory = run_files_prepare(c->output, e);
	return c->directory ? 0 : -1;
}

/* All but the bounds is as it was. */
static int prepare_resumed(struct run_command *c, struct error *e)
{
	const char *given = c->parallel.resume;

	if (c->output)
		return error_set(e, "--resume goes on in the run directory; leave -o out");
	if (spec_choose_name(c->spec, &c->choice, e) < 0 ||
	    parallel_open(&c->parallel, given, &c->settings, e) < 0)
		return -1;
	c->directory = realpath(given, NULL);
	c->report.specification = c->choice.specification;
	c->report.asked = c->choice.asked;
	c->report.leaks = c->settings.leaks;
	return c->directory ? 0 : error_set(e, "%s cannot be found", given);
}

static int prepare(struct run_command *c, struct error *e)
{
	if (c->parallel.resume && c->of_search)
		return error_set(e, "--resume goes on as the search was begun; leave --%s out", c->of_search);
	if (parallel_check(&c->parallel, &c->settings, c->blocks.n, *c->argv != NULL, e) < 0)
		return -1;
	if (c->parallel.on && (c->report.coverage || c->report.lcov))
		return error_set(e, "-j, --shard and --resume: --coverage is that of one process");
	return c->parallel.resume ? prepare_resumed(c, e) : prepare_new(c, e);
}

/* What the program's end means. What was explored counts even if the process was killed in the
 * end. */
static int judge_end(const struct run_command *c, int status, struct error *e)
{
	struct lp_status s;
	char *place;

	if (status_read(c->directory, &s, NULL) < 0 || !s.magic) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISUSE)
			return error_set(e, "the exploration could not be started");
		if (WIFSIGNALED(status))
			return error_set(
				e, "%s was ended by signal %d (%s) before the exploration began",
				c->program, WTERMSIG(status), strsignal(WTERMSIG(status)));
		return error_set(e,
				 "%s ran without the runtime: libsched.so was not loaded into it",
				 c->program);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
		place = s.limits & LP_LIMIT_REFUSED ? refused_place(c->directory) : NULL;
		error_set(e, "%s%sthe exploration ended with an error; what was recorded is in %s",
			  place ? place : "", place ? ": with this call " : "", c->directory);
		free(place);
		return -1;
	}
	if (strcmp(c->settings.progress, settings_default.progress) != 0 && s.classes && !s.calls)
		return error_set(e, "--progress=%s: no operation was seen; mark operations with "
				    "linchpin_call() and linchpin_return() of linchpin.h, or name "
				    "them in a specification file (linchpin init)",
				 c->settings.progress);
	if (WIFSIGNALED(status))
		fprintf(stderr,
			"linchpin: warning: the exploration was ended by signal %d (%s); the "
			"results so far follow\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	return 0;
}

/* The directory relative to the working directory if it is below it. */
static const char *shown(const char *directory)
{
	char *here = getcwd(NULL, 0);
	size_t n = here ? strlen(here) : 0;
	bool below = n > 1 && !strncmp(directory, here, n) && directory[n] == '/';

	free(here);
	return below ? directory + n + 1 : directory;
}

static int explore(struct run_command *c, struct error *e)
{
	char *ops = xasprintf("%s/ops", c->directory);
	char *blocks = xasprintf("%s/blocks", c->directory);
	struct launch launch = {
		.program = c->program,
		.argv = c->argv,
		.directory = c->directory,
		.ops = ops,
		.blocks = blocks,
		.settings = &c->settings,
		.search = true,
		.quiet = c->report.quiet,
		.stdout_to_stderr = c->report.json && !strcmp(c->report.json, "-"),
		.progress = !c->report.quiet && isatty(STDERR_FILENO),
	};
	const struct watch_options watched = {
		.directory = c->directory,
		.shown = shown(c->directory),
		.report = &c->report,
		.check = c->settings.check,
		.stop_at = c->settings.stop_at,
		.print = launch.progress && c->settings.stop_at != 1,
	};
	/* Whether an execution ends with an error the runtime sees by itself. */
	const bool judged = c->settings.stop_at && strcmp(c->settings.check, "none") != 0;
	struct watch watch = { 0 };
	int status = 0, result = 0;

	if (c->parallel.resume)
		parallel_launch(&c->parallel, &launch);
	else
		result = spec_save(c->operations, ops, e);
	if (result == 0 && c->block_code)
		result = blocks_save(c->block_code, blocks, e);
	if (result == 0) {
		if (launch.progress || judged)
			watch_begin(&watch, &watched);
		launch.judged = watch.judged;
		result = c->parallel.on ? parallel_explore(&c->parallel, &launch, e)
					: launch_run(&launch, &status, e);
		/* What was confirmed already belongs into the report. */
		if (watch.judged)
			c->report.sought = watch.judged->last;
		watch_end(&watch);
	}
	free(ops);
	free(blocks);
	return result < 0 ? -1 : judge_end(c, status, e);
}

/* Functions that could not be instrumented, so that their accesses are not seen: each with -v,
 * otherwise their number. */
static void print_uninstrumented(const struct run_command *c)
{
	char *path = xasprintf("%s/uninstrumented", c->directory), *line = NULL;
	FILE *file = fopen(path, "r");
	size_t size = 0, n = 0;

	free(path);
	if (!file || c->report.quiet) {
		if (file)
			fclose(file);
		return;
	}
	for (; getline(&line, &size, file) > 0; n++) {
		if (c->report.verbose)
			fprintf(stderr, "linchpin: not instrumented: %s", line);
	}
	if (n && !c->report.verbose)
		fprintf(stderr,
			"linchpin: %zu function%s could not be instrumented, so accesses in %s are "
			"not seen; linchpin run -v names %s\n",
			n, plural(n, "", "s"), plural(n, "it", "them"), plural(n, "it", "them"));
	free(line);
	fclose(file);
}

int cmd_run(int argc, char **argv)
{
	struct run_command c = { .settings = settings_default, .parallel = PARALLEL_NONE };
	struct error e;
	int result = EXIT_MISUSE;

	c.settings.equivalence = "auto";
	c.report.replay = true;
	c.report.prove = prove_standard();
	budget_signals();
	switch (parse(&c, argc, argv)) {
	case OPTIONS_HELP:
		return EXIT_CLEAN;
	case OPTIONS_ERROR:
		return EXIT_MISUSE;
	default:
		break;
	}
	budget_start(c.settings.max_time > 0 ? c.settings.max_time + GRACE : 0);
	if (prepare(&c, &e) < 0 || explore(&c, &e) < 0) {
		spec_print(&e);
	} else {
		print_uninstrumented(&c);
		c.report.jobs = parallel_workers(&c.parallel);
		result = report_directory(shown(c.directory), &c.report);
	}
	free(c.program);
	free(c.directory);
	free(c.operations);
	free(c.block_code);
	free(c.blocks.list);
	parallel_free(&c.parallel);
	spec_choice_free(&c.choice);
	return result;
}
