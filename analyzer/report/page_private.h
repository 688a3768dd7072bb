/* SPDX-License-Identifier: MIT
 *
 * What page_data.c and page_execution.c share.
 */
#ifndef LINCHPIN_REPORT_PAGE_PRIVATE_H
#define LINCHPIN_REPORT_PAGE_PRIVATE_H

#include "base/numbering.h"
#include "report/page_data.h"

struct data {
	struct model *m;
	struct numbering texts, files;
	json_t *text_list, *file_list;
};

/* NULL is null; what is not UTF-8 is made printable. */
json_t *page_text(const char *s);
/* The number of a text, a file, an entry of any list; a new one is added. */
json_int_t page_text_number(struct data *d, const char *s);
json_int_t page_file_number(struct data *d, struct srcmap *map, const struct source_frame *f);
json_int_t page_number(struct numbering *n, json_t *list, const char *s, bool *added);

/* Adds threads, events and the picture of the history to the object of a finding. */
void page_execution(struct data *d, const struct model_finding *f, const struct run *run,
		    struct srcmap *map, const struct trace *t, json_t *o);

#endif
