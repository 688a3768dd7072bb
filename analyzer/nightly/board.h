/* SPDX-License-Identifier: MIT
 *
 * All nights of a suite as one page for a browser: the trend of each test, findings by their age.
 */
#ifndef LINCHPIN_NIGHTLY_BOARD_H
#define LINCHPIN_NIGHTLY_BOARD_H

#include "nightly/store.h"

#include <jansson.h>

/* What the page knows: suite, nights, tests, findings, said. NULL and *e on failure. */
json_t *board_data(struct store *s, const char *suite, struct error *e);
int board_write(struct store *s, const char *suite, const char *file, struct error *e);

#endif
