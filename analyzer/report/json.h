/* SPDX-License-Identifier: MIT
 *
 * The results of an exploration as one JSON object; its keys are described in
 * docs/linchpin-run.1.md.
 */
#ifndef LINCHPIN_REPORT_JSON_H
#define LINCHPIN_REPORT_JSON_H

#include "report/model.h"

/* Writes the object to a file, or to standard output if it is "-". */
int json_write(struct model *m, const char *file, struct error *e);

#endif
