/* SPDX-License-Identifier: MIT
 *
 * The results as one page for a browser, without anything from elsewhere. page_data.c says what the
 * page knows, page.js and page.css are the page.
 */
#ifndef LINCHPIN_REPORT_PAGE_H
#define LINCHPIN_REPORT_PAGE_H

#include "report/model.h"

#define PAGE_FINDINGS 12 /* that are shown with their execution; others by their sentence */

/* Of the best repair, as a unified diff; NULL: there is none. */
int page_write(struct model *m, const char *diff, const char *file, struct error *e);

/* A page around its data, which are JSON, and a script that shows them in #page; `style` is added to the style
 * of all pages. */
void page_frame(FILE *to, const char *title, const char *style, const char *script, const char *data);

#endif
