/* SPDX-License-Identifier: MIT
 *
 * `linchpin fix`: a patch for a repair of a run.
 */
#include "command/commands.h"
#include "command/fix_build.h"
#include "command/options.h"
#include "command/report_rows.h"
#include "fix/patch.h"
#include "judge/analysis.h"
#include "report/repairs.h"
#include "run/outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIED 6 /* patches that are built and explored, at most */

struct fix {
	const char *directory, *build, *specification;
	uint64_t prove;
	bool apply;
	struct block *blocks; /* of one's own */
	uint32_t nblocks;
	struct flags flags;
	struct run *run;
	struct analysis a;
	struct fix_build copy;
	unsigned tried;
};

/* FILE:FUNCTION:A-B, the function may be empty. */
static int parse_block(char *text, struct block *b, struct error *e)
{
	char *lines = strrchr(text, ':'), *function, *end;

	if (!lines)
		goto wrong;
	*lines++ = '\0';
	function = strrchr(text, ':');
	if (!function)
		goto wrong;
	*function++ = '\0';
	b->file = text;
	b->function = *function ? function : NULL;
	b->first = (uint32_t)strtoul(lines, &end, 10);
	b->last = *end == '-' ? (uint32_t)strtoul(end + 1, &end, 10) : b->first;
	if (!*end && b->first && b->last >= b->first && *text)
		return 0;
wrong:
	return error_set(e,
			 "--block: FILE:FUNCTION:FIRST-LAST is expected, as in list.c:add:40-44");
}

/* Takes --block options, which may be several, and what follows `--` out of the arguments. */
static int take_arguments(struct fix *f, int *argc, char **argv, struct error *e)
{
	int to = 1;

	for (int i = 1; i < *argc; i++) {
		char *value = NULL;

		if (!strcmp(argv[i], "--")) {
			for (i++; i < *argc; i++)
				flags_add(&f->flags, argv[i]);
			break;
		}
		if (!strncmp(argv[i], "--block=", 8))
			value = argv[i] + 8;
		else if (!strcmp(argv[i], "--block") && i + 1 < *argc)
			value = argv[++i];
		if (!value) {
			argv[to++] = argv[i];
			continue;
		}
		f->blocks = xreallocarray(f->blocks, f->nblocks + 1, sizeof *f->blocks);
		if (parse_block(value, &f->blocks[f->nblocks++], e) < 0)
			return -1;
	}
	*argc = to;
	argv[to] = NULL;
	return 0;
}

/* Writes a file beside the old one first, so that it is there as a whole in every case. */
static int write_file(const char *path, const char *text, struct error *e)
{
	FILE *f = fopen(path, "w");
	bool failed;

	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	failed = fputs(text, f) < 0;
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", path, strerror(errno));
	return 0;
}

/* `lock`: what came of a lock around the blocks, or NULL. */
static int show(const struct fix *f, const struct patch *p, const struct attempt *lock, struct error *e)
{
	fflush(stderr);
	patch_print(stdout, p);
	fflush(stdout);
	if (!f->build && lock && !f->a.ncircles && lock->result != PROOF_NONE && lock->result != PROOF_FAILS) {
		fputs("linchpin: a lock around the lines of this repair: ", stderr);
		report_attempt(stderr, lock);
		fputc('\n', stderr);
	}
	if (!f->build)
		fputs("linchpin: the patch is not proven; --build COMMAND builds it in a copy and "
		      "explores that\n",
		      stderr);
	if (!f->apply)
		return EXIT_CLEAN;
	for (size_t i = 0; i < p->n; i++)
		if (write_file(p->files[i].path, p->files[i].after, e) < 0)
			return -1;
	fprintf(stderr, "linchpin: %s changed\n", p->n == 1 ? "the file was" : "the files were");
	return EXIT_CLEAN;
}

/* The lines of the summary, each as a message. */
static void tell(const struct patch *p)
{
	for (const char *line = p->summary, *end; line && *line; line = end + 1) {
		end = strchr(line, '\n');
		fprintf(stderr, "linchpin: %.*s\n", (int)(end - line), line);
	}
}

/* Patches for one set of blocks, until one is good. An exit code; EXIT_UNFINISHED: none is; -1. */
static int fix_blocks(struct fix *f, const struct block *blocks, uint32_t n,
		      const struct attempt *lock, struct error *e)
{
	struct patch_request q = {
		.blocks = blocks,
		.nblocks = n,
		.run = f->run,
		.map = f->a.map,
		.nestings = f->nblocks ? NULL : f->a.nestings,
		.circles = f->a.circles,
		.ncircles = f->nblocks ? 0 : f->a.ncircles,
		.flags = f->flags.n ? &f->flags : NULL,
		.no_lock = !f->build && lock && lock->result == PROOF_FAILS
				   ? "with it in force something is wrong still (linchpin verify)"
				   : NULL,
	};
	int result = -1;

	for (unsigned number = 0;; number++) {
		struct patch p;

		result = patch_make(&q, number, &p, e);
		if (result != 1) {
			result = result == 0 ? EXIT_UNFINISHED : -1;
			break;
		}
		tell(&p);
		if (!f->build) {
			result = show(f, &p, lock, e);
			patch_free(&p);
			break;
		}
		if (f->tried++ == TRIED) {
			f->tried = TRIED;
			patch_free(&p);
			result = EXIT_UNFINISHED;
			break;
		}
		result = fix_build_try(&f->copy, f->run, &p, f->build, f->specification, e);
		if (result == 1)
			result = show(f, &p, lock, e);
		else if (result == 0)
			result = EXIT_UNFINISHED;
		patch_free(&p);
		if (result != EXIT_UNFINISHED)
			break;
	}
	return result;
}

static int no_repair(const struct fix *f, struct error *e)
{
	if (!f->a.nfindings)
		return error_set(e, "%s: nothing is wrong in this run", f->directory);
	if (f->a.alone)
		return error_set(
			e,
			"the operations are wrong even one at a time, so no lock is a repair: "
			"%s",
			f->a.alone);
	if (f->a.serial)
		return error_set(
			e, "an execution ends badly even with operations one at a time, so no "
			   "lock is a repair");
	return error_set(e,
			 "%s: the report has no repair for this (%s); blocks of one's own: "
			 "linchpin fix --block FILE:FUNCTION:FIRST-LAST %s",
			 f->directory,
			 f->a.findings[0].is_history ? "history"
						     : outcome_name(f->a.findings[0].outcome),
			 f->directory);
}

static int fix(struct fix *f, struct error *e)
{
	const struct ranking_result *r = f->a.repairs;
	struct error first = { "" };
	int result = EXIT_UNFINISHED;

	if (f->nblocks) {
		result = fix_blocks(f, f->blocks, f->nblocks, NULL, e);
		return result == EXIT_UNFINISHED ? -1 : result;
	}
	if ((!r || !r->nrepairs) && f->a.ncircles)
		result = fix_blocks(f, NULL, 0, NULL, e);
	if (result != EXIT_UNFINISHED)
		return result;
	if (!r || !r->nrepairs)
		return f->a.ncircles ? -1 : no_repair(f, e);
	for (uint32_t i = 0; i < r->nrepairs && result == EXIT_UNFINISHED; i++) {
		const struct repair *repair = &r->repairs[i].repair;

		result = fix_blocks(f, repair->blocks, repair->nblocks,
				    i < f->a.proofs.n ? &f->a.proofs.list[i].lock : NULL, e);
		if (result == EXIT_UNFINISHED && !first.message[0])
			first = *e;
	}
	if (result != EXIT_UNFINISHED)
		return result;
	if (f->tried)
		return error_set(e, "%u %s built and explored, and violations remain with %s",
				 f->tried, plural(f->tried, "patch was", "patches were"),
				 plural(f->tried, "it", "each"));
	if (f->a.nfindings && f->a.findings[0].outcome == LP_OUT_DEADLOCK)
		return error_set(
			e,
			"no patch for this deadlock: its locks need one order, and which one is "
			"right only the program can say (linchpin report %s names them)",
			f->directory);
	*e = first;
	return -1;
}

static int open_and_fix(struct fix *f, struct error *e)
{
	struct analysis_options ao = { .specification = f->specification };
	int result;

	f->run = run_open(f->directory, e);
	if (!f->run)
		return -1;
	ao.check = f->run->check;
	/* What is built is explored anyway. */
	if (!f->build && !f->nblocks) {
		ao.replay = true;
		ao.prove = f->prove;
	}
	result = analysis_run(f->run, &ao, &f->a, e);
	if (result == 0)
		result = fix(f, e);
	fix_build_end(&f->copy);
	analysis_free(&f->a);
	run_close(f->run);
	return result;
}

int cmd_fix(int argc, char **argv)
{
	struct fix f = { 0 };
	const char *block = NULL; /* taken out of the arguments before; here for --help */
	const struct option_row rows[] = {
		{ "block", 0, OPTION_TEXT, "FILE:FUNCTION:A-B", &block,
		  "make these lines atomic, not those of the report; may be repeated" },
		{ "apply", 0, OPTION_FLAG, NULL, &f.apply, "write the change to the files" },
		{ "build", 0, OPTION_TEXT, "COMMAND", &f.build,
		  "build a changed copy of this directory and explore it" },
		{ "prove", 0, OPTION_NUMBER, "N", &f.prove,
		  "without --build: explore with a lock around the first N repairs; 0: none (3)" },
		{ "spec", 0, OPTION_TEXT, "NAME|FILE", &f.specification,
		  "the specification, as for `linchpin run`" },
	};
	const struct option_table table = {
		.usage = "fix [OPTION...] DIR [-- FLAG...]",
		.about = "Prints a patch that makes the blocks of a repair atomic: of the run in "
			 "DIR, best "
			 "first. FLAGs\nare those of the compiler for the source; without them "
			 "compile_commands.json is read.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = 1,
	};
	struct error e;
	enum options_end end;
	int first, result;

	f.prove = prove_standard();
	if (take_arguments(&f, &argc, argv, &e) < 0) {
		free(f.blocks);
		flags_free(&f.flags);
		return error_print(&e);
	}
	end = options_parse(&table, argc, argv, &first);
	if (end == OPTIONS_OK) {
		f.directory = argv[first];
		result = open_and_fix(&f, &e);
		if (result < 0)
			result = error_print(&e);
	} else {
		result = end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	}
	free(f.blocks);
	flags_free(&f.flags);
	return result;
}
