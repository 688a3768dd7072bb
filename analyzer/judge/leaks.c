/* SPDX-License-Identifier: MIT */
#include "judge/leaks.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* Those that are in all classes come last: they are so with any schedule. */
static int compare(const void *a, const void *b)
{
	const struct leaking *x = a, *y = b;

	if (x->classes != y->classes)
		return x->classes < y->classes ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(struct srcmap *m, uint32_t site, uint32_t other)
{
	const struct source_frame *f = srcmap_own_frame(m, site), *g = srcmap_own_frame(m, other);

	return site == other || (f && g && f->line && f->line == g->line &&
				 f->column == g->column && same_text(f->file, g->file));
}

struct leaking *leaks_of(const struct analysis *a, size_t *n)
{
	struct leaking *list = NULL;
	size_t capacity = 0, at;

	*n = 0;
	for (uint32_t i = 0; i < a->run->nleaks; i++) {
		const struct leak *l = &a->run->leaks[i];

		for (at = 0; at < *n && !same_place(a->map, list[at].site, l->site); at++)
			;
		if (at == *n) {
			VEC_GROW(list, *n, capacity);
			list[(*n)++] = (struct leaking){ .site = l->site, .class = l->class };
		}
		if (list[at].class == l->class) {
			list[at].blocks += l->blocks;
			list[at].bytes += l->bytes;
		}
		if (list[at].last != l->class)
			list[at].classes++;
		list[at].last = l->class;
	}
	if (*n)
		qsort(list, *n, sizeof *list, compare);
	return list;
}
