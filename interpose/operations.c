/* SPDX-License-Identifier: MIT
 *
 * Operations: what linchpin.h calls. The call of an operation is a step before its first access,
 * the return a step after its last one, so their place in the log is their place in real time.
 */
#include "../include/linchpin.h"
#include "../runtime/heap.h"
#include "../runtime/services.h"
#include "../runtime/trace.h"
#include "interpose.h"

static void on_object(const void *object, const char *specification)
{
	if (active())
		trace_object((uint64_t)object, specification);
}

void operation_call(uint64_t object, const char *name, unsigned nargs, const int64_t *args,
		    uint64_t pc)
{
	struct event *e;
	struct call *c;
	uint64_t block = 0, base = 0;
	bool freed;

	announce(LP_EV_CALL, (const void *)object, 1, pc)->flags = LP_SITE_NOVALUE;
	e = step(rt->cur);
	rt->cur->in_op++;
	e->op = rt->ncalls++;
	if (in_heap(object))
		heap_name(object, &block, &base, &freed);
	e->block = block;
	e->block_base = base;
	c = &rt->calls[e->op];
	c->name = name;
	c->nargs = nargs <= 4 ? nargs : 4;
	for (unsigned i = 0; i < c->nargs; i++)
		c->args[i] = args[i];
}

void operation_return(unsigned kind, int64_t value, uint64_t pc)
{
	struct event *e;

	announce(LP_EV_RETURN, NULL, 0, pc)->flags = LP_SITE_NOVALUE;
	e = step(rt->cur);
	if (rt->cur->in_op)
		rt->cur->in_op--;
	e->op = kind;
	e->value[0] = (uint64_t)value;
}

/* What an operation does is part of it, marks too, if a specification file names its function. */
static bool inside(void)
{
	return instrumentation.in_operation((uint64_t)__builtin_frame_address(0));
}

static void on_call(const void *object, const char *name, unsigned nargs, const int64_t *args)
{
	if (active() && !inside())
		operation_call((uint64_t)object, name, nargs, args,
			       (uint64_t)__builtin_return_address(0));
}

static void on_return(unsigned kind, int64_t value)
{
	if (active() && !inside())
		operation_return(kind, value, (uint64_t)__builtin_return_address(0));
}

const struct linchpin_hooks operation_hooks = { LINCHPIN_HOOKS_VERSION, on_object, on_call,
						on_return };
