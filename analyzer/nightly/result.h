/* SPDX-License-Identifier: MIT
 *
 * What an exploration came to, from the JSON that `linchpin run` has written.
 */
#ifndef LINCHPIN_NIGHTLY_RESULT_H
#define LINCHPIN_NIGHTLY_RESULT_H

#include "nightly/store.h"
#include "nightly/suite.h"

/* `status`: the exit status, or 128 and the number of the signal; `log`: the file of its messages. What
 * is known by the caller already (test, command, build, times) is not touched. */
void result_read(const char *json, const char *log, int status, struct record *r);

/* Which faults the file of the suite expects. */
void result_mark_known(const struct suite_test *t, struct record *r);

/* A digest of everything that the result depends on: the program, its own libraries, files among the
 * arguments, the options, this linchpin. "" if one of them cannot be told from another build. Free it, and
 * *id, the build-id of the program. */
char *result_build(const struct suite_test *t, char **id);

#endif
