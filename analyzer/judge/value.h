/* SPDX-License-Identifier: MIT
 *
 * Results of operations of a trace, as histories have them.
 */
#ifndef LINCHPIN_JUDGE_VALUE_H
#define LINCHPIN_JUDGE_VALUE_H

#include "lin/history.h"
#include "run/trace.h"

static inline struct value operation_value(const struct operation *op)
{
	if (op->ret_event == NONE)
		return (struct value){ VALUE_UNKNOWN, 0 };
	switch (op->ret_kind) {
	case 0:
		return (struct value){ VALUE_NONE, 0 };
	case 1:
		return (struct value){ VALUE_INT, op->ret };
	default:
		return (struct value){ VALUE_EMPTY, 0 };
	}
}

#endif
