/* SPDX-License-Identifier: MIT */
#include "repair/list.h"

#include <stdlib.h>
#include <string.h>

void repair_list_add(struct repair_list *l, struct repair *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (repair_subsumes(r, &l->list[i])) {
			repair_free(r);
			return;
		}
	for (uint32_t i = 0; i < l->n; i++) {
		if (repair_subsumes(&l->list[i], r))
			repair_free(&l->list[i]);
		else
			l->list[n++] = l->list[i];
	}
	l->n = n;
	VEC_GROW(l->list, l->n, l->capacity);
	l->list[l->n++] = *r;
	repair_init(r);
}

static int compare(const void *a, const void *b)
{
	return repair_compare(a, b);
}

uint32_t repair_list_trim(struct repair_list *l, uint32_t keep)
{
	uint32_t dropped = l->n > keep ? l->n - keep : 0;

	if (l->n)
		qsort(l->list, l->n, sizeof *l->list, compare);
	while (l->n > keep)
		repair_free(&l->list[--l->n]);
	return dropped;
}

void repair_list_clear(struct repair_list *l)
{
	repair_list_trim(l, 0);
}

void repair_list_free(struct repair_list *l)
{
	repair_list_clear(l);
	free(l->list);
	memset(l, 0, sizeof *l);
}
