/* SPDX-License-Identifier: MIT */
#include "judge/advice.h"

#include "base/text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 5
#define DAY  86400.0

struct advice {
	char *list[MOST];
	size_t n;
};

/* The search had more to do. */
static bool unfinished(const struct lp_status *s)
{
	return s->end == LP_END_EXECUTIONS || s->end == LP_END_TIME ||
	       s->end == LP_END_INTERRUPTED || s->end == LP_END_FULL;
}

static char *count_text(double n)
{
	if (n < 1e9)
		return text_count((uint64_t)(n + 0.5));
	return xasprintf("%.0e", n);
}

/* In how many orders can the operations of the threads follow each other, if each thread has `less`
 * fewer? */
static double orders(const struct analysis *a, uint32_t less, uint32_t *threads)
{
	double log_orders = 0;
	uint32_t all = 0;

	*threads = 0;
	for (uint32_t i = 0; i < LP_MAX_THREADS; i++) {
		uint32_t n = a->thread_operations[i];

		*threads += n > 0;
		n = n > less ? n - less : 0;
		all += n;
		log_orders -= lgamma(n + 1.0);
	}
	return exp(log_orders + lgamma(all + 1.0));
}

/* "3 threads with 4, 4 and 2 operations" */
static char *threads_text(const struct analysis *a, uint32_t threads)
{
	char *text = NULL;
	size_t size;
	uint32_t i = 0, left = threads;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return xstrdup("");
	fprintf(f, "%" PRIu32 " threads with ", threads);
	for (; i < LP_MAX_THREADS; i++) {
		if (!a->thread_operations[i])
			continue;
		fprintf(f, "%" PRIu32 "%s", a->thread_operations[i],
			left > 2   ? ", "
			: left > 1 ? " and "
				   : " operations");
		left--;
	}
	fclose(f);
	return text;
}

static void add_time(struct advice *l, const struct lp_status *s)
{
	double whole = s->estimate > 0 ? s->seconds / s->estimate : 0;

	if (whole > 0 && whole < DAY)
		l->list[l->n++] = xasprintf("the whole search would take about %.0f s, as far as "
					    "can be told: --max-time=%.0f",
					    ceil(whole), ceil(whole * 1.5));
	else
		l->list[l->n++] = xstrdup("how long the whole search would take cannot be told: "
					  "its first choice has no branch yet that is finished");
}

static void add_operations(struct advice *l, const struct analysis *a)
{
	uint32_t threads;
	double all = orders(a, 0, &threads), fewer = orders(a, 1, &threads);
	char *who, *from, *to;

	if (threads < 2 || fewer >= all)
		return;
	who = threads_text(a, threads);
	from = count_text(all);
	to = count_text(fewer);
	l->list[l->n++] = xasprintf("fewer operations or threads make the search much smaller: %s "
				    "follow each other in %s orders, with one operation fewer each "
				    "in %s",
				    who, from, to);
	free(who);
	free(from);
	free(to);
}

static void add_search(struct advice *l, const struct analysis *a)
{
	const struct lp_status *s = &a->run->status;
	char *n;

	if (!strcmp(a->run->search, "dfs")) {
		l->list[l->n++] = xstrdup("--search=dpor executes one schedule of each class, not "
					  "all of them");
	} else if (s->executions && (!strcmp(a->run->search, "dpor") ||
				     (!strcmp(a->run->search, "auto") && !s->drawn))) {
		n = count_text(s->seconds > 0 ? (double)s->executions : 0);
		l->list[l->n++] = xasprintf("--search=random tries schedules from all over the "
					    "search instead of its beginning, about as many in the "
					    "same time (%s); with several --seed=N, others each "
					    "time",
					    n);
		free(n);
	}
}

static void add_memory(struct advice *l, const struct analysis *a)
{
	const struct lp_status *s = &a->run->status;

	if (!s->reused || strcmp(a->run->malloc, "reuse") != 0)
		return;
	l->list[l->n++] = xasprintf("freed memory of %d %s is given to any thread, which makes more "
				    "classes: --malloc=thread has fewer, --malloc=quarantine (never "
				    "given out again) the fewest",
				    __builtin_popcountll(s->reused),
				    plural((uint64_t)__builtin_popcountll(s->reused), "size",
					   "sizes"));
}

char **advice_of(const struct analysis *a, size_t *n)
{
	struct advice l = { 0 };
	char **list;

	if (unfinished(&a->run->status) && a->run->status.executions) {
		if (strcmp(a->run->search, "random") != 0)
			add_time(&l, &a->run->status);
		add_search(&l, a);
		add_operations(&l, a);
		add_memory(&l, a);
	}
	if (a->run->status.end == LP_END_SHARD)
		l.list[l.n++] = xstrdup("linchpin merge of all shards: only then it is known what the "
					"whole search finds");
	if (a->run->stateful && a->nfindings)
		l.list[l.n++] = xstrdup("--search=dpor for repairs, which need each class");
	else if (a->run->stateful && a->run->status.limits & LP_LIMIT_LOOK)
		l.list[l.n++] = xstrdup("--search=dpor tells whether threads that wait for ever are a livelock");
	if (a->run->stateful && a->run->status.untold > a->run->status.states / 2)
		l.list[l.n++] = xstrdup("--search=dpor: most states of this program cannot be told (files, signals, "
					"time, memory mapped meanwhile), and are explored as if each was new");
	if ((a->run->observers || a->run->symmetric) && a->nfindings)
		l.list[l.n++] = xstrdup("--equivalence=mazurkiewicz for repairs, which need each class");
	list = xcalloc(MOST, sizeof *list);
	memcpy(list, l.list, sizeof l.list);
	*n = l.n;
	return list;
}
