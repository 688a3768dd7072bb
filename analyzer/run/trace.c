/* SPDX-License-Identifier: MIT
 *
 * Traces in memory: copies and schedules.
 */
#include "run/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void *trace_copy_array(void *to, uint32_t *capacity, const void *from, uint32_t n, size_t size)
{
	if (*capacity < n) {
		*capacity = n + n / 4;
		free(to);
		to = xmalloc(*capacity * size);
	}
	if (n)
		memcpy(to, from, n * size);
	return to;
}

void trace_free(struct trace *t)
{
	free(t->events);
	free(t->ops);
	free(t->outcome.waiters);
	*t = (struct trace){ 0 };
}

void trace_copy(struct trace *to, const struct trace *from)
{
	*to = *from;
	to->events = NULL;
	to->ops = NULL;
	to->outcome.waiters = NULL;
	to->events_capacity = to->ops_capacity = to->waiters_capacity = 0;
	to->events = trace_copy_array(NULL, &to->events_capacity, from->events, from->nevents,
				      sizeof *to->events);
	to->ops = trace_copy_array(NULL, &to->ops_capacity, from->ops, from->nops, sizeof *to->ops);
	to->outcome.waiters = trace_copy_array(NULL, &to->waiters_capacity, from->outcome.waiters,
					       from->outcome.nwaiters, sizeof *to->outcome.waiters);
}

char *trace_schedule(const struct run *run, const struct trace *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	uint32_t thread = NONE, count = 0;

	if (!f)
		return xstrdup("");
	for (uint32_t i = 0; i <= t->nevents; i++) {
		if (i < t->nevents && t->events[i].kind > LP_EV_LAST_STEP)
			continue;
		if (i < t->nevents && t->events[i].thread == thread) {
			count++;
			continue;
		}
		if (count > 1)
			fprintf(f, "x%u", count);
		if (i < t->nevents) {
			fprintf(f, "%s%s", thread == NONE ? "" : " ",
				run->threads[t->events[i].thread].name);
			thread = t->events[i].thread;
			count = 1;
		}
	}
	if (t->outcome.kind == LP_OUT_NO_PROGRESS && t->outcome.nwaiters)
		fprintf(f, " !%" PRIi64 ":%s", t->outcome.code,
			run->threads[t->outcome.waiters[0].thread].name);
	fclose(f);
	return text;
}
