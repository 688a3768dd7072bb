/* SPDX-License-Identifier: MIT */
#include "parts/livelocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RECORDED "recorded"

static void add(struct livelocks *l, uint64_t name, const char *schedule)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->list[i].name != name)
			continue;
		if (!schedule) {
			free(l->list[i].schedule);
			l->list[i].schedule = NULL;
		}
		return;
	}
	VEC_GROW(l->list, l->n, l->capacity);
	l->list[l->n++] = (struct livelock){ name, schedule ? xstrdup(schedule) : NULL };
}

bool livelocks_line(struct livelocks *l, const char *line)
{
	uint64_t name;
	int used = 0;

	if (sscanf(line, "livelock %" SCNu64 " %n", &name, &used) != 1 || !used || !line[used])
		return false;
	if (!strcmp(line + used, RECORDED))
		add(l, name, NULL);
	else if (strspn(line + used, "0123456789.") == strlen(line + used))
		add(l, name, line + used);
	else
		return false;
	return true;
}

uint32_t livelocks_left(const struct livelocks *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += l->list[i].schedule != NULL;
	return n;
}

void livelocks_print(const struct livelocks *l, FILE *to)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const struct livelock *k = &l->list[i];

		fprintf(to, "livelock %" PRIu64 " %s\n", k->name, k->schedule ? k->schedule : RECORDED);
	}
}

void livelocks_done(struct livelocks *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		free(l->list[i].schedule);
		l->list[i].schedule = NULL;
	}
}

void livelocks_merge(struct livelocks *to, const struct livelocks *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		add(to, from->list[i].name, from->list[i].schedule);
}

void livelocks_free(struct livelocks *l)
{
	livelocks_done(l);
	free(l->list);
	*l = (struct livelocks){ 0 };
}
