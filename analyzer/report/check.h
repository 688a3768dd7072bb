/* SPDX-License-Identifier: MIT
 *
 * What `linchpin check` says about one history.
 */
#ifndef LINCHPIN_REPORT_CHECK_H
#define LINCHPIN_REPORT_CHECK_H

#include "base/text_table.h"
#include "lin/format/format.h"
#include "lin/lin.h"

struct check_report {
	const char *name;   /* of the file */
	const char *format; /* that it was read in */
	const struct history *h;
	const struct lin_result *result;
	double seconds; /* that the verdict took */
	bool cut;       /* the time for the witness was over before it was minimal */
	bool order;     /* print the linearization, or the longest partial one */
	bool quiet;     /* no line about a linearizable history */
	struct text_style style;
};

/* Like a compiler: FILE:LINE: error: why, then a note for each operation of the witness. */
void check_report_text(FILE *to, const struct check_report *r);
/* One JSON object on one line. */
void check_report_json(FILE *to, const struct check_report *r);
/* The same for a file that could not be checked. */
void check_report_json_error(FILE *to, const char *name, const char *message);

#endif
