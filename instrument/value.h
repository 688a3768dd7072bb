/* SPDX-License-Identifier: MIT
 *
 * Where the values of an operation are: arguments and results of a function that a probe catches.
 */
#ifndef LP_VALUE_H
#define LP_VALUE_H

#include "probe.h"

enum source_kind { FROM_NOTHING, FROM_EMPTY, FROM_CONST, FROM_REGISTER, FROM_POINTEE, FROM_RET };

struct source {
	uint8_t kind, reg, type, size; /* type: s, u or b */
	uint64_t value;
};

/* `entry` is the function's entry, `now` the same or its return. */
int64_t value_of(const struct source *s, const struct probe_regs *entry,
		 const struct probe_regs *now);

#endif
