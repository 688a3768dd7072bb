/* SPDX-License-Identifier: MIT
 *
 * `linchpin merge`: one run of the shards of a search, whose rest it explores.
 */
#include "base/budget.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/parallel.h"
#include "command/report_rows.h"
#include "parts/merge.h"
#include "report/report.h"
#include "run/files.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct merge_command {
	struct report_options report;
	struct parallel parallel;
	struct settings settings;
	const char *output, *spec;
	struct spec_choice choice;
	bool only_join;
	char *directory;
};

static int explore_rest(struct merge_command *c, struct error *e)
{
	struct launch launch = { .directory = c->directory,
				 .settings = &c->settings,
				 .search = true,
				 .quiet = c->report.quiet,
				 .progress = !c->report.quiet && isatty(STDERR_FILENO) };
	char *ops;
	int result = parallel_open(&c->parallel, c->directory, &c->settings, e);

	if (result < 0)
		return -1;
	ops = xasprintf("%s/ops", c->directory);
	launch.ops = ops;
	parallel_launch(&c->parallel, &launch);
	result = parallel_explore(&c->parallel, &launch, e);
	free(ops);
	return result;
}

/* The output is emptied first. */
static int check_output(const struct merge_command *c, char **shards, struct error *e)
{
	struct stat output, shard;

	if (!c->output || stat(c->output, &output) < 0)
		return 0;
	for (uint32_t i = 0; shards[i]; i++)
		if (stat(shards[i], &shard) == 0 && shard.st_dev == output.st_dev &&
		    shard.st_ino == output.st_ino)
			return error_set(e, "%s is one of the shards; give another directory",
					 c->output);
	return 0;
}

/* Writes the run directory of all; *left: something is to be explored. */
static int join(struct merge_command *c, struct shards *shards, bool *left, struct error *e)
{
	struct frontier f;
	struct units units = { 0 };
	int result;

	c->directory = run_files_prepare(c->output, e);
	if (!c->directory)
		return -1;
	result = shards_merge(shards, c->directory, &f, e);
	if (f.root)
		tree_units(f.root, BRANCH_LEFT, &units);
	*left = units.n || livelocks_left(&f.livelocks) || (!f.root && !f.drawn);
	free(units.list);
	if (result == 0 && !*left && f.root && f.root->state != BRANCH_DONE)
		result = error_set(e, "something of the search was lost; please report this");
	f.status.end = *left ? LP_END_JOINED : f.root ? LP_END_COMPLETE : LP_END_EXECUTIONS;
	c->report.leaks = f.leaks;
	/* a random search draws as often as it was to; what is left of another one is explored */
	c->settings.max_executions = f.root ? 0 : shards_settings(shards)->max_executions;
	if (result == 0 && (frontier_show(c->directory, &f.status, e) < 0 ||
			    frontier_write(c->directory, &f, e) < 0))
		result = -1;
	frontier_free(&f);
	return result;
}

static int merge(struct merge_command *c, char **directories, struct error *e)
{
	struct shards *shards;
	uint32_t n = 0;
	bool left;
	int result;

	while (directories[n])
		n++;
	if (spec_choose_name(c->spec, &c->choice, e) < 0 || check_output(c, directories, e) < 0)
		return -1;
	shards = shards_open(directories, n, e);
	if (!shards)
		return -1;
	result = join(c, shards, &left, e);
	shards_close(shards);
	return result == 0 && left && !c->only_join ? explore_rest(c, e) : result;
}

int cmd_merge(int argc, char **argv)
{
	struct merge_command c = { .settings = settings_default, .parallel = PARALLEL_NONE };
	const struct option_row rows[] = {
		{ "output", 'o', OPTION_TEXT, "DIR", &c.output, "the run directory (a new linchpin.N)" },
		{ "only-join", 0, OPTION_FLAG, NULL, &c.only_join,
		  "do not explore what shards have found for each other" },
		{ "jobs", 'j', OPTION_NUMBER, "N", &c.parallel.jobs,
		  "explore N parts at a time; 0: as many as there are processors" },
		{ "max-time", 0, OPTION_SECONDS, "SECONDS", &c.settings.max_time,
		  "stop after this time; 0: no bound (60)" },
		{ "spec", 0, OPTION_TEXT, "NAME", &c.spec,
		  "the specification of objects without one" },
		REPORT_ROWS(&c.report),
	};
	const struct option_table table = {
		.usage = "merge [OPTION...] DIR...",
		.about = "Joins the run directories of all shards of a search (linchpin run --shard), "
			 "explores what they\nhave found for each other, and reports.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
	};
	struct error e;
	enum options_end end;
	int first, result;

	c.report.replay = true;
	c.report.prove = prove_standard();
	budget_signals();
	end = options_parse(&table, argc, argv, &first);
	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	budget_start(c.settings.max_time);
	if (merge(&c, argv + first, &e) < 0) {
		result = error_print(&e);
	} else {
		c.report.specification = c.choice.specification;
		c.report.asked = c.choice.asked;
		result = report_directory(c.directory, &c.report);
	}
	free(c.directory);
	spec_choice_free(&c.choice);
	parallel_free(&c.parallel);
	return result;
}
