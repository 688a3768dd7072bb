/* SPDX-License-Identifier: MIT
 *
 * DL-S-POR (stateful.c; algorithm 3 of the thesis named there): only when a thread's step from a state was explored,
 * and others are left, the graph of what comes after it is searched for steps that conflict with it; their
 * threads are current[t]. update_backtrack() says who else must be explored then.
 *
 * That search ends as soon as the answer is known: all that can run there must be explored. So it is if a
 * state that is still on the stack can be reached, for then not all is known that comes after it; the
 * proof of the thesis needs that there are no cycles. Its test whether what is left would only lead to states
 * that were met before is left out: here a step has to be made to know that.
 */
#include "frames.h"
#include "stateful.h"

struct later {
	const struct label *step;
	uint64_t current, enabled;
	bool all;
};

static bool later_step(void *data, const struct label *label)
{
	struct later *l = data;

	if (label->thread == l->step->thread || l->current >> label->thread & 1 ||
	    !labels_conflict(l->step, label))
		return false;
	l->current |= bit(label->thread);
	l->all = !(l->enabled & ~l->current) || l->current & ~l->enabled;
	return l->all;
}

static bool on_stack(void *data, const struct node *node)
{
	struct later *l = data;

	(void)node;
	l->all = true;
	return true;
}

static void explored(uint32_t step)
{
	const struct search_frame *f = &search_frames[step];
	uint64_t enabled = rt->enabled[step];
	unsigned thread = rt->log[step].thread;
	const struct edge *e;
	struct label label;
	struct later later = { .current = bit(thread), .enabled = enabled };
	const struct walk walk = { later_step, on_stack, &later };

	if (f->backtrack == enabled)
		return;
	e = graph_edge_of(graph, places_of_search[step].node, thread);
	label = graph->labels[e->label];
	later.step = &label;
	later.all = label.any;
	if (!later.all)
		graph_walk(graph, e->to, &walk);
	current_of[step][thread] = later.current;
	if (later.all)
		explore_all(step);
	else
		update_backtrack(step);
}

static const struct reduction lazy = { .explored = explored };

STATEFUL_STRATEGY(dlspor, &lazy);
