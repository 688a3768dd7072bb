/* SPDX-License-Identifier: MIT
 *
 * `linchpin verify`: explore the program of a run again with blocks in force, those of the repairs or
 * others.
 */
#include "command/commands.h"
#include "command/options.h"
#include "format/blocks.h"
#include "judge/analysis.h"
#include "repair/ranges.h"
#include "report/repairs.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

struct verify_command {
	const char *directory, *specification, *enforce;
	struct option_list named;
	double seconds;
	struct run *run;
	struct analysis analysis;
	struct repair repair; /* the blocks that were named */
	int result;           /* the exit code */
};

/* A file is named by the end of its path; the run knows it by another name. False if no event of the run
 * was in the function. */
static bool name_as_in_run(const struct analysis *a, struct block *b)
{
	for (uint32_t site = 0; site < a->run->nsites; site++) {
		const struct source_frame *frames;
		uint32_t n = srcmap_frames(a->map, site, &frames);

		for (uint32_t i = 0; i < n; i++) {
			const struct source_frame *f = &frames[i];

			if (!f->function || strcmp(f->function, b->function) != 0 ||
			    !block_file_is(f->file, b->file))
				continue;
			b->file = f->file;
			b->function = f->function;
			return true;
		}
	}
	return false;
}

static int find_blocks(struct verify_command *c, struct error *e)
{
	for (uint32_t i = 0; i < c->named.n; i++) {
		struct block b, given;

		if (block_parse(c->named.list[i], &b, e) < 0)
			return -1;
		given = b;
		if (!name_as_in_run(&c->analysis, &b)) {
			error_set(e, "%s: no event of %s was in this function", c->named.list[i],
				  c->directory);
			block_forget(&given);
			return -1;
		}
		repair_add(&c->repair, &b);
		block_forget(&given);
	}
	return 0;
}

/* What is wrong still, as `linchpin report` prints it. */
static void print_violation(const struct attempt *attempt, const char *specification)
{
	const struct report_options options = { .specification = specification,
						.quiet = true,
						.unrecorded = true };

	report_directory(attempt->directory, &options);
}

static void raise_result(struct verify_command *c, const struct attempt *attempt)
{
	if (attempt->result == PROOF_FAILS)
		c->result = EXIT_VIOLATION;
	else if (attempt->result != PROOF_HOLDS && c->result == EXIT_CLEAN)
		c->result = EXIT_UNFINISHED;
}

static int try_meaning(struct verify_command *c, const char *enforce, struct error *e)
{
	struct attempt attempt;
	int result = 0;

	if (c->enforce && strcmp(c->enforce, enforce) != 0)
		return 0;
	prove_attempt(&c->analysis, c->specification, &c->repair, enforce, c->seconds, &attempt);
	if (!attempt.found) {
		result = error_set(e, "%s", attempt.why);
	} else {
		printf("%s: ", enforce);
		report_attempt(stdout, &attempt);
		putchar('\n');
		if (attempt.result == PROOF_FAILS)
			print_violation(&attempt, c->specification);
		raise_result(c, &attempt);
	}
	attempt_free(&attempt);
	return result;
}

/* What a lock would have to hold besides. */
static void print_closure(struct verify_command *c)
{
	struct closed closed;

	closure_make(c->analysis.closure, &c->repair, &closed);
	if (closed.wait_site == NONE && !closed.impossible &&
	    !repair_equal(&closed.blocks, &c->repair)) {
		fputs("a lock has to hold ", stdout);
		report_blocks(stdout, closed.blocks.blocks, closed.blocks.nblocks);
		putchar('\n');
	}
	closed_free(&closed);
}

static int verify_blocks(struct verify_command *c, struct error *e)
{
	const struct analysis_options options = { .specification = c->specification,
						  .check = c->run->check };

	if (analysis_run(c->run, &options, &c->analysis, e) < 0 || find_blocks(c, e) < 0 ||
	    try_meaning(c, "atomic", e) < 0 || try_meaning(c, "lock", e) < 0)
		return -1;
	if (c->result == EXIT_VIOLATION && (!c->enforce || !strcmp(c->enforce, "lock")))
		print_closure(c);
	return c->result;
}

static int verify_repairs(const struct verify_command *c)
{
	const struct report_options options = { .specification = c->specification,
						.replay = true,
						.prove = UINT64_MAX,
						.patient = true };

	return report_directory(c->directory, &options);
}

static int verify_command(struct verify_command *c)
{
	struct error e;
	int result;

	if (!c->named.n)
		return verify_repairs(c);
	c->run = run_open(c->directory, &e);
	result = c->run ? verify_blocks(c, &e) : -1;
	repair_free(&c->repair);
	analysis_free(&c->analysis);
	if (c->run)
		run_close(c->run);
	return result < 0 ? error_print(&e) : result;
}

int cmd_verify(int argc, char **argv)
{
	struct verify_command c = { .seconds = 60 };
	const struct option_row rows[] = {
		{ "block", 0, OPTION_LIST, "FILE:FUNCTION:FIRST-LAST", &c.named,
		  "have these lines in force; may be given several times" },
		{ "enforce", 0, OPTION_CHOICE, LP_ENFORCE_CHOICES, &c.enforce,
		  "as one atomic step, or with a lock around them (both, one by one)" },
		{ "max-time", 0, OPTION_SECONDS, "SECONDS", &c.seconds,
		  "of each exploration; 0: no bound (60)" },
		{ "spec", 0, OPTION_TEXT, "NAME", &c.specification,
		  "specification of objects without one" },
	};
	const struct option_table table = {
		.usage = "verify [OPTION...] DIR",
		.about = "Explores the program of the run directory DIR again, with blocks in force: those of "
			 "all its\nrepairs, or the blocks that are named.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = 1,
	};
	int first, result;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	c.directory = argv[first];
	result = verify_command(&c);
	free(c.named.list);
	return result;
}
