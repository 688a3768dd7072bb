/* SPDX-License-Identifier: MIT
 *
 * Programs and records as text, on standard output.
 */
#ifndef TEST_SEARCH_PRINT_H
#define TEST_SEARCH_PRINT_H

#include "ops.h"

const char *op_name(unsigned what);
void print_program(const struct program *p);
void print_record(const struct program *p, const struct record *r);

#endif
