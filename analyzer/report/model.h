/* SPDX-License-Identifier: MIT
 *
 * What was found, in words and places: the one source of text, JSON, pages and the formats of other
 * tools.
 */
#ifndef LINCHPIN_REPORT_MODEL_H
#define LINCHPIN_REPORT_MODEL_H

#include "judge/analysis.h"
#include "report/text.h"

/* A further line of a finding: who waits for what, where memory was allocated, ... */
struct model_note {
	const char *file; /* NULL: not known */
	uint32_t line;
	char *text;
};

struct model_finding {
	const struct finding *finding;
	char *message; /* one sentence */
	/* The place belongs to the map of the run or of the replay. Its file may be NULL. */
	struct source_frame place;
	const char *specification; /* NULL: none, or it is not about results */
	struct model_note *notes;
	uint32_t nnotes;
	char *again; /* the command that shows it */
};

struct model {
	const struct analysis *a;
	const char *specification;      /* of the options */
	struct model_finding *findings; /* those that a replay did not deny */
	size_t n;
	const struct report_repair *repairs; /* best first */
	uint32_t nrepairs;
	struct report_repairs all; /* they, with what belongs to them */
	char **limits;
	size_t nlimits;
	char *bound;
	struct srcmap *replay_map; /* of the executions that were replayed, opened when needed */
};

/* 0, or -1 and *e if an execution cannot be read. Free it in both cases. */
int model_init(struct model *m, const struct analysis *a, const char *specification,
	       struct error *e);
void model_free(struct model *m);

/* "violation", "unfinished" or "clean". */
const char *model_verdict(const struct model *m);
/* Reads the execution of a finding: *t to be freed with trace_free, its run and map. */
int model_load(struct model *m, const struct finding *f, struct trace *t, struct run **run,
	       struct srcmap **map, struct error *e);
/* The specification of the first operation's object; NULL: none. */
const char *model_specification(const struct analysis *a, const char *given, const struct run *run,
				const struct trace *t);
/* Where a history that is not allowed is best pointed at, and the sentence without numbers. */
struct source_frame violation_place(struct srcmap *m, const struct trace *t,
				    const struct report_repairs *repairs);
char *violation_message(const char *why, const char *specification);

#endif
