/* SPDX-License-Identifier: MIT
 *
 * The results as files for people's browsers and for other tools.
 */
#ifndef LINCHPIN_REPORT_OUTPUTS_H
#define LINCHPIN_REPORT_OUTPUTS_H

#include "report/model.h"
#include "report/report.h"

/* Is there anything to write? */
bool outputs_wanted(const struct report_options *options);
/* Writes what the options ask for. -1 and *e if one cannot be written. */
int outputs_write(struct model *m, const struct report_options *options, struct error *e);

#endif
