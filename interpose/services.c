/* SPDX-License-Identifier: MIT
 *
 * What the runtime calls of the interposers.
 */
#include "../runtime/services.h"
#include "../runtime/start.h"
#include "changes.h"
#include "channels.h"
#include "closings.h"
#include "interpose.h"

static void before_checkpoint(void)
{
	functions_bind();
	program_state_checkpoint();
	early_checkpoint();
	signals_checkpoint();
	timers_checkpoint();
	named_checkpoint();
	stamps_begin();
	process_shared_checkpoint();
	channels_checkpoint();
	closings_checkpoint();
	file_locks_checkpoint();
	signal_descriptors_checkpoint();
	queues_checkpoint();
	streams_checkpoint();
	start_errno();
}

/* Once constructors have run: calls that are made now are not the program's. */
static void after_checkpoint(void)
{
	kernel_checkpoint();
	loader_hook();
	redirect_exits();
}

static void look_up(void)
{
	functions_look_up();
	unwinder_look_up();
}

static void begin(void)
{
	children_end();
	operations_early();
	early_limits();
}

static void ended(void)
{
	unseen_end();
	inherited_end();
	queues_end();
}

const struct interposing interposing = {
	.operation_hooks = &operation_hooks,
	.look_up = look_up,
	.before_checkpoint = before_checkpoint,
	.after_checkpoint = after_checkpoint,
	.loader_state = loader_state,
	.keep_mappings = kernel_mappings,
	.begin = begin,
	.ended = ended,
	.changed = kernel_changed,
	.mapped = kernel_mapped,
	.rollback = kernel_rollback,
	.thread_at_exit = thread_at_exit,
	.thread_ends = thread_ends,
	.taken = sent_is_taken,
	.signal_from_process = signal_from_process,
	.time_passes = timers_let_go_on,
	.interrupts = timers_interrupt,
	.timer_comes = timer_comes,
	.last_thread_end = process_end_by_thread,
	.program_end = program_exit,
};
