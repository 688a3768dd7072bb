/* SPDX-License-Identifier: MIT
 *
 * The options that `run` and `report` have in common: rows for an option table.
 */
#ifndef LINCHPIN_COMMAND_REPORT_ROWS_H
#define LINCHPIN_COMMAND_REPORT_ROWS_H

#include "command/options.h"
#include "report/report.h"

/* How many repairs are explored if no option says so: LINCHPIN_PROVE, or PROVE_STANDARD. */
uint64_t prove_standard(void);

/* clang-format off */
#define REPORT_ROWS(r)                                                                             \
	{ "json", 0, OPTION_TEXT, "FILE", &(r)->json,                                              \
	  "write the results as JSON; -: standard output" },                                       \
	{ "prove", 0, OPTION_NUMBER, "N", &(r)->prove,                                             \
	  "explore again with each of the first N repairs in force (3)" },                         \
	{ "races", 0, OPTION_FLAG, NULL, &(r)->races,                                              \
	  "also find data races: accesses that nothing orders" },                                  \
	{ "races-all", 0, OPTION_FLAG, NULL, &(r)->races_all,                                      \
	  "the same, with accesses of machine code that may be atomic" },                          \
	{ "races-no-volatile", 0, OPTION_FLAG, NULL, &(r)->races_no_volatile,                      \
	  "take accesses of volatile variables for atomic" },                                      \
	{ "suppressions", 0, OPTION_TEXT, "FILE", &(r)->suppressions,                              \
	  "races that are not reported, a line race:PATTERN each" },                               \
	{ "leaks", 0, OPTION_FLAG, NULL, &(r)->leaks,                                              \
	  "blocks that nothing points to at the end are errors" },                                 \
	{ "smaller", 0, OPTION_FLAG, NULL, &(r)->smaller,                                          \
	  "look for a smaller client, {..}|{..}, that fails in the same way" },                    \
	{ "coverage", 0, OPTION_FLAG, NULL, &(r)->coverage,                                        \
	  "also say which statements and orders the exploration has tried" },                      \
	{ "lcov", 0, OPTION_TEXT, "FILE", &(r)->lcov,                                              \
	  "write the coverage as lcov and genhtml read it" },                                      \
	{ "html", 0, OPTION_TEXT, "FILE", &(r)->html,                                              \
	  "write the results as a page for a browser" },                                           \
	{ "sarif", 0, OPTION_TEXT, "FILE", &(r)->sarif,                                            \
	  "write the violations as SARIF, for code scanning" },                                    \
	{ "junit", 0, OPTION_TEXT, "FILE", &(r)->junit,                                            \
	  "write the verdict as a JUnit test case" },                                              \
	{ "quiet", 'q', OPTION_FLAG, NULL, &(r)->quiet,                                            \
	  "print only errors and violations" },                                                    \
	{ "verbose", 'v', OPTION_FLAG, NULL, &(r)->verbose,                                        \
	  "show every violation and every repair" },                                               \
	{ "require-complete", 0, OPTION_FLAG, NULL, &(r)->require_complete,                        \
	  "exit with 3 if the search is not finished" }
/* clang-format on */

#endif
