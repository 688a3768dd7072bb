/* SPDX-License-Identifier: MIT */
#include "report/event.h"

#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>

static const char *const verbs[LP_EV_COUNT] = {
	[LP_EV_NONE] = "?",
	[LP_EV_READ] = "read",
	[LP_EV_WRITE] = "write",
	[LP_EV_RMW] = "update",
	[LP_EV_CAS_FAIL] = "failed cas",
	[LP_EV_LOCK] = "lock",
	[LP_EV_UNLOCK] = "unlock",
	[LP_EV_TRYLOCK_FAIL] = "failed trylock of",
	[LP_EV_RDLOCK] = "read-lock",
	[LP_EV_RDUNLOCK] = "read-unlock",
	[LP_EV_WAIT] = "wait on",
	[LP_EV_WAKE] = "woken on",
	[LP_EV_TIMEOUT] = "time-out on",
	[LP_EV_SIGNAL] = "signal",
	[LP_EV_BROADCAST] = "broadcast",
	[LP_EV_SEM_WAIT] = "take semaphore",
	[LP_EV_SEM_FAIL] = "failed to take semaphore",
	[LP_EV_SEM_POST] = "post semaphore",
	[LP_EV_BARRIER] = "arrive at barrier",
	[LP_EV_BARRIER_LEAVE] = "leave barrier",
	[LP_EV_ONCE] = "once",
	[LP_EV_OBJECT_INIT] = "init or destroy",
	[LP_EV_ARRIVE] = "come to",
	[LP_EV_SEND] = "send to",
	[LP_EV_TAKE] = "take what was sent to",
	[LP_EV_FREE] = "free",
	[LP_EV_FENCE] = "fence",
	[LP_EV_YIELD] = "yield",
	[LP_EV_CALL] = "call",
	[LP_EV_RETURN] = "return",
	[LP_EV_EXIT_ALL] = "end of the process",
	[LP_EV_START] = "thread starts",
	[LP_EV_EXIT] = "thread ends",
	[LP_EV_CREATE] = "create",
	[LP_EV_JOIN] = "join",
	[LP_EV_ALLOC] = "allocate",
	[LP_EV_WOKEN] = "woken on",
};

/* Orders weaker than sequential consistency are worth a word. */
static const char *order_text(const struct site *site)
{
	static const char *const orders[8] = { " relaxed", " consume", " acquire", " release",
					       " acq_rel" };
	const char *order = orders[LP_SITE_ORDER(site->flags)];

	return site->flags & LP_SITE_ATOMIC && order ? order : "";
}

static char *effect_text(struct srcmap *m, const struct run *run, const struct trace *t,
			 const struct event *ev)
{
	const char *where = srcmap_location_in(m, t, ev->location);
	char a[32], b[32];

	text_value(a, sizeof a, ev->value[0], ev->size);
	text_value(b, sizeof b, ev->value[1], ev->size);
	if (run->sites[ev->site].flags & LP_SITE_NOVALUE)
		return xasprintf("%s (%u %s)", where, ev->size, plural(ev->size, "byte", "bytes"));
	if (ev->kind == LP_EV_RMW)
		return xasprintf("%s %s -> %s", where, a, b);
	if (ev->kind <= LP_EV_CAS_FAIL)
		return xasprintf("%s = %s", where, a);
	return xstrdup(where);
}

static char *access_text(struct srcmap *m, const struct run *run, const struct trace *t,
			 const struct event *ev, bool brief)
{
	const struct site *site = &run->sites[ev->site];
	char *what = effect_text(m, run, t, ev);
	char *text = xasprintf("%s%s%s %s", site->flags & LP_SITE_ATOMIC && !brief ? "atomic " : "",
			       verbs[ev->kind], brief ? "" : order_text(site), what);

	free(what);
	return text;
}

static bool several_objects(const struct trace *t)
{
	for (uint32_t i = 1; i < t->nops; i++)
		if (t->ops[i].object != t->ops[0].object)
			return true;
	return false;
}

char *operation_text(struct srcmap *m, const struct run *run, const struct trace *t, uint32_t op)
{
	const struct operation *o = &t->ops[op];
	char *name = text_printable(run->strings[o->name]), args[4 * 24] = "", *text, *object;
	size_t used = 0;

	for (uint32_t i = 0; i < o->nargs; i++)
		used += (size_t)snprintf(args + used, sizeof args - used, "%s%lld", i ? ", " : "",
					 (long long)o->args[i]);
	if (several_objects(t)) {
		object = srcmap_object(m, o->object);
		text = xasprintf("(%s) %s(%s)", object, name, args);
		free(object);
	} else {
		text = xasprintf("%s(%s)", name, args);
	}
	free(name);
	return text;
}

char *result_text(unsigned kind, int64_t value)
{
	if (kind == 1)
		return xasprintf("%lld", (long long)value);
	return xstrdup(kind == 2 ? "empty" : "");
}

char *operation_result_text(struct srcmap *m, const struct run *run, const struct trace *t,
			    uint32_t op)
{
	const struct operation *o = &t->ops[op];
	char *call = operation_text(m, run, t, op), *text;
	char *result = result_text(o->ret_kind, o->ret);

	if (o->ret_event == NONE)
		text = xasprintf("%s never returned", call);
	else
		text = xasprintf("%s%s%s", call, *result ? " = " : "", result);
	free(result);
	free(call);
	return text;
}

/* A call, or a return, which belongs to an operation unless the program returns too often. */
static char *operation_event_text(struct srcmap *m, const struct run *run, const struct trace *t,
				  const struct event *ev)
{
	char *op, *text;

	if (ev->op == NONE)
		return xstrdup("return without a call");
	op = ev->kind == LP_EV_CALL ? operation_text(m, run, t, ev->op)
				    : operation_result_text(m, run, t, ev->op);
	text = xasprintf("%s %s", verbs[ev->kind], op);
	free(op);
	return text;
}

char *event_text(struct srcmap *m, const struct run *run, const struct trace *t, uint32_t event)
{
	const struct event *ev = &t->events[event];
	const char *verb = verbs[ev->kind];

	switch (ev->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_CAS_FAIL:
		return access_text(m, run, t, ev, false);
	case LP_EV_CALL:
	case LP_EV_RETURN:
		return operation_event_text(m, run, t, ev);
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		return xasprintf("%s T%s", verb, run->threads[ev->other].name);
	case LP_EV_WAIT: {
		char *condition = xstrdup(srcmap_location_in(m, t, ev->location));
		char *text = ev->futex ? xasprintf("%s %s", verb, condition)
				       : xasprintf("%s %s, releasing %s", verb, condition,
						   srcmap_location_in(m, t, ev->location2));

		free(condition);
		return text;
	}
	case LP_EV_FREE:
	case LP_EV_ALLOC:
		return xasprintf("%s %s (%u %s)", verb, srcmap_location(m, ev->location),
				 ev->size, plural(ev->size, "byte", "bytes"));
	default:
		if (ev->location == NONE)
			return xstrdup(verb);
		return xasprintf("%s %s", verb, srcmap_location_in(m, t, ev->location));
	}
}

char *event_short_text(struct srcmap *m, const struct run *run, const struct trace *t,
		       uint32_t event)
{
	const struct event *ev = &t->events[event];

	if (ev->kind >= LP_EV_READ && ev->kind <= LP_EV_CAS_FAIL)
		return access_text(m, run, t, ev, true);
	return event_text(m, run, t, event);
}

char *waiter_text(struct srcmap *m, const struct run *run, const struct trace *t,
		  const struct waiter *w)
{
	static const char *const names[LP_WAIT_COUNT] = {
		[LP_WAIT_LOCK] = "lock",
		[LP_WAIT_CONDITION] = "a signal on condition",
		[LP_WAIT_SEMAPHORE] = "semaphore",
		[LP_WAIT_BARRIER] = "barrier",
		[LP_WAIT_ONCE] = "the running initialiser of",
		[LP_WAIT_CHANNEL] = "something to read from, or room in,",
	};

	if (w->why == LP_WAIT_JOIN && w->holder != NONE)
		return xasprintf("T%s to end", run->threads[w->holder].name);
	if (w->why == LP_WAIT_NOTHING)
		return xstrdup("nothing");
	if (w->why == LP_WAIT_SIGNAL)
		return xstrdup("a signal to the process or the thread");
	if (!names[w->why] || w->location == NONE)
		return xstrdup(w->why == LP_WAIT_JOIN ? "a thread to end"
			       : names[w->why]        ? names[w->why]
						      : "another thread");
	return xasprintf("%s %s", names[w->why], srcmap_location_in(m, t, w->location));
}
