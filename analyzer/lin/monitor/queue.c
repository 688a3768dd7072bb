/* SPDX-License-Identifier: MIT
 *
 * Queue with distinct values (Henzinger, Sezgin, Vafeiadis, "Aspect-oriented linearizability
 * proofs", CONCUR 2013; Bouajjani, Emmi, Enea, Hamza, "On reducing linearizability to state
 * reachability", ICALP 2015). Apart from what is checked for all collections, a history is not
 * linearizable iff for some values a, b
 *
 *	add(a) returned before add(b) was called, and
 *	remove(b) returned before remove(a) was called,
 *
 * where a remove that never happened is called at infinity. One sweep over the events keeps the
 * latest call of a remove among the values whose add has returned. Cost: O(n), after sorting.
 */
#include "lin/monitor/monitor.h"

bool monitor_queue(const struct collection *c, struct monitor_core *core)
{
	const struct lin_part *p = c->part;
	uint32_t latest = 0, who = FOREVER;

	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2, i = c->item_of[op];

		if (i == FOREVER || c->items[i].add != op)
			continue;
		if (p->events[e] & 1) {
			if (who == FOREVER || c->items[i].t.rs > latest) {
				latest = c->items[i].t.rs;
				who = i;
			}
		} else if (who != FOREVER && latest > c->items[i].t.re) {
			core_add_item(core, c, who);
			core_add_item(core, c, i);
			return false;
		}
	}
	return true;
}
