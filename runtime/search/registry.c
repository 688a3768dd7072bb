/* SPDX-License-Identifier: MIT
 *
 * The strategies by number: the list is in format/search.h.
 */
#include "../strategy.h"

#define DECLARE(ID, name, who) extern const struct strategy strategy_##name;
LP_SEARCHES(DECLARE)

extern const struct strategy strategy_source_steps;

const struct strategy *strategy_of(enum lp_search search, bool steps)
{
#define ADDRESS(ID, name, who) [LP_SEARCH_##ID] = &strategy_##name,
	static const struct strategy *const strategies[] = { LP_SEARCHES(ADDRESS) };

	if (steps && (search == LP_SEARCH_DPOR || search == LP_SEARCH_SOURCE || search == LP_SEARCH_AUTO))
		return &strategy_source_steps;
	return strategies[search];
}
