/* SPDX-License-Identifier: MIT */
#ifndef LP_INSTRUMENT_COVERAGE_H
#define LP_INSTRUMENT_COVERAGE_H

#include "instrument.h"

/* The copies of this module will say which instructions have run, if that was asked for. */
void coverage_begin(struct module *m);

/* A function is going to be copied. */
void coverage_function(const struct vector *insns);
/* In its copy, before its instruction i: that it runs. */
void coverage_emit(const struct insn *i, size_t number);

#endif
