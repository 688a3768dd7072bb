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

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge_command {
	struct report_options report;
	struct parallel parallel;
	struct settings settings;
	const char *output, *spec;
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

static int merge(struct merge_command *c, char **shards, struct error *e)
{
	struct frontier f;
	struct units left = { 0 };
	uint32_t n = 0;
	int result;

	while (shards[n])
		n++;
	for (uint32_t i = 0; i < n && c->output; i++)
		if (!strcmp(shards[i], c->output))
			return error_set(e, "%s is one of the shards; give another directory",
					 c->output);
	c->directory = run_files_prepare(c->output, e);
	if (!c->directory)
		return -1;
	result = parts_merge(shards, n, c->directory, &f, e);
	if (result == 0 && f.root)
		tree_units(f.root, BRANCH_LEFT, &left);
	left.n += livelocks_left(&f.livelocks);
	f.status.end = left.n || !f.root ? LP_END_EXECUTIONS : LP_END_COMPLETE;
	if (result == 0)
		result = frontier_show(c->directory, &f.status, e) < 0 ||
					 frontier_write(c->directory, &f, e) < 0
				 ? -1
				 : 0;
	frontier_free(&f);
	free(left.list);
	if (result == 0 && left.n && !c->only_join)
		result = explore_rest(c, e);
	return result;
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
		{ "spec", 0, OPTION_TEXT, "NAME|FILE", &c.spec,
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
	c.report.specification = c.spec;
	c.report.asked = c.spec != NULL;
	result = merge(&c, argv + first, &e) < 0 ? error_print(&e)
						 : report_directory(c.directory, &c.report);
	free(c.directory);
	parallel_free(&c.parallel);
	return result;
}
