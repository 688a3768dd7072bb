/* SPDX-License-Identifier: MIT
 *
 * Operations: what linchpin.h calls. The call of an operation is a step before its first access,
 * the return a step after its last one, so their place in the log is their place in real time.
 */
#include "../include/linchpin.h"
#include "../runtime/heap.h"
#include "../runtime/own_stack.h"
#include "../runtime/services.h"
#include "../runtime/trace.h"
#include "interpose.h"

#define MOST_EARLY 64

/* Behind the hooks that linchpin.h calls: lp_object and so on (hooks.S). */
void i_lp_object(const void *object, const char *specification);
void i_lp_call(const void *object, const char *name, unsigned nargs, const int64_t *args);
void i_lp_return(unsigned kind, int64_t value);
void lp_object(const void *object, const char *specification);
void lp_call(const void *object, const char *name, unsigned nargs, const int64_t *args);
void lp_return(unsigned kind, int64_t value);

static struct declared {
	const void *object;
	const char *specification;
} early[MOST_EARLY]; /* what constructors have said, before there was a trace */
static unsigned nearly;

static void *declare(void *declared)
{
	const struct declared *d = declared;

	trace_object((uint64_t)d->object, d->specification);
	return NULL;
}

void i_lp_object(const void *object, const char *specification)
{
	struct declared d = { object, specification };

	if (active()) {
		on_own_stack(declare, &d);
	} else if (nearly < MOST_EARLY) {
		early[nearly++] = d;
	}
}

void operations_early(void)
{
	for (unsigned i = 0; i < nearly; i++)
		declare(&early[i]);
}

void operation_call(uint64_t object, const char *name, unsigned nargs, const int64_t *args,
		    uint64_t pc)
{
	struct event *e;
	struct call *c;
	uint64_t block = 0, base = 0;

	announce(LP_EV_CALL, (const void *)object, 1, pc)->flags = LP_SITE_NOVALUE;
	e = step(rt->cur);
	rt->cur->in_op++;
	e->op = rt->ncalls++;
	if (in_heap(object))
		heap_name(object, &block, &base);
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

void i_lp_call(const void *object, const char *name, unsigned nargs, const int64_t *args)
{
	if (active() && !inside())
		operation_call((uint64_t)object, name, nargs, args, caller());
}

void i_lp_return(unsigned kind, int64_t value)
{
	if (active() && !inside())
		operation_return(kind, value, caller());
}

const struct linchpin_hooks operation_hooks = { LINCHPIN_HOOKS_VERSION, lp_object, lp_call,
						lp_return };
