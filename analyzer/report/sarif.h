/* SPDX-License-Identifier: MIT
 *
 * The results for other tools: SARIF 2.1.0 (OASIS), JUnit, remarks of GitHub.
 */
#ifndef LINCHPIN_REPORT_SARIF_H
#define LINCHPIN_REPORT_SARIF_H

#include "fix/patch.h"
#include "report/model.h"

/* The patch of the best repair is a proposed fix; no files: there is none. */
int sarif_write(struct model *m, const struct patch *patch, const char *file, struct error *e);
int junit_write(const struct model *m, const char *file, struct error *e);
/* To standard output. */
void annotations_print(const struct model *m);

#endif
