/* SPDX-License-Identifier: MIT
 *
 * What the runtime and the interposers call of load-time instrumentation.
 */
#include "../runtime/services.h"
#include "../runtime/state.h"
#include "event.h"
#include "load.h"
#include "spec_ops.h"

static void prepare(void)
{
	instrument_prepare();
	if (*rt->config.ops)
		spec_ops_load(rt->config.ops);
	instrument_apply();
	instrument_report();
}

const struct instrumentation instrumentation = {
	.prepare = prepare,
	.finish = spec_ops_unused,
	.fiber_begins = instrument_fiber_begins,
	.registers = instrument_registers,
	.some_registers = instrument_some_registers,
	.live = instrument_live,
	.original = instrument_original,
	.trap = instrument_trap,
	.in_operation = spec_op_open,
	.frame_before = frame_view_before,
	.frame_return = frame_view_return,
	.poison = poison_dead,
	.text_refresh = text_refresh,
	.library_came = instrument_late,
	.library_closed = instrument_closed,
	.libraries_gone = instrument_rollback,
};
