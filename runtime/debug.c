/* SPDX-License-Identifier: MIT */
#include "debug.h"
#include "memory.h"
#include "outcome.h"

#define LAYOUT_VERSION 1

/* Where things are, for who reads this memory without debug information of this library. Numbers of 8
 * bytes, in an order that only grows. */
struct layout {
	uint64_t version;
	uint64_t state; /* address of the pointer to struct runtime */
	uint64_t n, at, need_again, current, nfibers, fibers, searching, running;
	uint64_t fiber_size, fiber_sp, fiber_id, fiber_state, fiber_pc, fiber_kind, fiber_wait,
		fiber_addr, fiber_last, fiber_parent, fiber_fs;
};

static struct runtime *const state = rt;

EXPORT const struct layout linchpin_debug;
EXPORT const struct layout linchpin_debug = {
	.version = LAYOUT_VERSION,
	.state = (uint64_t)&state,
	.n = offsetof(struct runtime, n),
	.at = offsetof(struct runtime, debug_at),
	.need_again = offsetof(struct runtime, need_again),
	.current = offsetof(struct runtime, cur),
	.nfibers = offsetof(struct runtime, nfibers),
	.fibers = offsetof(struct runtime, fibers),
	.searching = offsetof(struct runtime, searching),
	.running = offsetof(struct runtime, running),
	.fiber_size = sizeof(struct fiber),
	.fiber_sp = offsetof(struct fiber, sp),
	.fiber_id = offsetof(struct fiber, id),
	.fiber_state = offsetof(struct fiber, state),
	.fiber_pc = offsetof(struct fiber, pending.pc),
	.fiber_kind = offsetof(struct fiber, pending.kind),
	.fiber_wait = offsetof(struct fiber, pending.wait),
	.fiber_addr = offsetof(struct fiber, pending.addr),
	.fiber_last = offsetof(struct fiber, last_event),
	.fiber_parent = offsetof(struct fiber, parent),
	.fiber_fs = offsetof(struct fiber, fs),
};

EXPORT __attribute__((noinline)) void linchpin_stop(uint32_t number)
{
	__asm__ volatile("" : : "r"(number) : "memory");
}

EXPORT __attribute__((noinline)) void linchpin_end(void)
{
	__asm__ volatile("" : : : "memory");
}

void debug_end(unsigned kind)
{
	if (rt->config.debugger && rt->searching && kind > LP_OUT_EXIT)
		linchpin_end();
}

void debug_stop(void)
{
	/* Executions that look for something else are not what the debugger has asked for. */
	if (rt->searching)
		linchpin_stop(rt->n);
}

bool debugger_attached(void)
{
	static const char key[] = "TracerPid:\t";
	char text[1024];
	long n = read_file("/proc/self/status", text, sizeof text);

	for (long i = 0; i + (long)sizeof key < n; i++)
		if (same(text + i, key, sizeof key - 1))
			return text[i + (long)sizeof key - 1] != '0';
	return false;
}
