/* SPDX-License-Identifier: MIT
 *
 * What a page shows, as JSON: texts once, and an execution as rows of numbers that refer to them.
 */
#ifndef LINCHPIN_REPORT_PAGE_DATA_H
#define LINCHPIN_REPORT_PAGE_DATA_H

#include "report/model.h"

#include <jansson.h>

/* NULL and *e if an execution cannot be read. */
json_t *page_data(struct model *m, const char *diff, struct error *e);

#endif
