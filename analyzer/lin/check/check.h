/* SPDX-License-Identifier: MIT
 *
 * lin/check/ puts monitors, search and reasons together. It includes lin/search/, lin/explain/,
 * lin/ and base/.
 *
 * The inside of lin_check, for the witness and for tests.
 */
#ifndef LINCHPIN_LIN_CHECK_CHECK_H
#define LINCHPIN_LIN_CHECK_CHECK_H

#include "lin/search/search.h"

enum check_mode {
	CHECK_AUTO,
	CHECK_GENERAL, /* the general search only */
	CHECK_MONITOR, /* the monitor only: LIN_UNKNOWN if there is none or it declines */
	CHECK_WHOLE,   /* the general search only, and not key by key */
};

int lin_check_mode(const struct history *h, const struct lin_options *options, enum check_mode mode,
		   struct lin_result *result, struct error *e);
enum lin_verdict check_part(const struct lin_part *part, struct lin_run *run, enum check_mode mode,
			    int workers);

#endif
