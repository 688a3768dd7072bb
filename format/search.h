/* SPDX-License-Identifier: MIT
 *
 * The search strategies: the one list of them, for both halves. A new one is a line here and a file
 * runtime/search/NAME.c that defines strategy_NAME.
 */
#ifndef LP_SEARCH_H
#define LP_SEARCH_H

/*
 * X(ID, NAME, WHO). NAME is its value of LINCHPIN_SEARCH, of --search, and of `search` in the run
 * directory. WHO asks for it:
 *
 *	offered   the user, by --search
 *	standard  the same; it is the one that is used when nobody says which
 *	internal  the analyzer, for purposes of its own
 *	replayed  LINCHPIN_REPLAY, whose schedules it runs; LINCHPIN_SEARCH cannot name it; the last
 */
#define LP_SEARCHES(X)                                                                             \
	X(AUTO, auto, standard)                                                                    \
	X(DFS, dfs, offered)                                                                       \
	X(DPOR, dpor, offered)                                                                     \
	X(SOURCE, source, offered)                                                                 \
	X(SPOR, spor, offered)                                                                     \
	X(DESPOR, despor, offered)                                                                 \
	X(DLSPOR, dlspor, offered)                                                                 \
	X(BOUNDED, bounded, offered)                                                               \
	X(DELAYED, delayed, offered)                                                               \
	X(RANDOM, random, offered)                                                                 \
	X(PCT, pct, offered)                                                                       \
	X(POS, pos, offered)                                                                       \
	X(SURW, surw, offered)                                                                     \
	X(WALK, walk, offered)                                                                     \
	X(SEQUENTIAL, sequential, internal)                                                        \
	X(REPLAY, replay, replayed)

#define LP_SEARCH_ID(ID, name, who)   LP_SEARCH_##ID,
#define LP_SEARCH_NAME(ID, name, who) #name,

enum lp_search { LP_SEARCHES(LP_SEARCH_ID) };

static inline const char *lp_search_name(enum lp_search search)
{
	static const char *const names[] = { LP_SEARCHES(LP_SEARCH_NAME) };

	return names[search];
}

static inline int lp_search_same_name(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return *a == *b;
}

/* The search of this name; LP_SEARCH_REPLAY: there is none but that. */
static inline enum lp_search lp_search_named(const char *name)
{
	unsigned i = 0;

	while (i < LP_SEARCH_REPLAY && !lp_search_same_name(name, lp_search_name((enum lp_search)i)))
		i++;
	return (enum lp_search)i;
}

/* Those that draw executions at random, and never come to an end. */
static inline int lp_search_random(enum lp_search search)
{
	return search == LP_SEARCH_RANDOM || search == LP_SEARCH_PCT || search == LP_SEARCH_POS ||
	       search == LP_SEARCH_SURW || search == LP_SEARCH_WALK;
}

/* Those that end executions in states that were met before: not every class comes to its end. */
static inline int lp_search_stateful(enum lp_search search)
{
	return search == LP_SEARCH_SPOR || search == LP_SEARCH_DESPOR || search == LP_SEARCH_DLSPOR;
}
#define LP_SEARCH_STATEFUL "spor, despor or dlspor"

/* String literals: the name of the standard one; "a|b|c" of those that are offered. */
#define LP_SEARCH_STANDARD LP_SEARCHES(LP_SEARCH_IF_STANDARD)
#define LP_SEARCH_CHOICES  (&(LP_SEARCHES(LP_SEARCH_IF_OFFERED))[1])

#define LP_SEARCH_IF_STANDARD(ID, name, who) LP_SEARCH_STANDARD_##who(name)
#define LP_SEARCH_STANDARD_offered(name)
#define LP_SEARCH_STANDARD_standard(name) #name
#define LP_SEARCH_STANDARD_internal(name)
#define LP_SEARCH_STANDARD_replayed(name)

#define LP_SEARCH_IF_OFFERED(ID, name, who) LP_SEARCH_OFFERED_##who(name)
#define LP_SEARCH_OFFERED_offered(name)     "|" #name
#define LP_SEARCH_OFFERED_standard(name)    "|" #name
#define LP_SEARCH_OFFERED_internal(name)
#define LP_SEARCH_OFFERED_replayed(name)

/* The progress conditions, each stricter than the one before: LINCHPIN_PROGRESS, --progress, and
 * `progress` in the run directory. */
enum lp_progress {
	LP_PROGRESS_NONE = 0,
	LP_PROGRESS_OBSTRUCTION_FREE,
	LP_PROGRESS_LOCK_FREE,
	LP_PROGRESS_WAIT_FREE,
};
#define LP_PROGRESS_NAMES   "none", "obstruction-free", "lock-free", "wait-free"
#define LP_PROGRESS_CHOICES "obstruction-free|lock-free|wait-free"

static inline const char *lp_progress_name(enum lp_progress progress)
{
	static const char *const names[] = { LP_PROGRESS_NAMES };

	return names[progress];
}

#endif
