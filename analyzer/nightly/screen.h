/* SPDX-License-Identifier: MIT
 *
 * The first screen: what is new, and what else there is to know.
 */
#ifndef LINCHPIN_NIGHTLY_SCREEN_H
#define LINCHPIN_NIGHTLY_SCREEN_H

#include "nightly/compare.h"

struct summary {
	const struct night *night;
	const struct remarks *remarks;
	uint32_t tests, done; /* of this shard; done: have a record */
	bool verbose, quiet;
	double seconds;
};

/* Remarks of one fault in several tests are one line. */
void screen_print(FILE *out, const struct summary *s);
/* One remark as a line of text, without the test. Free it. */
char *remark_text(const struct remark *r);
/* What is remembered of the night. Free it with said_free. */
struct said *remarks_said(const struct remarks *r, int64_t night);

#endif
