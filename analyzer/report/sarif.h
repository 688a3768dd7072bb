/* SPDX-License-Identifier: MIT
 *
 * The results for other tools: SARIF 2.1.0 (OASIS), JUnit, remarks of GitHub.
 */
#ifndef LINCHPIN_REPORT_SARIF_H
#define LINCHPIN_REPORT_SARIF_H

#include "fix/patch.h"
#include "report/model.h"

#include <jansson.h>

/* The patch of the best repair is a proposed fix; no files: there is none. */
int sarif_write(struct model *m, const struct patch *patch, const char *file, struct error *e);
int junit_write(const struct model *m, const char *file, struct error *e);
/* To standard output. */
void annotations_print(const struct model *m);
/* One of them; the file may be NULL. */
void annotation_print(const char *file, uint32_t line, uint32_t column, const char *text);

/* Parts of SARIF. A text in which what is no UTF-8 is made visible; a place, of which file, line, column,
 * last line, function and words may be NULL or 0; a rule, unless it is there already. */
json_t *sarif_text(const char *s);
json_t *sarif_location(const char *file, uint32_t line, uint32_t column, uint32_t last,
		       const char *function, const char *words);
void sarif_rule(json_t *rules, const char *id);
/* The whole; takes all of them over. Paths are relative to `directory`; properties may be NULL. */
json_t *sarif_log(json_t *rules, json_t *invocation, const char *directory, json_t *results,
		  json_t *properties);

#endif
