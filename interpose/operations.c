/* SPDX-License-Identifier: MIT
 *
 * Operations: what linchpin.h calls. The call of an operation is a step before its first access,
 * the return one after its last, so their place in the log is their place in real time.
 */
#include "interpose.h"
#include "../runtime/start.h"

static void on_object(const void *object, const char *specification)
{
	if (active())
		trace_object((uint64_t)object, specification);
}

static void on_call(const void *object, const char *name, unsigned nargs, const int64_t *args)
{
	struct event *e;
	struct call *c;
	uint64_t block = 0, base = 0;
	bool freed;

	if (!active())
		return;
	announce(LP_EV_CALL, object, 1, (uint64_t)__builtin_return_address(0))->flags =
		LP_SITE_NOVALUE;
	e = step(rt->cur);
	rt->cur->in_op++;
	e->op = rt->ncalls++;
	if (in_heap((uintptr_t)object))
		heap_name((uintptr_t)object, &block, &base, &freed);
	e->block = block;
	e->block_base = base;
	c = &rt->calls[e->op];
	c->name = name;
	c->nargs = nargs <= 4 ? nargs : 4;
	for (unsigned i = 0; i < c->nargs; i++)
		c->args[i] = args[i];
}

static void on_return(unsigned kind, int64_t value)
{
	struct event *e;

	if (!active())
		return;
	announce(LP_EV_RETURN, NULL, 0, (uint64_t)__builtin_return_address(0))->flags =
		LP_SITE_NOVALUE;
	e = step(rt->cur);
	if (rt->cur->in_op)
		rt->cur->in_op--;
	e->op = kind;
	e->value[0] = (uint64_t)value;
}

const struct linchpin_hooks operation_hooks = { LINCHPIN_HOOKS_VERSION, on_object, on_call,
						on_return };
