/* SPDX-License-Identifier: MIT
 *
 * DE-S-POR (stateful.c; algorithm 2 of the thesis named there): each step that is made is at once compared with
 * all that are on the stack. If it conflicts with the one of thread t there, its thread is added to current[t] of
 * the state before that. In a state that was met before, all steps that can be reached from there are
 * compared. When a thread's step was explored, update_backtrack() says who else must be.
 *
 * The thesis compares with the latest step on the stack that conflicts, and argues that the others are
 * reached by exploring the two in the other order. With locks they cannot be: the latest is the unlock,
 * before which the lock was not to be had. So all are compared here.
 *
 * Its proof needs that states are in no cycle. What can be reached from a state that is still on the stack
 * is not known yet: from all states of the cycle that it closes, all threads are explored.
 */
#include "frames.h"
#include "stateful.h"

static void compare_all(uint32_t end, const struct label *later)
{
	for (uint32_t i = 0; i < end; i++)
		if (event_is_step(&rt->log[i]))
			conflict_later(i, later);
}

static void edge(uint32_t step)
{
	const struct label *l = &graph->labels[graph->edges[graph->nedges].label];

	compare_all(step, l);
	if (l->any)
		explore_all(step);
}

static bool later_step(void *data, const struct label *label)
{
	(void)data;
	compare_all(rt->n, label);
	return false;
}

static bool on_stack(void *data, const struct node *node)
{
	uint32_t *lowest = data;

	if (node->open - 1 < *lowest)
		*lowest = node->open - 1;
	return false;
}

static void met(uint32_t node)
{
	uint32_t lowest = rt->n;
	const struct walk walk = { later_step, on_stack, &lowest };

	graph_walk(graph, node, &walk);
	for (uint32_t i = lowest; i < rt->n; i++)
		if (event_is_step(&rt->log[i]))
			explore_all(i);
}

static void explored(uint32_t step)
{
	if (search_frames[step].backtrack != rt->enabled[step])
		update_backtrack(step);
}

static const struct reduction eager = { .edge = edge, .met = met, .explored = explored };

STATEFUL_STRATEGY(despor, &eager);
