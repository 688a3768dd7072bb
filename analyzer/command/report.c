/* SPDX-License-Identifier: MIT
 *
 * `linchpin report`: report on a run directory that is there already. A program that was preloaded
 * without this command executes it at its end.
 */
#include "base/budget.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/parallel.h"
#include "command/report_rows.h"
#include "report/report.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <string.h>

/* Of a program that was preloaded. */
static bool environment_asks(void)
{
	const char *spec = getenv("LINCHPIN_SPEC"), *check = getenv("LINCHPIN_CHECK");

	return (spec && *spec && strcmp(spec, "none") != 0) ||
	       (check && *check && strcmp(check, "none") != 0);
}

uint64_t prove_standard(void)
{
	const char *text = getenv("LINCHPIN_PROVE");
	uint64_t n;

	if (!text || !*text || parse_number(text, "LINCHPIN_PROVE", &n, NULL) < 0)
		return PROVE_STANDARD;
	return n;
}

int cmd_report(int argc, char **argv)
{
	struct report_options r = { .prove = prove_standard(), .jobs = 1 };
	bool no_replay = false;
	double max_time = 0;
	const struct option_row rows[] = {
		{ "check", 0, OPTION_CHOICE, "lin|outcome|none", &r.check,
		  "what is checked (as in the run)" },
		{ "spec", 0, OPTION_TEXT, "NAME", &r.specification,
		  "specification of objects without one" },
		{ "max-time", 0, OPTION_SECONDS, "SECONDS", &max_time,
		  "leave out what cannot be judged in this time; 0: no bound (0)" },
		REPORT_ROWS(&r),
		{ "jobs", 'j', OPTION_NUMBER, "N", &r.jobs,
		  "judge classes in N processes; 0: as many as there are processors (1)" },
		{ "histories", 0, OPTION_FLAG, NULL, &r.histories,
		  "print the different histories instead, sorted" },
		{ "no-replay", 0, OPTION_FLAG, NULL, &no_replay,
		  "do not execute violations again" },
	};
	const struct option_table table = {
		.usage = "report [OPTION...] DIR",
		.about = "Reports on the exploration that is recorded in the run directory DIR.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = 1,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	budget_start(max_time);
	budget_signals();
	r.replay = !no_replay;
	r.jobs = parallel_processes(r.jobs);
	r.asked =
		r.specification || (r.check && strcmp(r.check, "none") != 0) || environment_asks();
	if (!r.specification)
		r.specification = spec_from_environment();
	return report_directory(argv[first], &r);
}
